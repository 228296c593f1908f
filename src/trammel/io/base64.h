#pragma once

// Bytes as text: base64 with the standard alphabet, padded, without line breaks (RFC 4648).

#include <cstddef>
#include <span>
#include <string>

namespace trammel::io {

/// Encodes a stream of bytes that comes in pieces.
class Base64Encoder {
 public:
  /// Appends to `text` what can be told so far; up to two bytes wait for the next piece.
  void append(std::span<const std::byte> bytes, std::string& text);
  /// Appends the rest.
  void finish(std::string& text);

 private:
  unsigned waiting_ = 0;
  int count_ = 0;
};

std::string to_base64(std::span<const std::byte> bytes);

/// Numbers as they lie in memory, which is little endian on every machine that Trammel runs on.
template <class Number>
std::string numbers_to_base64(std::span<const Number> numbers) {
  return to_base64(std::as_bytes(numbers));
}

}  // namespace trammel::io
