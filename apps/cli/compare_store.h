#pragma once

// What a comparison has done so far, on disk, so that an interrupted one can go on: a file of JSON lines beside the
// report. The first line has the settings that results depend on; each of the others has the reference, the stiffness
// or one run, and is written in one piece when that is done. A line that was cut off is not looked at.

#include <string>

#include <nlohmann/json.hpp>

#include "trammel/analyses/compare.h"

namespace trammel::cli {

class CompareStore {
 public:
  /// Opens the file, or begins it anew when there is none, when its settings are others or when `fresh`. Throws
  /// InputError when it cannot be written or when another comparison writes it.
  CompareStore(std::string path, const nlohmann::ordered_json& settings, bool fresh);
  ~CompareStore();
  CompareStore(const CompareStore&) = delete;
  CompareStore& operator=(const CompareStore&) = delete;

  const std::string& path() const { return path_; }
  /// What an earlier call has left.
  const analyses::CompareStart& earlier() const { return earlier_; }
  /// Whether there was a file with other settings.
  bool has_replaced() const { return has_replaced_; }

  void add(const analyses::ReferenceSolution& reference);
  void add(const analyses::Stiffness& stiffness);
  void add(const analyses::ComparedRun& run);
  /// Removes the file: the comparison is complete.
  void remove();

 private:
  bool read(const nlohmann::ordered_json& settings);
  void read_line(const std::string& line);
  void append(const nlohmann::ordered_json& json);

  std::string path_;
  int descriptor_ = -1;
  bool has_failed_ = false;  // to write; what comes is not kept
  analyses::CompareStart earlier_;
  bool has_replaced_ = false;
};

}  // namespace trammel::cli
