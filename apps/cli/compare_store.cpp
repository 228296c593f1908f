#include "compare_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "commands.h"
#include "compare_json.h"

namespace trammel::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kSchema = "trammel.compare-runs/1";

Json make_header(const Json& settings) { return {{"schema", kSchema}, {"settings", settings}}; }

}  // namespace

CompareStore::CompareStore(std::string path, const Json& settings, bool fresh) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw InputError(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    close(descriptor_);
    throw InputError(fmt::format("'{}' is being written by another comparison; choose another -o", path_));
  }
  if (!fresh && read(settings)) return;
  earlier_ = {};
  if (ftruncate(descriptor_, 0) != 0) throw InputError(fmt::format("cannot clear '{}'", path_));
  append(make_header(settings));
}

CompareStore::~CompareStore() {
  if (descriptor_ >= 0) close(descriptor_);
}

/// False when the file is empty or of other settings.
bool CompareStore::read(const Json& settings) {
  std::ifstream file(path_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t begin = 0, end = text.find('\n');
  if (text.empty()) return false;
  const Json header = end == std::string::npos ? Json() : Json::parse(text.substr(0, end), nullptr, false);
  // (A header that cannot be read compares as neither equal nor unequal.)
  if (!header.is_object() || !(header == make_header(settings))) {
    has_replaced_ = true;
    return false;
  }
  while ((begin = end + 1) < text.size() && (end = text.find('\n', begin)) != std::string::npos) {
    read_line(text.substr(begin, end - begin));
  }
  // A line without its end would run into the next one.
  if (text.back() != '\n' && ftruncate(descriptor_, static_cast<off_t>(text.rfind('\n') + 1)) != 0) {
    throw InputError(fmt::format("cannot repair '{}': {}", path_, std::strerror(errno)));
  }
  return true;
}

void CompareStore::read_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  try {
    if (json.contains("reference")) earlier_.reference = to_reference(json["reference"]);
    if (json.contains("stiffness")) earlier_.stiffness = to_stiffness(json["stiffness"]);
    if (json.contains("run")) earlier_.runs.push_back(to_run(json["run"]));
  } catch (const nlohmann::json::exception&) {
    return;  // what cannot be read is computed again
  }
}

void CompareStore::append(const Json& json) {
  if (has_failed_) return;
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(descriptor_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      has_failed_ = true;
      fmt::print(stderr, "trammel: cannot write '{}': {}; an interruption will lose what comes from now on\n", path_,
                 std::strerror(errno));
      return;
    }
    written += static_cast<std::size_t>(count);
  }
}

void CompareStore::add(const analyses::ReferenceSolution& reference) {
  append({{"reference", to_json(reference, true)}});
}
void CompareStore::add(const analyses::Stiffness& stiffness) { append({{"stiffness", to_json(stiffness)}}); }
void CompareStore::add(const analyses::ComparedRun& run) { append({{"run", to_json(run)}}); }

void CompareStore::remove() { unlink(path_.c_str()); }

}  // namespace trammel::cli
