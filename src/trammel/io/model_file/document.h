#pragma once

// A YAML text as a tree that knows where everything stands. It is built from the parser's events, which has three
// advantages over the parser's own tree: keys that are given twice are noticed, nesting and aliases are bounded while
// the text is read (a few bytes of aliases can stand for billions of nodes), and looking up a key does not search
// through ten thousand of them.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/io/model_file/problems.h"

namespace trammel::io::model_file {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// A key of a map and its value.
struct Entry {
  std::string key;
  Place place;  ///< of the key
  NodePtr value;
};

struct Node {
  enum class Kind { kNothing, kScalar, kList, kMap };

  Kind kind = Kind::kNothing;
  Place place;
  std::string text;            ///< of a scalar
  int text_column = -1;        ///< columns from the place to where the text itself begins; -1: unknown (a folded text)
  std::vector<NodePtr> items;  ///< of a list
  std::vector<Entry> entries;  ///< of a map; keys are unique
  std::size_t size = 1;        ///< nodes in this tree, those behind aliases counted each time
  int depth = 1;               ///< levels in this tree

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  /// The value of a key of a map, or null. Searches one by one: for maps whose keys the format gives.
  const Node* get(std::string_view key) const;
  bool has(std::string_view key) const { return get(key) != nullptr; }
};

inline constexpr int kDeepestNesting = 100;
/// Aliases may multiply a text by this, or make it as large as kNodesFromAliases.
inline constexpr std::size_t kAliasGrowth = 10;
inline constexpr std::size_t kNodesFromAliases = 200'000;

/// The contents of a text, or null when it cannot be read; problems say why. `file` is a name from problems.add_file().
NodePtr parse_document(const std::string& text, const std::string* file, Problems& problems);

/// "a number", "a list of 3", "a map", "nothing": what a message says was found.
std::string describe_kind(const Node& node);

}  // namespace trammel::io::model_file
