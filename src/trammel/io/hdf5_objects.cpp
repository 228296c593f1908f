#include "trammel/io/hdf5_objects.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace trammel::io {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Takes the innermost description, which stands first.
herr_t keep_first(unsigned, const H5E_error2_t* entry, void* text) {
  std::string& first = *static_cast<std::string*>(text);
  if (first.empty() && entry->desc) first = entry->desc;
  return 0;
}

Hdf5Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

/// Texts of a fixed size, without the zeros that fill them up.
std::vector<std::string> split_texts(const std::string& padded, std::size_t size) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < padded.size(); begin += size) {
    const std::string text = padded.substr(begin, size);
    texts.push_back(text.substr(0, text.find_last_not_of('\0') + 1));
  }
  return texts;
}

std::size_t text_size(hid_t type) {
  if (checked(H5Tget_class(type)) != H5T_STRING || checked(H5Tis_variable_str(type)) > 0) {
    throw std::runtime_error("a text in it is of another type");
  }
  return H5Tget_size(type);
}

/// Number of values of a dataset or attribute.
std::size_t value_count(hid_t space) { return static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space))); }

/// Room for so many texts, which is refused where a damaged file asks for more than anybody has written.
std::string room_for_texts(std::size_t count, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 32;
  if (size == 0 || count > kMost / size) throw std::runtime_error("the texts in it have an absurd size");
  return std::string(count * size, '\0');
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

void throw_hdf5_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  constexpr std::string_view kSystem = "error message = '";
  if (const std::size_t begin = text.find(kSystem); begin != std::string::npos) {
    const std::size_t first = begin + kSystem.size();
    text = text.substr(first, text.find('\'', first) - first);
  }
  throw std::runtime_error(text.empty() ? "HDF5 failed without a reason" : text);
}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::reset() noexcept {
  const bool went_well = id_ < 0 || close_(id_) >= 0;
  id_ = -1;
  return went_well;
}

Hdf5Handle string_type(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  checked(H5Tset_size(type.id(), std::max<std::size_t>(size, 1)));
  checked(H5Tset_strpad(type.id(), H5T_STR_NULLPAD));
  checked(H5Tset_cset(type.id(), H5T_CSET_UTF8));
  return type;
}

std::string pad_texts(const std::vector<std::string>& texts, std::size_t size) {
  std::string padded;
  for (const std::string& text : texts) {
    padded += text.substr(0, size);
    padded.append(size - std::min(size, text.size()), '\0');
  }
  return padded;
}

void write_text_attribute(hid_t object, const std::string& name, const std::string& value) {
  const Hdf5Handle type = string_type(value.size());
  const Hdf5Handle space = scalar_space();
  const Hdf5Handle attribute(H5Acreate2(object, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  checked(H5Awrite(attribute.id(), type.id(), value.c_str()));
}

void write_number_attribute(hid_t object, const std::string& name, double value) {
  const Hdf5Handle space = scalar_space();
  const Hdf5Handle attribute(H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  checked(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value));
}

void write_text(hid_t parent, const std::string& name, const std::string& value) {
  const Hdf5Handle type = string_type(value.size());
  const Hdf5Handle space = scalar_space();
  const Hdf5Handle dataset(
      H5Dcreate2(parent, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  checked(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
}

void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& values) {
  std::size_t size = 1;
  for (const std::string& value : values) size = std::max(size, value.size());
  const Hdf5Handle type = string_type(size);
  const hsize_t n = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Hdf5Handle dataset(
      H5Dcreate2(parent, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const std::string padded = pad_texts(values, size);
  if (n > 0) checked(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()));
}

bool has_attribute(hid_t object, const std::string& name) { return checked(H5Aexists(object, name.c_str())) > 0; }

bool has_link(hid_t parent, const std::string& name) {
  return checked(H5Lexists(parent, name.c_str(), H5P_DEFAULT)) > 0;
}

std::vector<std::string> attribute_names(hid_t object) {
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* names) -> herr_t {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  hsize_t start = 0;
  checked(H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &start, add, &names));
  return names;
}

std::vector<std::string> link_names(hid_t group) {
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* names) -> herr_t {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  hsize_t start = 0;
  checked(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &start, add, &names));
  return names;
}

Hdf5Handle open_group(hid_t parent, const std::string& name) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose};
}

Hdf5Handle open_dataset(hid_t parent, const std::string& name) {
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose};
}

std::vector<hsize_t> extents(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> sizes{0, 1};
  const int dimensions = checked(H5Sget_simple_extent_ndims(space.id()));
  if (dimensions < 1 || dimensions > 2) throw std::runtime_error("a table in it has a wrong shape");
  checked(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr));
  return sizes;
}

std::string read_text_attribute(hid_t object, const std::string& name) {
  const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Handle stored(H5Aget_type(attribute.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  if (value_count(space.id()) != 1) throw std::runtime_error("a text in it is a list");
  const std::size_t size = text_size(stored.id());
  const Hdf5Handle type = string_type(size);
  std::string padded = room_for_texts(1, size);
  checked(H5Aread(attribute.id(), type.id(), padded.data()));
  return split_texts(padded, size).front();
}

double read_number_attribute(hid_t object, const std::string& name) {
  const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  if (value_count(space.id()) != 1) throw std::runtime_error("a number in it is a list");
  double value = 0;
  checked(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value));
  return value;
}

std::string read_text(hid_t parent, const std::string& name) {
  const std::vector<std::string> texts = read_texts(parent, name);
  if (texts.size() != 1) throw std::runtime_error("'" + name + "' in it is not one text");
  return texts.front();
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const Hdf5Handle dataset = open_dataset(parent, name);
  const Hdf5Handle stored(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const std::size_t size = text_size(stored.id());
  std::string padded = room_for_texts(value_count(space.id()), size);
  if (padded.empty()) return {};
  const Hdf5Handle type = string_type(size);
  checked(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()));
  return split_texts(padded, size);
}

}  // namespace trammel::io
