#include "page.h"

#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "page_template.h"

namespace trammel::cli {

void check_page_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".html" || extension == ".htm") return;
  throw InputError(fmt::format("'{}' is not the name of a page: it must end with .html", path));
}

io::PageReport write_page(const std::string& results, const std::string& path, const io::PageOptions& options) {
  try {
    return io::write_result_page(io::ResultFile::open(results), std::string(page_template()), path, options);
  } catch (const io::ResultFileError& error) {
    throw InputError(error.what());
  }
}

}  // namespace trammel::cli
