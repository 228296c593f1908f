#include "trammel/io/model_file/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "trammel/io/model_file/schema_check.h"

namespace trammel::io::model_file {
namespace {

namespace fs = std::filesystem;

// The same name for the same file, whatever the way to it.
std::string canonical_name(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal().string() : canonical.string();
}

bool is_setting(const std::string& key) {
  return key == "model" || key == "summary" || key == "space" || key == "gravity" || key == "simulation";
}

}  // namespace

const std::vector<Entry>& Contents::section(std::string_view name) const {
  static const std::vector<Entry> none;
  const auto found = sections.find(name);
  return found == sections.end() ? none : found->second;
}

const Node* Contents::setting(std::string_view name) const {
  const auto found = settings.find(name);
  return found == settings.end() ? nullptr : found->second.value.get();
}

ContentsPtr ContentsLoader::load_text(const std::string& text, const std::string& name) {
  including_ = {canonical_name(name)};
  const NodePtr root = parse(text, name);
  return root ? load_node(*root) : nullptr;
}

ContentsPtr ContentsLoader::load_file(const std::string& name, const Place& asked) {
  const fs::path path = resolve(name, asked);
  const std::string canonical = canonical_name(path);
  if (const auto known = loaded_.find(canonical); known != loaded_.end()) return known->second;
  const NodePtr root = parse_file(path, asked);
  including_ = {canonical};
  return loaded_[canonical] = root ? load_node(*root) : nullptr;
}

ContentsPtr ContentsLoader::load_node(const Node& node) {
  if (including_.empty()) including_ = {canonical_name(*node.place.file)};
  included_ = {including_.begin(), including_.end()};
  auto contents = std::make_shared<Contents>();
  contents->place = node.place;
  merge(node, *contents);
  including_.clear();
  return contents;
}

NodePtr ContentsLoader::parse(const std::string& text, const std::string& name) {
  const std::string* file = problems_.add_file(name);
  const NodePtr root = parse_document(text, file, problems_);
  if (!root) return nullptr;
  check_against_schema(*root, problems_);
  return root->is_map() ? root : nullptr;
}

NodePtr ContentsLoader::parse_file(const fs::path& path, const Place& asked) {
  const std::string canonical = canonical_name(path);
  if (const auto known = parsed_.find(canonical); known != parsed_.end()) return known->second;
  std::string problem;
  const std::string text = read_text(path, problem);
  if (!problem.empty()) {
    problems_.add(asked, problem);
    return parsed_[canonical] = nullptr;
  }
  return parsed_[canonical] = parse(text, path.string());
}

fs::path ContentsLoader::resolve(const std::string& name, const Place& asked) {
  return (fs::path(*asked.file).parent_path() / name).lexically_normal();
}

std::string ContentsLoader::read_text(const fs::path& path, std::string& problem) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const auto fail = [&](const std::string& reason) {
    problem = fmt::format("cannot read {}: {}", quoted(path.string()), reason);
    return std::string{};
  };
  if (!fs::exists(status)) return fail("there is no such file");
  // Devices and pipes may have no end.
  if (!fs::is_regular_file(status)) return fail("it is not a regular file");
  if (fs::file_size(path, error) > kLargestFile) return fail(fmt::format("it has more than {} bytes", kLargestFile));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) return fail("reading failed");
  return text;
}

void ContentsLoader::merge(const Node& root, Contents& contents) {
  if (!root.is_map()) return;  // the schema check has said so
  for (const Entry& entry : root.entries) {
    if (is_setting(entry.key)) {
      const auto [known, is_new] = contents.settings.emplace(entry.key, entry);
      const bool may_repeat = entry.key == "model" || entry.key == "summary" ||
                              (entry.key == "space" && entry.value->text == known->second.value->text);
      if (!is_new && !may_repeat) {
        problems_.add(entry.place, fmt::format("'{}' is given twice; the other is at {}", entry.key,
                                               to_string(known->second.place, entry.place)));
      }
    } else if (entry.key != "include") {
      merge_section(entry, contents);
    }
  }
  const Node* include = root.get("include");
  if (include == nullptr || !include->is_list()) return;
  for (const NodePtr& file : include->items) {
    if (file->is_scalar()) merge_include(*file, contents);
  }
}

void ContentsLoader::merge_section(const Entry& section, Contents& contents) {
  const Node* map = section.value.get();
  if (section.key == "ground") {
    for (const Entry& entry : map->entries) {
      if (entry.key == "shapes" && entry.value->is_list()) contents.ground_shapes.push_back(entry.value);
    }
    map = map->is_map() ? map->get("markers") : nullptr;
  }
  if (map == nullptr || !map->is_map()) return;
  std::vector<Entry>& all = contents.sections[section.key];
  // Names within one file are unique already.
  std::unordered_map<std::string, Place> known;
  for (const Entry& entry : all) known.emplace(entry.key, entry.place);
  for (const Entry& entry : map->entries) {
    if (const auto found = known.find(entry.key); found != known.end()) {
      problems_.add(entry.place, fmt::format("the name {} is already used at {}", quoted(entry.key),
                                             to_string(found->second, entry.place)));
    } else {
      all.push_back(entry);
    }
  }
}

void ContentsLoader::merge_include(const Node& file, Contents& contents) {
  const fs::path path = resolve(file.text, file.place);
  const std::string canonical = canonical_name(path);
  if (std::find(including_.begin(), including_.end(), canonical) != including_.end()) {
    problems_.add(file.place, fmt::format("files include each other in a circle: {} includes {} again",
                                          quoted(*file.place.file), quoted(path.string())));
    return;
  }
  // What two files include comes in once.
  if (!included_.insert(canonical).second) return;
  const NodePtr root = parse_file(path, file.place);
  if (!root) return;
  including_.push_back(canonical);
  merge(*root, contents);
  including_.pop_back();
}

}  // namespace trammel::io::model_file
