#include "trammel/figures/rich_text.h"

#include <array>
#include <map>

namespace trammel::figures {
namespace {

// Hundredths of the size of the letters, from ' ' to '~': measured on DejaVu Sans, the widest of the usual fonts.
constexpr std::array<int, 95> kWidths{32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                      64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                      58, 78, 75, 30, 30, 66, 56, 86, 75, 79, 60, 79, 70, 64,  61, 73, 68, 99, 69,
                                      61, 69, 39, 34, 39, 84, 50, 50, 61, 64, 55, 64, 62, 35,  64, 63, 28, 28, 58,
                                      28, 97, 63, 61, 64, 64, 41, 52, 39, 63, 59, 82, 59, 59,  53, 64, 34, 64, 84};
constexpr int kOtherWidth = 70;

constexpr const char* kNoLetter = "\xEF\xBF\xBD";  // U+FFFD
constexpr const char* kEllipsis = "…";

/// Number of bytes of the letter at the front of the text, or 0 when there is none. What XML does not allow, U+FFFE and
/// U+FFFF and halves of pairs, is no letter either.
std::size_t letter_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  unsigned code = lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  const bool is_long_form = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_half = code >= 0xD800 && code < 0xE000;
  return is_long_form || is_half || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF ? 0 : size;
}

/// Control characters of both ranges; those of the second are two bytes.
bool is_control(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter[0]);
  if (letter.size() == 1) return first < 0x20 || first == 0x7F;
  return letter.size() == 2 && first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

std::string raise(const std::string& text) {
  static const std::map<char, const char*> kRaised{{'-', "⁻"}, {'0', "⁰"}, {'1', "¹"}, {'2', "²"},
                                                   {'3', "³"}, {'4', "⁴"}, {'5', "⁵"}, {'6', "⁶"},
                                                   {'7', "⁷"}, {'8', "⁸"}, {'9', "⁹"}};
  std::string raised;
  for (const char c : text) {
    const auto found = kRaised.find(c);
    raised += found == kRaised.end() ? std::string(1, c) : found->second;
  }
  return raised;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

std::string to_plain(const RichText& text, bool is_unicode) {
  std::string plain;
  for (const TextRun& run : text) {
    if (!run.is_raised) {
      plain += is_unicode ? run.text : to_ascii(run.text);
    } else {
      plain += is_unicode ? raise(run.text) : "^" + run.text;
    }
  }
  return plain;
}

std::string to_ascii(const std::string& text) {
  static const std::map<std::string, const char*> kSpellings{{"×", "x"},   {"·", "*"}, {"²", "^2"}, {"³", "^3"},
                                                             {"°", "deg"}, {"−", "-"}, {"…", "..."}};
  std::string ascii;
  for (const std::string& letter : split_letters(text)) {
    const auto found = kSpellings.find(letter);
    ascii += letter.size() == 1 ? letter : found == kSpellings.end() ? "?" : found->second;
  }
  return ascii;
}

RichText with_minus_signs(RichText text) {
  for (TextRun& run : text) run.text = replace_all(run.text, "-", "−");
  return text;
}

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = letter_size(text);
    if (size == 0) {
      result += kNoLetter;
    } else if (is_control(text.substr(0, size))) {
      result += ' ';
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::vector<std::string> split_letters(std::string_view text) {
  std::vector<std::string> letters;
  while (!text.empty()) {
    const std::size_t size = letter_size(text) == 0 ? 1 : letter_size(text);
    letters.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return letters;
}

double estimate_width(std::string_view text, double size) {
  int width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte <= '~') {
      width += kWidths[byte - ' '];
    } else if ((byte & 0xC0u) != 0x80u) {  // the first byte of a letter
      width += kOtherWidth;
    }
  }
  return size * width / 100;
}

double estimate_width(const RichText& text, double size) {
  double width = 0;
  for (const TextRun& run : text) width += estimate_width(run.text, run.is_raised ? kRaisedSize * size : size);
  return width;
}

std::string shorten(const std::string& text, double size, double width) {
  if (estimate_width(text, size) <= width) return text;
  const std::vector<std::string> letters = split_letters(text);
  // Names differ mostly at their ends ("crank.x", "crank.y"), so that more is kept there.
  for (std::size_t kept = letters.size() - 1; kept > 0; --kept) {
    const std::size_t at_front = kept * 2 / 5;
    std::string shorter;
    for (std::size_t i = 0; i < at_front; ++i) shorter += letters[i];
    shorter += kEllipsis;
    for (std::size_t i = letters.size() - (kept - at_front); i < letters.size(); ++i) shorter += letters[i];
    if (estimate_width(shorter, size) <= width) return shorter;
  }
  return kEllipsis;
}

}  // namespace trammel::figures
