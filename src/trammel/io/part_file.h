#pragma once

// The file under which results stand until they are complete: "x.h5.part" beside "x.h5", renamed by commit(). So a
// half-written file never stands under the name that the user gave, an older file of that name stays as it was until
// then, and what a killed program computed is left under the temporary name (which the next run to that name clears).
// A path that is a symbolic link stays one: both files are beside what it points to.

#include <cstddef>
#include <string>

namespace trammel::io {

class PartFile {
 public:
  /// Creates the empty temporary file, and locks it against another run that would write the same. Throws
  /// std::runtime_error, with path and reason, when that is not possible or when the path cannot become a file.
  explicit PartFile(std::string path);
  /// Leaves the temporary file where it is, unless commit() or discard() was called.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }

  /// Appends all of the text, or throws std::runtime_error with the reason and cuts the file back to what it was.
  void append(const std::string& text);

  /// For files that are not written from front to end. The first failure is noted in write_error() and leaves the file
  /// as it is from then on: nothing after it is written, and nothing is thrown.
  void write_at(unsigned long long offset, const void* data, std::size_t size) noexcept;
  void resize(unsigned long long size) noexcept;
  /// Makes sure that the file system has room up to that size, where it can promise that.
  void reserve(unsigned long long size) noexcept;
  /// Reads back what was written; zeros behind the end. False on failure.
  bool read_at(unsigned long long offset, void* data, std::size_t size) noexcept;
  /// The reason of the first failure in words, or nothing.
  std::string write_error() const;

  /// Brings everything to the disk and gives the file its name; throws std::runtime_error with the reason.
  void commit();
  void discard();

 private:
  void close();

  std::string path_;
  std::string target_;  ///< behind symbolic links
  std::string temporary_;
  int descriptor_ = -1;
  long long size_ = 0;   ///< [bytes] appended
  int write_error_ = 0;  ///< of write_at(), resize() and reserve()
};

}  // namespace trammel::io
