#include "trammel/io/base64.h"

#include <bit>

namespace trammel::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers in pages and scenes are little endian");

constexpr const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char letter(unsigned group, int shift) { return kAlphabet[(group >> static_cast<unsigned>(shift)) & 63U]; }

}  // namespace

void Base64Encoder::append(std::span<const std::byte> bytes, std::string& text) {
  text.reserve(text.size() + bytes.size() / 3 * 4 + 4);
  for (const std::byte byte : bytes) {
    waiting_ = waiting_ << 8U | std::to_integer<unsigned>(byte);
    if (++count_ < 3) continue;
    for (const int shift : {18, 12, 6, 0}) text += letter(waiting_, shift);
    waiting_ = 0;
    count_ = 0;
  }
}

void Base64Encoder::finish(std::string& text) {
  if (count_ == 1) {
    text += letter(waiting_ << 16U, 18);
    text += letter(waiting_ << 16U, 12);
    text += "==";
  } else if (count_ == 2) {
    for (const int shift : {18, 12, 6}) text += letter(waiting_ << 8U, shift);
    text += '=';
  }
  waiting_ = 0;
  count_ = 0;
}

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  Base64Encoder encoder;
  encoder.append(bytes, text);
  encoder.finish(text);
  return text;
}

}  // namespace trammel::io
