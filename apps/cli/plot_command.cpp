// trammel plot FILE NAME...: columns of a result file as a figure, or in the terminal.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "column_choice.h"
#include "commands.h"
#include "counted.h"
#include "plot_figure.h"
#include "result_output.h"
#include "terminal.h"
#include "trammel/io/result_file.h"
#include "whole_file.h"

namespace trammel::cli {
namespace {

struct PlotArguments {
  std::string file;
  PlotRequest request;
  std::optional<std::string> out;
  std::optional<std::string> size;
  bool is_together = false;
  bool is_separate = false;
};

enum class Format { kTerminal, kSvg, kPng };

Format find_format(const std::optional<std::string>& out) {
  if (!out) return Format::kTerminal;
  std::string path = *out;
  std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
  if (path.ends_with(".svg") && path.size() > 4) return Format::kSvg;
  if (path.ends_with(".png") && path.size() > 4) return Format::kPng;
  throw InputError(fmt::format("figures are written as .svg or .png, not as '{}'", *out));
}

struct Size {
  int width = 0;
  int height = 0;
};

/// "800x450" in px.
Size parse_size(const std::string& text) {
  Size size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec == std::errc() && height.ptr == end && size.width > 0 && size.height > 0) return size;
  }
  throw InputError(fmt::format("--size takes width and height in px, as 800x450, not '{}'", text));
}

void check(const PlotArguments& a) {
  const PlotRequest& request = a.request;
  if (a.is_together && a.is_separate) throw InputError("choose one of --together and --separate");
  if (request.has_equal_scales && !request.x) throw InputError("--equal is for paths, which --x gives");
  if (request.has_equal_scales && (request.is_log_x || request.is_log_y)) {
    throw InputError("scales cannot be equal where one is logarithmic; leave out --equal or the logarithm");
  }
  if (request.takes_steps && request.x) throw InputError("steps are plotted over time; leave out --x");
  if (a.size && !a.out) throw InputError("--size is for files; a plot in the terminal is as large as that");
}

std::string draw(const figures::Figure& figure, Format format) {
  if (format == Format::kSvg) return figures::to_svg(figure);
  if (format == Format::kPng) return figures::to_png(figure);
  const Terminal terminal = describe_terminal();
  return figures::to_text(figure, {.columns = terminal.columns,
                                   .rows = terminal.rows - 1,  // the last line is the prompt's
                                   .is_unicode = terminal.is_unicode,
                                   .has_colours = terminal.has_colours});
}

int plot(PlotArguments a) {
  check(a);
  const Format format = find_format(a.out);
  const std::optional<Size> size = a.size ? std::optional(parse_size(*a.size)) : std::nullopt;
  const io::ResultFile file = io::ResultFile::open(a.file);
  PlotRequest& request = a.request;
  if (request.names.empty() && !request.takes_steps) {
    throw InputError(
        fmt::format("name the columns to plot, as in 'trammel plot {0} NAME'; 'trammel results {0}' lists "
                    "them, and a name may be the front of several: {1}",
                    a.file, list_examples(file)));
  }
  if (request.x == io::kTimeName) request.x.reset();
  if (a.is_together) request.panels = PanelChoice::kTogether;
  if (a.is_separate) request.panels = PanelChoice::kSeparate;
  if (size) request.width = size->width;

  Plot plot = make_plot(file, request);
  if (request.has_equal_scales) {  // paths are about as high as wide
    plot.figure.width = 640;
    if (plot.figure.panels.size() == 1) plot.figure.height = 560;
  }
  if (size) {
    plot.figure.width = size->width;
    plot.figure.height = size->height;
  }
  for (const std::string& note : plot.notes) fmt::print(stderr, "note: {}\n", note);
  std::string drawing;
  try {
    drawing = draw(plot.figure, format);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
  if (format == Format::kTerminal) {
    fmt::print("{}", drawing);
  } else {
    check_other_file(a.file, *a.out);
    write_file(*a.out, drawing);
    fmt::print(stderr, "{}: {}, {}\n", *a.out, counted(plot.columns, "column"),
               counted(plot.rows, request.takes_steps ? "step" : "row"));
  }
  return kDone;
}

}  // namespace

void add_plot_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("plot", "Draw columns of a result file, in the terminal or as .svg or .png");
  auto a = std::make_shared<PlotArguments>();
  PlotRequest& request = a->request;
  command->add_option("file", a->file, "Result file (.h5 or .csv)")->required();
  command->add_option("names", request.names,
                      "Columns to draw; * stands for any text, ? for any letter, and hinge.reaction for all that begin "
                      "with it and a dot");
  command->add_option("-o,--out", a->out, "Write the figure to this file (.svg or .png) instead of the terminal");
  command->add_option("--x", request.x, "Draw over this column instead of time");
  command->add_flag("--equal", request.has_equal_scales, "With --x: the same scale on both axes, for paths in space");
  command->add_option("--from", request.from, "Begin at this time [s]");
  command->add_option("--to", request.to, "End at this time [s]");
  command->add_flag("--log", request.is_log_y, "Logarithmic axis of the values");
  command->add_flag("--log-x", request.is_log_x, "Logarithmic axis of time or of --x");
  command->add_flag("--together", a->is_together, "All columns in one panel; otherwise one panel a unit");
  command->add_flag("--separate", a->is_separate, "Each column in a panel of its own");
  command->add_flag("--steps", request.takes_steps, "The history of steps: their size, error, order and iterations");
  command->add_option("--title", request.title, "Title of the figure (default: model and method)");
  command->add_option("--size", a->size, "Size of the figure in px, 800x450; a .png has twice as many pixels each way");
  command->callback([&action, a] {
    action = [a] {
      try {
        return plot(*a);
      } catch (const io::ResultFileError& error) {
        throw InputError(error.what());
      }
    };
  });
}

}  // namespace trammel::cli
