#pragma once

// Result files of the commands that move a mechanism.

#include <memory>
#include <string>
#include <vector>

#include "problem.h"
#include "trammel/io/mechanism_columns.h"
#include "trammel/io/result_writer.h"

namespace trammel::cli {

/// Rows of the result file: what is known of a mechanism, or the plain state of equations.
class ResultRows {
 public:
  /// Keeps references.
  explicit ResultRows(const Problem& problem);

  std::vector<io::Column> columns() const;
  const std::vector<double>& list(const dae::State& state);

 private:
  const dae::Structure& structure_;
  std::unique_ptr<io::MechanismColumns> mechanism_;
  std::vector<double> values_;
};

/// Adds to the header what is known of the problem and opens the file. Throws InputError.
std::unique_ptr<io::ResultWriter> create_writer(const std::string& path, const Problem& problem, const ResultRows& rows,
                                                io::ResultHeader header);

}  // namespace trammel::cli
