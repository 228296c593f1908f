#pragma once

// The contents of model files: parsed, checked against the schema, and put together with the files they include.

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/io/model_file/document.h"

namespace trammel::io::model_file {

/// A model as written, includes merged: maps of things that the user names, and single settings.
struct Contents {
  /// "bodies", "joints", ...: the entries in the order of the files. "ground" holds the ground's markers.
  std::map<std::string, std::vector<Entry>, std::less<>> sections;
  /// "space", "gravity", "simulation", "model", "summary".
  std::map<std::string, Entry, std::less<>> settings;
  std::vector<NodePtr> ground_shapes;  ///< lists of shapes of the ground, one of each file that has some
  Place place;                         ///< where the model begins

  const std::vector<Entry>& section(std::string_view name) const;
  /// The value of a setting, or null.
  const Node* setting(std::string_view name) const;
};
using ContentsPtr = std::shared_ptr<const Contents>;

/// Reads files, each once.
class ContentsLoader {
 public:
  /// Files larger than this are not read: a model of 100000 bodies has some 50 MB.
  static constexpr std::uintmax_t kLargestFile = 500'000'000;

  explicit ContentsLoader(Problems& problems) : problems_(problems) {}

  /// The text stands for a file of that name. Null when it cannot be read; problems say why.
  ContentsPtr load_text(const std::string& text, const std::string& name);
  /// A file that another one asks for at `asked`, whose folder the name is seen from.
  ContentsPtr load_file(const std::string& name, const Place& asked);
  /// A model that stands within a file that has been loaded.
  ContentsPtr load_node(const Node& node);

  /// The file that a name in another file means.
  static std::filesystem::path resolve(const std::string& name, const Place& asked);
  /// The text of a file, or nothing; `problem` says why.
  static std::string read_text(const std::filesystem::path& path, std::string& problem);

 private:
  NodePtr parse(const std::string& text, const std::string& name);
  NodePtr parse_file(const std::filesystem::path& path, const Place& asked);
  void merge(const Node& root, Contents& contents);
  void merge_section(const Entry& section, Contents& contents);
  void merge_include(const Node& file, Contents& contents);

  Problems& problems_;
  std::map<std::string, NodePtr> parsed_;      ///< by the canonical name; null: could not be read
  std::map<std::string, ContentsPtr> loaded_;  ///< by the canonical name
  std::vector<std::string> including_;         ///< files that are being merged, each included by the one before
  std::set<std::string> included_;             ///< files that are part of the contents being merged
};

}  // namespace trammel::io::model_file
