// trammel results FILE [NAME...]: what is in a result file, and columns out of it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "column_choice.h"
#include "commands.h"
#include "problem.h"
#include "result_output.h"
#include "results_listing.h"
#include "trammel/io/csv_result_writer.h"
#include "trammel/io/result_file.h"
#include "trammel/io/result_writer.h"
#include "values_at_times.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;
using io::Column;
using io::ResultFile;

struct ResultsArguments {
  std::string file;
  std::vector<std::string> names;
  std::vector<double> at;
  std::optional<double> every;
  std::optional<std::string> out;
  bool as_csv = false;
  bool as_json = false;
};

/// All rows, read in blocks.
void take_rows(const ResultFile& file, std::span<const std::size_t> columns, const TakeRow& take) {
  constexpr long kRows = 1024;
  for (long first = 0; first < file.rows(); first += kRows) {
    const long count = std::min(kRows, file.rows() - first);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values =
        file.read(columns, first, count);
    for (long i = 0; i < count; ++i) {
      take(file.time()[static_cast<std::size_t>(first + i)], {values.data() + i * values.cols(), columns.size()});
    }
  }
}

std::vector<Column> describe(const ResultFile& file, std::span<const std::size_t> places) {
  std::vector<Column> columns;
  for (const std::size_t place : places) columns.push_back(file.columns()[place]);
  return columns;
}

using WalkRows = std::function<void(const TakeRow&)>;

void print_table(const std::vector<Column>& columns, const WalkRows& walk) {
  constexpr std::size_t kWidth = 16;
  std::vector<std::size_t> widths;
  fmt::print("{:>{}}", "t [s]", kWidth);
  for (const Column& column : columns) {
    const std::string title = column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
    widths.push_back(std::max(kWidth, title.size()));
    fmt::print("  {:>{}}", title, widths.back());
  }
  fmt::print("\n");
  walk([&](double t, std::span<const double> values) {
    fmt::print("{:>{}.9g}", t, kWidth);
    for (std::size_t i = 0; i < values.size(); ++i) fmt::print("  {:>{}.9g}", values[i], widths[i]);
    fmt::print("\n");
  });
}

void print_csv(const std::vector<Column>& columns, const WalkRows& walk) {
  fmt::print("{}", io::kTimeName);
  for (const Column& column : columns) fmt::print(",{}", io::quote_csv(column.name));
  fmt::print("\n");
  walk([&](double t, std::span<const double> values) {
    fmt::print("{}{}{}\n", t, values.empty() ? "" : ",", fmt::join(values, ","));
  });
}

void print_json(const std::vector<Column>& columns, const WalkRows& walk, const ValuesAtTimes* values_at_times) {
  std::vector<Json> lists(columns.size(), Json::array());
  Json time = Json::array();
  walk([&](double t, std::span<const double> values) {
    time.push_back(to_json_number(t));
    for (std::size_t i = 0; i < values.size(); ++i) lists[i].push_back(to_json_number(values[i]));
  });
  Json list = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    list.push_back({{"name", columns[i].name},
                    {"unit", columns[i].unit},
                    {"description", columns[i].description},
                    {"values", std::move(lists[i])}});
    if (values_at_times) list.back()["between_rows"] = values_at_times->is_continuous(i) ? "continuous" : "linear";
  }
  const Json object{{"schema", "trammel.columns/1"}, {"t", std::move(time)}, {"columns", std::move(list)}};
  fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The continuous solution of those of the columns that have one.
void copy_continuous(const ResultFile& file, std::span<const std::size_t> places, const io::ResultHeader& header,
                     io::ResultWriter& writer) {
  std::vector<std::size_t> sources;
  for (const std::size_t i : header.continuous) sources.push_back(places[i]);
  long used = 0;  // nodes that are written
  for (const io::ContinuousInterval& interval : file.continuous().intervals) {
    const bool shares = interval.first < used;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> nodes = file.read_nodes(sources, interval);
    std::span<const double> values(nodes.data(), static_cast<std::size_t>(nodes.size()));
    writer.write_interval(interval, shares, shares ? values.subspan(sources.size()) : values);
    used = interval.first + interval.degree + 1;
  }
}

