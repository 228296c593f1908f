#pragma once

// A small result file, and a scratch folder for it.

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trammel/io/result_file.h"
#include "trammel/io/result_writer.h"

namespace trammel::io {

namespace fs = std::filesystem;

/// A folder that lives as long as a test.
class ResultFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("trammel-io-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

/// Four columns of two groups, not in order, with a history of steps.
inline ResultHeader sample_header() {
  ResultHeader header;
  header.model = "slider crank";
  header.method = "projection";
  header.tolerance = 1e-8;
  header.version = "0.1.0";
  header.created = "2026-05-01T12:00:00Z";
  header.source = "bodies:\n  crank: {mass: 1}\n# Kurbel: \xC3\xBC\n";
  header.scene = R"({"schema": "trammel.scene/1", "bodies": []})";
  header.parameters = {{"mass", 1.5}, {"crank/length", 0.1}, {"a b", -2}};
  header.attributes = {{"purpose", "a test"}, {"note", ""}, {"anything", "\xCE\xB1 = 1"}};
  header.columns = {{"crank.x", "m", "bodies", "centre of mass, ground axes"},
                    {"hinge.force.y", "N", "reactions", "force on rod at hinge, ground axes"},
                    {"crank.y", "m", "bodies", ""},
                    {"crank.angle", "rad", "bodies", "from the x axis"}};
  header.step_columns = {{"h", "s", "", "size"}, {"error", "", "", "scaled"}};
  return header;
}

/// The value of a column in a row: all differ.
inline double sample_value(std::size_t column, long row) {
  return std::sin(0.1 * static_cast<double>(row)) + 10 * static_cast<double>(column);
}

inline double sample_time(long row) { return 1e-3 * static_cast<double>(row); }

inline void write_sample_rows(ResultWriter& writer, std::size_t columns, long first, long count) {
  std::vector<double> values(columns);
  for (long row = first; row < first + count; ++row) {
    for (std::size_t i = 0; i < columns; ++i) values[i] = sample_value(i, row);
    writer.write_row(sample_time(row), values);
  }
}

inline void write_sample(const std::string& path, long rows, const ResultHeader& header = sample_header()) {
  const auto writer = create_result_writer(path, header);
  write_sample_rows(*writer, header.columns.size(), 0, rows);
  if (header.step_columns.size() == 2) writer->write_step(std::vector<double>{0.01, 0.5});
  writer->add_event("touch", 0.25);
  writer->finish(R"({"status": "completed", "reason": "reached the end time"})");
}

inline std::string read_text_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_text_file(const std::string& path, const std::string& text) {
  fs::remove(path);  // or the file system waits for the disk when it is overwritten
  std::ofstream(path, std::ios::binary) << text;
}

/// What opening says about a file that cannot be read, or nothing when it can.
inline std::string problem_of(const std::string& path) {
  try {
    const ResultFile file = ResultFile::open(path);
    for (const Column& column : file.columns()) file.read_column(column.name);
    file.read_steps();
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace trammel::io
