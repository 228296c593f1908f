#pragma once

// Results as comma-separated values: a line "t,name,...", then a line a row, numbers with the digits that give the same
// double when read. A name that holds a comma, a quotation mark or a line break is quoted.

#include <chrono>

#include "trammel/io/result_writer.h"

namespace trammel::io {

class CsvResultWriter final : public ResultWriter {
 public:
  CsvResultWriter(std::string path, const ResultHeader& header);
  ~CsvResultWriter() override;
  CsvResultWriter(const CsvResultWriter&) = delete;
  CsvResultWriter& operator=(const CsvResultWriter&) = delete;

 private:
  void append_row(double t, std::span<const double> values) override;
  void append_step(std::span<const double>) override {}
  void append_interval(const ContinuousInterval&, bool, std::span<const double>) override {}
  void append_event(const std::string&, double) override {}
  void close(const std::string& summary) override;
  void abandon() noexcept override {}
  long stored_rows() const override { return stored_rows_; }
  void store_lines();
  /// What still fits on a full disk; throws at the first line that does not.
  void store_line_by_line();

  std::string lines_;  ///< not stored yet, whole lines
  long waiting_rows_ = 0;
  long stored_rows_ = 0;
  std::chrono::steady_clock::time_point stored_at_;
};

/// A field as it stands in the file.
std::string quote_csv(const std::string& field);

}  // namespace trammel::io
