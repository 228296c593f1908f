#pragma once

// Names that the user may have meant.

#include <string>
#include <vector>

namespace trammel::model {

/// Number of letters to insert, delete, change or swap to turn one word into the other.
int edit_distance(const std::string& a, const std::string& b);

/// "there is no <kind> '<name>'", with the nearest names if any is near, and otherwise with all of them, or the first.
std::string describe_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known);

}  // namespace trammel::model
