#pragma once

// Results as comma-separated values: a header line with the names, then a line a state:
//   t, positions, velocities, accelerations "a(<velocity>)", multipliers "lambda(<constraint>)", extra states.
//
// Everything goes to a temporary file beside the target, which takes the target's name on finish(): a half-written
// file never stands under that name.

#include <cstdio>
#include <string>

#include "trammel/dae/state.h"

namespace trammel::io {

class CsvWriter {
 public:
  /// Throws std::runtime_error, with the reason, when the file cannot be created.
  CsvWriter(std::string path, const dae::Structure& structure);
  /// Without finish(), removes the temporary file.
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  /// After an error (a full disk), further rows are dropped and finish() reports it.
  void write(const dae::State& state);
  bool has_failed() const { return error_ != 0; }
  /// Gives the file its name. Throws std::runtime_error when something could not be written; what could is then kept
  /// under the temporary name that the message gives.
  void finish();
  long rows() const { return rows_; }

 private:
  bool write_line();

  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
  std::string line_;
  int error_ = 0;
  long rows_ = 0;
};

}  // namespace trammel::io
