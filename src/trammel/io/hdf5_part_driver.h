#pragma once

// The way by which HDF5 writes a part file (a "virtual file driver"), so that neither a full disk nor a killed program
// spoils what was written before:
//
// - HDF5 1.10 crashes while it closes a file whose last blocks it could not write. After the first failure this driver
//   drops all further writes and tells HDF5 that all is well; the caller asks PartFile::write_error() after each
//   H5Fflush.
// - What HDF5 writes of its directories (metadata) is held back until H5Fflush. Then room for all of it is reserved, so
//   that either all of it fits or none is written, and it is written in a burst: first what is new, then where the
//   file ends, then the changes of what was there, by ascending address. As a tree of chunks lies above what it points
//   to (its root was made first), each state in between is one that can be read.

#include <map>
#include <string>

#include "trammel/io/hdf5_objects.h"
#include "trammel/io/part_file.h"

namespace trammel::io {

/// Writes that are held back: ranges of bytes that do not overlap.
class PendingWrites {
 public:
  using Ranges = std::map<haddr_t, std::string>;  ///< by address

  void put(haddr_t address, const char* data, std::size_t size);
  /// Forgets what lies in a range, which something else has been written to.
  void cut(haddr_t address, std::size_t size);
  /// Copies what lies in a range over `data`, which was read from the file.
  void overlay(haddr_t address, char* data, std::size_t size) const;
  const Ranges& ranges() const { return ranges_; }
  void clear() { ranges_.clear(); }

 private:
  /// The first range that ends behind the address.
  Ranges::const_iterator first_behind(haddr_t address) const;

  Ranges ranges_;
};

/// Lets files that are created with these access properties be written to `part`, which must outlive them.
void use_part_driver(hid_t access_properties, PartFile& part);

}  // namespace trammel::io
