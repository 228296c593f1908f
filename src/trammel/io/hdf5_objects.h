#pragma once

// What result files need of HDF5, with errors as exceptions and handles that close themselves. Only for the sources of
// this folder: no header that users include may need <hdf5.h>.
//
// Every use stands under an Hdf5Session, which lets one thread at a time into the library (it may have been built
// without locks of its own) and silences its printing of errors, for its lifetime only: a program that uses HDF5
// itself keeps its own settings.

#include <hdf5.h>

#include <mutex>
#include <string>
#include <vector>

namespace trammel::io {

class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// Throws std::runtime_error with the reason that HDF5 gives for its last failure: that of the system ("No space left
/// on device") where there is one, otherwise its own words.
[[noreturn]] void throw_hdf5_error();

/// The result of a call, checked: HDF5 says "failed" with a negative value.
template <class Value>
Value checked(Value result) {
  if (result < 0) throw_hdf5_error();
  return result;
}

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  /// Throws std::runtime_error if the id says that its creation failed.
  Hdf5Handle(hid_t id, Close close) : id_(checked(id)), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes; false when that failed.
  bool reset() noexcept;

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Strings are in UTF-8 and of a fixed size, filled up with zeros: `size` bytes, at least one. (Those of variable size
/// lie in a "global heap" without checksums, and where that is damaged, HDF5 1.10 crashes or never returns.)
Hdf5Handle string_type(std::size_t size);
/// The texts one behind the other, each `size` bytes long; longer ones are cut.
std::string pad_texts(const std::vector<std::string>& texts, std::size_t size);

void write_text_attribute(hid_t object, const std::string& name, const std::string& value);
void write_number_attribute(hid_t object, const std::string& name, double value);
void write_text(hid_t parent, const std::string& name, const std::string& value);
void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& values);

bool has_attribute(hid_t object, const std::string& name);
bool has_link(hid_t parent, const std::string& name);
std::vector<std::string> attribute_names(hid_t object);
std::vector<std::string> link_names(hid_t group);
Hdf5Handle open_group(hid_t parent, const std::string& name);
Hdf5Handle open_dataset(hid_t parent, const std::string& name);
/// Rows and columns of a dataset of one or two dimensions; those of one dimension have one column.
std::vector<hsize_t> extents(hid_t dataset);

std::string read_text_attribute(hid_t object, const std::string& name);
double read_number_attribute(hid_t object, const std::string& name);
std::string read_text(hid_t parent, const std::string& name);
std::vector<std::string> read_texts(hid_t parent, const std::string& name);

}  // namespace trammel::io
