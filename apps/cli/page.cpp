#include "page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "commands.h"
#include "page_template.h"
#include "result_output.h"
#include "trammel/io/part_file.h"

namespace trammel::cli {

void check_page_name(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".html" || extension == ".htm") return;
  throw InputError(fmt::format("a page is written as NAME.html, not as '{}'", path));
}

void check_page_place(const std::string& path) {
  try {
    io::PartFile(path).discard();
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

io::PageReport write_page(const std::string& results, const std::string& path, const io::PageOptions& options) {
  try {
    const io::ResultFile file = io::ResultFile::open(results);
    check_other_file(results, path);
    check_page_place(path);
    return io::write_result_page(file, std::string(page_template()), path, options);
  } catch (const io::ResultFileError& error) {
    throw InputError(error.what());
  }
}

}  // namespace trammel::cli
