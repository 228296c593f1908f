#pragma once

// Columns of a result file, by the names that a user gives.

#include <cstddef>
#include <string>
#include <vector>

#include "trammel/io/result_file.h"

namespace trammel::cli {

/// The columns that the names ask for, each once, in the order of the names; all when there are none. Time is left out.
/// A name is that of a column, or a pattern of * and ?, or where no column is meant by it, what stands in front of a
/// dot: "hinge.reaction" for "hinge.reaction.fx" and all others like it. Throws InputError, with the names that may
/// have been meant.
std::vector<std::size_t> choose_columns(const io::ResultFile& file, const std::vector<std::string>& names);
/// The same of columns that are still to be written; `owner` is what has them, `advice` says where they are listed.
std::vector<std::size_t> choose_columns(const std::vector<io::Column>& columns, const std::vector<std::string>& names,
                                        const std::string& owner, const std::string& advice);

/// Some names that choose_columns() takes, in a line: what stands in front of the first dots.
std::string list_examples(const io::ResultFile& file);

}  // namespace trammel::cli
