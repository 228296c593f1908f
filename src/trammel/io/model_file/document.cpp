#include "trammel/io/model_file/document.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace trammel::io::model_file {
namespace {

// Ends the parsing of a text that should not be read on.
struct Refused {};

std::string without_full_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

// Builds the tree from the events of the parser.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string* file, Problems& problems)
      : text_(text), file_(file), problems_(problems) {}

  NodePtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = make(Node::Kind::kNothing, mark);
    // The parser finds that there is nothing where the next thing begins, which may be lines further down.
    if (!open_.empty() && open_.back().key) node->place = open_.back().key_place;
    finish(std::move(node), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = make(Node::Kind::kScalar, mark);
    node->text = value;
    const auto position = static_cast<std::size_t>(std::max(mark.pos, 0));
    for (const int quote : {0, 1}) {
      const std::size_t begin = position + static_cast<std::size_t>(quote);
      if (begin <= text_.size() && text_.compare(begin, value.size(), value) == 0 && node->text_column < 0) {
        node->text_column = quote;
      }
    }
    finish(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      refuse(place(mark), "an alias stands inside of what it refers to");
    }
    attach(found->second, place(mark));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make(Node::Kind::kList, mark), anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make(Node::Kind::kMap, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  // A list or map whose end has not come yet.
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor;
    NodePtr key;  // of a map, until its value comes
    Place key_place;
    bool key_is_dropped = false;
    std::unordered_set<std::string> keys;
  };

  Place place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }
  [[noreturn]] void refuse(const Place& where, const std::string& message) {
    problems_.add(where, message);
    throw Refused{};
  }

  std::shared_ptr<Node> make(Node::Kind kind, const YAML::Mark& mark) {
    ++nodes_;
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->place = place(mark);
    return node;
  }

  void open(std::shared_ptr<Node> node, YAML::anchor_t anchor) {
    if (open_.size() >= kDeepestNesting) refuse_depth(node->place);
    open_.push_back({std::move(node), anchor, nullptr, {}, false, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    finish(std::move(done.node), done.anchor);
  }

  void finish(std::shared_ptr<Node> node, YAML::anchor_t anchor) {
    const Place where = node->place;
    NodePtr finished = std::move(node);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = finished;
    attach(finished, where);
  }

  [[noreturn]] void refuse_depth(const Place& where) {
    refuse(where, fmt::format("lists and maps are nested more than {} deep", kDeepestNesting));
  }

  // Puts a finished node where it belongs.
  void attach(const NodePtr& node, const Place& where) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Open& parent = open_.back();
    if (parent.node->is_list()) {
      parent.node->items.push_back(node);
    } else if (!parent.key) {
      take_key(parent, node, where);
      return;
    } else {
      if (!parent.key_is_dropped) parent.node->entries.push_back({parent.key->text, parent.key_place, node});
      parent.key = nullptr;
    }
    grow(*parent.node, *node, where);
  }

  void take_key(Open& map, const NodePtr& key, const Place& where) {
    map.key = key;
    map.key_place = where;
    map.key_is_dropped = true;
    if (!key->is_scalar()) {
      problems_.add(where, fmt::format("a key must be a word, not {}", describe_kind(*key)));
    } else if (!map.keys.insert(key->text).second) {
      problems_.add(where, fmt::format("the key {} is given twice", quoted(key->text)));
    } else {
      map.key_is_dropped = false;
    }
  }

  void grow(Node& parent, const Node& child, const Place& where) {
    parent.size += child.size;
    parent.depth = std::max(parent.depth, child.depth + 1);
    if (parent.size > std::max(kNodesFromAliases, kAliasGrowth * nodes_)) {
      refuse(where, "aliases (*name) make the file many times larger than its text; write out what you mean");
    }
    if (parent.depth > kDeepestNesting) refuse_depth(where);
  }

  const std::string& text_;
  const std::string* file_;
  Problems& problems_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, NodePtr> anchors_;
  NodePtr root_;
  std::size_t nodes_ = 0;
};

// Notes only that there is something.
class AnotherDocument final : public YAML::EventHandler {
 public:
  bool is_there = false;
  Place place;

  void OnDocumentStart(const YAML::Mark& mark) override {
    is_there = true;
    place.line = mark.line + 1;
    place.column = mark.column + 1;
    throw Refused{};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

}  // namespace

const Node* Node::get(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return entry.value.get();
  }
  return nullptr;
}

NodePtr parse_document(const std::string& text, const std::string* file, Problems& problems) {
  TreeBuilder builder(text, file, problems);
  AnotherDocument second;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    parser.HandleNextDocument(second);
  } catch (const Refused&) {
    if (!second.is_there) return nullptr;
  } catch (const YAML::DeepRecursion& error) {
    problems.add({file, error.mark.line + 1, error.mark.column + 1},
                 fmt::format("lists and maps are nested more than {} deep", kDeepestNesting));
    return nullptr;
  } catch (const YAML::Exception& error) {
    problems.add({file, error.mark.line + 1, error.mark.column + 1},
                 fmt::format("this is not YAML: {}", without_full_stop(error.msg)));
    return nullptr;
  }
  if (second.is_there) {
    problems.add({file, second.place.line, second.place.column}, "a second document begins here; a model file has one");
  }
  NodePtr root = builder.root();
  if (!root || root->kind == Node::Kind::kNothing) {
    problems.add({file, 1, 1}, "the file is empty; a model has at least bodies");
    return nullptr;
  }
  return root;
}

std::string describe_kind(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNothing: return "nothing";
    case Node::Kind::kScalar: return quoted(node.text);
    case Node::Kind::kList: return fmt::format("a list of {}", node.items.size());
    case Node::Kind::kMap: return "a map";
  }
  return {};
}

}  // namespace trammel::io::model_file
