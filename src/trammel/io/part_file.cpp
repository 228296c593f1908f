#include "trammel/io/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace trammel::io {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* reason) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path, reason));
}

/// Whether another process holds the lock. Where the file system knows no locks, nobody does.
bool is_locked_by_another(int descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  // A lock of the open file, not of the process, and not flock(), with which HDF5 would get in its own way.
  return fcntl(descriptor, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
}

/// What a chain of symbolic links ends at, which need not exist.
std::string follow_links(const std::string& path) {
  constexpr int kLongestChain = 40;  // as the kernel has it
  std::filesystem::path at = path;
  std::error_code error;
  for (int k = 0; k < kLongestChain && std::filesystem::is_symlink(at, error); ++k) {
    const std::filesystem::path next = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / next;  // an absolute path replaces what is in front of it
  }
  return at.string();
}

}  // namespace

PartFile::PartFile(std::string path)
    : path_(std::move(path)), target_(follow_links(path_)), temporary_(target_ + ".part") {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) refuse(path_, "it is a folder");
  if (access(path_.c_str(), F_OK) == 0 && access(path_.c_str(), W_OK) != 0) refuse(path_, std::strerror(errno));
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(path_, std::strerror(errno));
  if (is_locked_by_another(descriptor_)) {
    close();
    refuse(path_, "another run is writing it");
  }
  if (ftruncate(descriptor_, 0) != 0) {
    const int reason = errno;
    close();
    refuse(path_, std::strerror(reason));
  }
}

PartFile::~PartFile() { close(); }

void PartFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void PartFile::append(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = pwrite(descriptor_, text.data() + done, text.size() - done,
                             static_cast<off_t>(size_) + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const std::string reason = n < 0 ? std::strerror(errno) : "nothing could be written";
      [[maybe_unused]] const int cut = ftruncate(descriptor_, size_);  // so that no line is left half
      throw std::runtime_error(reason);
    }
    done += static_cast<std::size_t>(n);
  }
  size_ += static_cast<long long>(text.size());
}

void PartFile::write_at(unsigned long long offset, const void* data, std::size_t size) noexcept {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0 && write_error_ == 0) {
    const ssize_t n = pwrite(descriptor_, bytes, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      write_error_ = n < 0 ? errno : EIO;
      return;
    }
    bytes += n;
    offset += static_cast<unsigned long long>(n);
    size -= static_cast<std::size_t>(n);
  }
}

void PartFile::resize(unsigned long long size) noexcept {
  if (write_error_ == 0 && ftruncate(descriptor_, static_cast<off_t>(size)) != 0) write_error_ = errno;
}

void PartFile::reserve(unsigned long long size) noexcept {
  if (write_error_ != 0) return;
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(size));
  // Only what says "there is no room"; a file system that cannot reserve is left to fail later.
  if (error == ENOSPC || error == EFBIG || error == EDQUOT || error == EIO) write_error_ = error;
}

bool PartFile::read_at(unsigned long long offset, void* data, std::size_t size) noexcept {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = pread(descriptor_, bytes, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) {
      std::memset(bytes, 0, size);
      return true;
    }
    bytes += n;
    offset += static_cast<unsigned long long>(n);
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string PartFile::write_error() const { return write_error_ == 0 ? "" : std::strerror(write_error_); }

void PartFile::commit() {
  // A file system that cannot do this (a pipe, some network mounts) says EINVAL, which is no loss of data.
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) throw std::runtime_error(std::strerror(errno));
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw std::runtime_error(fmt::format("cannot rename '{}': {}", temporary_, std::strerror(errno)));
  }
  close();
}

void PartFile::discard() {
  std::remove(temporary_.c_str());
  close();
}

}  // namespace trammel::io
