#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

namespace trammel::cli {
namespace {

std::string read_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// A number of the environment, if it is a sensible one.
int read_size(const char* name, int otherwise) {
  constexpr int kMost = 1000;
  const int value = std::atoi(read_variable(name).c_str());
  return value > 0 && value <= kMost ? value : otherwise;
}

/// As POSIX has it: the first of the three that is set says what letters are.
bool has_unicode_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = read_variable(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Terminal describe_terminal() {
  Terminal terminal;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) terminal.columns = size.ws_col;
    if (size.ws_row > 0) terminal.rows = size.ws_row;
  }
  terminal.columns = read_size("COLUMNS", terminal.columns);
  terminal.rows = read_size("LINES", terminal.rows);
  terminal.is_unicode = has_unicode_locale();
  terminal.has_colours =
      isatty(STDOUT_FILENO) != 0 && read_variable("NO_COLOR").empty() && read_variable("TERM") != "dumb";
  return terminal;
}

}  // namespace trammel::cli
