// trammel results FILE [NAME...]: what is in a result file, and columns out of it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "column_choice.h"
#include "commands.h"
#include "result_output.h"
#include "results_listing.h"
#include "trammel/io/csv_result_writer.h"
#include "trammel/io/result_file.h"
#include "trammel/io/result_writer.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;
using io::Column;
using io::ResultFile;

struct ResultsArguments {
  std::string file;
  std::vector<std::string> names;
  std::vector<double> at;
  std::optional<std::string> out;
  bool as_csv = false;
  bool as_json = false;
};

using TakeRow = std::function<void(double t, std::span<const double> values)>;

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

void check_times(const ResultFile& file, const std::vector<double>& times) {
  const std::vector<double>& time = file.time();
  if (time.empty() && !times.empty()) throw InputError(fmt::format("'{}' has no rows", file.path()));
  for (const double t : times) {
    if (t >= time.front() && t <= time.back()) continue;
    throw InputError(
        fmt::format("--at {} lies outside of the results, which go from {} to {} s", t, time.front(), time.back()));
  }
}

/// The values at given times, on the straight line between the rows around each.
void take_rows_at(const ResultFile& file, std::span<const std::size_t> columns, const std::vector<double>& times,
                  const TakeRow& take) {
  const std::vector<double>& time = file.time();
  for (const double t : times) {
    // At a time that stands there twice (a jump), what holds after it.
    const long next = std::upper_bound(time.begin(), time.end(), t) - time.begin();
    const double t_before = time[static_cast<std::size_t>(next - 1)];
    Eigen::VectorXd values = file.read(columns, next - 1, 1).row(0);
    if (t > t_before) {
      const Eigen::VectorXd after = file.read(columns, next, 1).row(0);
      values += (t - t_before) / (time[static_cast<std::size_t>(next)] - t_before) * (after - values);
    }
    take(t, {values.data(), columns.size()});
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

void print_json(const std::vector<Column>& columns, const WalkRows& walk) {
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
  }
  const Json object{{"schema", "trammel.columns/1"}, {"t", std::move(time)}, {"columns", std::move(list)}};
  fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Another result file with these columns; steps and events go with them.
void write_file(const ResultFile& file, const std::string& path, std::vector<Column> columns, const WalkRows& walk) {
  io::ResultHeader header = file.header();
  header.columns = std::move(columns);
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
  for (const io::ResultEvent& event : file.events()) writer->add_event(event.name, event.t);
  writer->finish(file.summary());
  fmt::print(stderr, "{} rows of {} columns are in {}\n", writer->rows(), header.columns.size(), path);
}

int show(const ResultsArguments& a) {
  if ((a.as_csv ? 1 : 0) + (a.as_json ? 1 : 0) + (a.out ? 1 : 0) > 1) {
    throw InputError("choose one of --csv, --json and --out");
  }
  check_out(a.out);
  const ResultFile file = ResultFile::open(a.file);
  const bool wants_values = !a.names.empty() || !a.at.empty() || a.as_csv || a.out;
  if (!wants_values) {
    if (a.as_json) {
      fmt::print("{}\n", list_results_as_json(file).dump(2, ' ', false, Json::error_handler_t::replace));
    } else {
      fmt::print("{}", list_results(file));
    }
  } else {
    check_times(file, a.at);
    const std::vector<std::size_t> places = choose_columns(file, a.names);
    const std::vector<Column> columns = describe(file, places);
    const WalkRows walk = [&](const TakeRow& take) {
      if (a.at.empty()) {
        take_rows(file, places, take);
      } else {
        take_rows_at(file, places, a.at, take);
      }
    };
    if (a.out) {
      write_file(file, *a.out, columns, walk);
    } else if (a.as_csv) {
      print_csv(columns, walk);
    } else if (a.as_json) {
      print_json(columns, walk);
    } else {
      print_table(columns, walk);
    }
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
  command->add_option("--at", a->at, "Values at these times [s], between rows on a straight line")
      ->delimiter(',')
      ->allow_extra_args(false);
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
