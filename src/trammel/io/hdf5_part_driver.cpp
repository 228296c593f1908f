#include "trammel/io/hdf5_part_driver.h"

#if H5_VERSION_GE(1, 13, 2)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

namespace trammel::io {

PendingWrites::Ranges::const_iterator PendingWrites::first_behind(haddr_t address) const {
  auto range = ranges_.upper_bound(address);
  if (range != ranges_.begin() && std::prev(range)->first + std::prev(range)->second.size() > address) --range;
  return range;
}

void PendingWrites::put(haddr_t address, const char* data, std::size_t size) {
  cut(address, size);
  ranges_[address].assign(data, size);
}

void PendingWrites::cut(haddr_t address, std::size_t size) {
  const haddr_t end = address + size;
  for (auto range = first_behind(address); range != ranges_.end() && range->first < end;) {
    const haddr_t begin = range->first;
    const std::string bytes = range->second;
    range = ranges_.erase(range);
    if (begin < address) ranges_[begin] = bytes.substr(0, address - begin);
    if (begin + bytes.size() > end) ranges_[end] = bytes.substr(end - begin);
  }
}

void PendingWrites::overlay(haddr_t address, char* data, std::size_t size) const {
  const haddr_t end = address + size;
  for (auto range = first_behind(address); range != ranges_.end() && range->first < end; ++range) {
    const haddr_t from = std::max(address, range->first);
    const haddr_t to = std::min<haddr_t>(end, range->first + range->second.size());
    std::memcpy(data + (from - address), range->second.data() + (from - range->first), to - from);
  }
}

namespace {

/// What HDF5 holds of an open file; it looks at the first member, and we at the others.
struct DriverFile {
  H5FD_t common{};
  PartFile* part = nullptr;
  PendingWrites pending;
  haddr_t end_of_space = 0;  ///< as HDF5 has allocated it
  haddr_t end_of_file = 0;   ///< up to where there has been something
  haddr_t committed = 0;     ///< end of the space at the last commit
};

DriverFile& own(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& own(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

void commit(DriverFile& file) {
  if (file.pending.ranges().empty()) return;
  file.part->reserve(file.end_of_space);
  const auto write_if = [&](const auto& is_turn) {
    for (const auto& [address, bytes] : file.pending.ranges()) {
      if (is_turn(address)) file.part->write_at(address, bytes.data(), bytes.size());
    }
  };
  write_if([&](haddr_t address) { return address >= file.committed; });
  write_if([&](haddr_t address) { return address < file.committed; });  // the end of the file stands at address 0
  file.pending.clear();
  file.committed = file.end_of_space;
  file.end_of_file = std::max(file.end_of_file, file.end_of_space);
}

extern "C" {

H5FD_t* trammel_part_open(const char*, unsigned, hid_t properties, haddr_t) {
  const void* info = H5Pget_driver_info(properties);
  if (!info) return nullptr;
  auto* file = new (std::nothrow) DriverFile;
  if (!file) return nullptr;
  file->part = *static_cast<PartFile* const*>(info);
  return &file->common;
}

herr_t trammel_part_close(H5FD_t* file) {
  commit(own(file));
  delete &own(file);
  return 0;
}

herr_t trammel_part_query(const H5FD_t*, unsigned long* flags) {
  if (flags) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t trammel_part_end_of_space(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_space; }

herr_t trammel_part_set_end_of_space(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  own(file).end_of_space = address;
  return 0;
}

haddr_t trammel_part_end_of_file(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_file; }

herr_t trammel_part_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  if (!own(file).part->read_at(address, buffer, size)) return -1;
  own(file).pending.overlay(address, static_cast<char*>(buffer), size);
  return 0;
}

herr_t trammel_part_write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  DriverFile& f = own(file);
  if (type == H5FD_MEM_DRAW) {
    f.pending.cut(address, size);
    f.part->write_at(address, buffer, size);
  } else {
    f.pending.put(address, static_cast<const char*>(buffer), size);
  }
  f.end_of_file = std::max<haddr_t>(f.end_of_file, address + size);
  return 0;
}

herr_t trammel_part_flush(H5FD_t* file, hid_t, hbool_t) {
  commit(own(file));
  return 0;
}

herr_t trammel_part_truncate(H5FD_t* file, hid_t, hbool_t is_closing) {
  DriverFile& f = own(file);
  f.end_of_file = f.end_of_space;
  // Before that, a longer file does no harm, and a shorter one is made longer by the commit.
  if (is_closing) f.part->resize(f.end_of_space);
  return 0;
}

}  // extern "C"

hid_t register_driver() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // the first that is free for drivers of one program
#endif
  driver.name = "trammel_part";
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(void*);
  driver.open = trammel_part_open;
  driver.close = trammel_part_close;
  driver.query = trammel_part_query;
  driver.get_eoa = trammel_part_end_of_space;
  driver.set_eoa = trammel_part_set_end_of_space;
  driver.get_eof = trammel_part_end_of_file;
  driver.read = trammel_part_read;
  driver.write = trammel_part_write;
  driver.flush = trammel_part_flush;
  driver.truncate = trammel_part_truncate;
  constexpr H5FD_mem_t kKinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kKinds), std::end(kKinds), std::begin(driver.fl_map));
  return checked(H5FDregister(&driver));
}

}  // namespace

void use_part_driver(hid_t access_properties, PartFile& part) {
  static const hid_t driver = register_driver();
  PartFile* info = &part;
  checked(H5Pset_driver(access_properties, driver, &info));
}

}  // namespace trammel::io
