#pragma once

// What a result file says about itself, beside the numbers.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace trammel::io {

/// One quantity over time.
struct Column {
  std::string name;         ///< unique within the file, "crank.x"; any text but "" and "t"
  std::string unit;         ///< "m", "rad/s"; empty for a plain number
  std::string group;        ///< "bodies", "joints", "reactions": letters, digits, '_' and '-'
  std::string description;  ///< frame and point in words: "force on rod at hinge, ground axes"
};

struct ResultHeader {
  std::string model;     ///< name of the model or case
  std::string method;    ///< of integration
  double tolerance = 0;  ///< relative; 0 where there was no error control
  std::string version;   ///< of the program
  std::string created;   ///< when, in words: time_now(), or empty for files that must not differ from run to run
  std::string source;    ///< the model as the user wrote it, may be large
  std::string scene;     ///< JSON, what to draw of it (scene.h); empty when that is not known
  std::vector<std::pair<std::string, double>> parameters;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< whatever else is worth keeping
  std::vector<Column> columns;       ///< of the rows; time is always there besides, as "t" [s]
  std::vector<Column> step_columns;  ///< of the history of steps (the group is not looked at); empty for no history

  std::vector<std::size_t> continuous;  ///< places of the columns whose continuous solution is stored; .h5 only

  /// What hinders these columns from being written, one message each; empty when sound.
  std::vector<std::string> validate() const;
};

/// The present time as "2026-05-01T12:00:00Z".
std::string time_now();

/// The name under which every result file holds its time.
inline constexpr const char* kTimeName = "t";

}  // namespace trammel::io
