// trammel report RESULT.h5: an HTML page with animation and plots.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "page.h"
#include "problem.h"

namespace trammel::cli {
namespace {

struct ReportArguments {
  std::string file;
  std::optional<std::string> out;
  std::optional<long> frames;
  bool as_json = false;
};

int report(const ReportArguments& a) {
  const std::string page = a.out.value_or(std::filesystem::path(a.file).replace_extension(".html").string());
  check_page_name(page);
  io::PageOptions options;
  if (a.frames) {
    if (*a.frames < 2) throw InputError(fmt::format("--frames is {}, but must be at least 2", *a.frames));
    options.most_rows = *a.frames;
  }
  const io::PageReport written = write_page(a.file, page, options);
  if (a.as_json) {
    const nlohmann::ordered_json object{
        {"schema", "trammel.page/1"}, {"page", page}, {"frames", written.rows}, {"notes", written.notes}};
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return kDone;
  }
  print_notes(written.notes);
  const double megabytes = 1e-6 * static_cast<double>(std::filesystem::file_size(page));
  fmt::print("{}: {} frames, {:.1f} MB; open it in a browser\n", page, written.rows, megabytes);
  return kDone;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Make an HTML page with animation and plots of a result file");
  auto a = std::make_shared<ReportArguments>();
  command->add_option("file", a->file, "Result file (.h5; of a .csv file plots only)")->required();
  command->add_option("-o,--out", a->out, "Page to write (default: the name of the results with .html)");
  command->add_option("--frames", a->frames, "Most rows to take; a longer run is thinned (default 10000)");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->callback([&action, a] { action = [a] { return report(*a); }; });
}

}  // namespace trammel::cli
