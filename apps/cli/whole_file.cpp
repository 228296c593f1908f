#include "whole_file.h"

#include <fmt/format.h>

#include <optional>

#include "commands.h"
#include "trammel/io/part_file.h"

namespace trammel::cli {

void write_file(const std::string& path, const std::string& bytes) {
  std::optional<io::PartFile> file;
  try {
    file.emplace(path);
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
  try {
    file->append(bytes);
  } catch (const std::exception& error) {
    file->discard();
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path, error.what()));
  }
  file->commit();
}

}  // namespace trammel::cli