/// Another result file with these columns; their continuous solution, steps and events go with them.
void write_file(const ResultFile& file, const std::string& path, std::span<const std::size_t> places,
                const WalkRows& walk) {
  io::ResultHeader header = file.header();
  header.columns = describe(file, places);
  header.continuous.clear();
  for (std::size_t i = 0; i < places.size() && io::has_hdf5_name(path); ++i) {
    if (file.is_continuous(places[i])) header.continuous.push_back(i);
  }
  std::unique_ptr<io::ResultWriter> writer;
  try {
    writer = io::create_result_writer(path, header);
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
  walk([&](double t, std::span<const double> values) { writer->write_row(t, values); });
  const Eigen::MatrixXd steps = file.read_steps();
  for (Eigen::Index i = 0; i < steps.rows(); ++i) {
    const Eigen::VectorXd step = steps.row(i);
    writer->write_step({step.data(), header.step_columns.size()});
  }
  if (!header.continuous.empty()) copy_continuous(file, places, header, *writer);
  for (const io::ResultEvent& event : file.events()) writer->add_event(event.name, event.t);
  writer->finish(file.summary());
  fmt::print(stderr, "{} rows of {} columns are in {}\n", writer->rows(), header.columns.size(), path);
}

/// `values` tells how they were found where times were asked for.
void print_values(const ResultsArguments& a, const ResultFile& file, std::span<const std::size_t> places,
                  const WalkRows& walk, const ValuesAtTimes* values) {
  if (a.out) {
    write_file(file, *a.out, places, walk);
  } else if (a.as_csv) {
    print_csv(describe(file, places), walk);
  } else if (a.as_json) {
    print_json(describe(file, places), walk, values);
  } else {
    print_table(describe(file, places), walk);
  }
  if (values && !a.as_json) print_notes({values->describe()});
}

int show(const ResultsArguments& a) {
  if (a.every && !a.at.empty()) throw InputError("choose one of --at and --every");
  if ((a.as_csv ? 1 : 0) + (a.as_json ? 1 : 0) + (a.out ? 1 : 0) > 1) {
    throw InputError("choose one of --csv, --json and --out");
  }
  check_out(a.out);
  const ResultFile file = ResultFile::open(a.file);
  const bool wants_values = !a.names.empty() || !a.at.empty() || a.every || a.as_csv || a.out;
  if (!wants_values) {
    if (a.as_json) {
      fmt::print("{}\n", list_results_as_json(file).dump(2, ' ', false, Json::error_handler_t::replace));
    } else {
      fmt::print("{}", list_results(file));
    }
  } else {
    const std::vector<std::size_t> places = choose_columns(file, a.names);
    const ValuesAtTimes values(file, places);
    values.check(a.at);
    const std::vector<double> times = a.every ? values.list_times(*a.every) : a.at;
    const bool has_times = a.every || !a.at.empty();
    const WalkRows walk = [&](const TakeRow& take) {
      if (has_times) {
        values.take(times, take);
      } else {
        take_rows(file, places, take);
      }
    };
    print_values(a, file, places, walk, has_times ? &values : nullptr);
  }
  return kDone;
}

}  // namespace

void add_results_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("results", "Show what a result file holds, and take columns out of it");
  auto a = std::make_shared<ResultsArguments>();
  command->add_option("file", a->file, "Result file (.h5 or .csv)")->required();
  command->add_option("names", a->names,
                      "Columns to take; * stands for any text, ? for any letter, and hinge.reaction for all that begin "
                      "with it and a dot");
  command
      ->add_option("--at", a->at,
                   "Values at these times [s]: of the continuous solution where the file has one, otherwise "
                   "between rows on a straight line")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--every", a->every, "The same at this interval [s]");
  command->add_option("-o,--out", a->out, "Write them to this file (.h5 or .csv)");
  command->add_flag("--csv", a->as_csv, "Print comma-separated values");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->callback([&action, a] {
    action = [a] {
      try {
        return show(*a);
      } catch (const io::ResultFileError& error) {
        throw InputError(error.what());
      }
    };
  });
}

}  // namespace trammel::cli
