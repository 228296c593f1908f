#include "trammel/model/expression/token.h"

#include <fmt/format.h>

#include <charconv>
#include <numbers>
#include <string_view>

#include "trammel/model/expression/expression_error.h"

namespace trammel::model::expression {
namespace {

// The classes of <cctype> follow the locale; those of the language do not.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_quote(char c) { return c == '\'' || c == '`'; }

/// The character at a position, 0 behind the end.
char at(const std::string& text, int position) {
  return position < static_cast<int>(text.size()) ? text[position] : '\0';
}

Token read_number(const std::string& text, int begin) {
  Token token{TokenKind::kNumber, {begin, begin}, 0.0, {}};
  const char* const first = text.data() + begin;
  const auto [last, error] = std::from_chars(first, text.data() + text.size(), token.number);
  token.place.end = begin + static_cast<int>(last - first);
  if (error != std::errc()) {
    throw ExpressionError("this number is too large or too small", text, begin, token.place.end - begin);
  }
  return token;
}

/// The end of the part of a name that begins here, and the part itself.
int read_quoted_part(const std::string& text, int begin, std::string& part) {
  const std::size_t close = text.find(text[begin], begin + 1);
  if (close == std::string::npos) throw ExpressionError("this quote is not closed", text, begin, 1);
  const int end = static_cast<int>(close) + 1;
  part = text.substr(begin + 1, end - begin - 2);
  if (part.empty()) throw ExpressionError("there is no name between the quotes", text, begin, 2);
  return end;
}

int read_plain_part(const std::string& text, int begin, Hyphens hyphens, std::string& part) {
  const auto belongs = [&](int i) { return is_letter(at(text, i)) || is_digit(at(text, i)); };
  int end = begin;
  while (belongs(end) ||
         (hyphens == Hyphens::kArePartOfNames && end > begin && at(text, end) == '-' && belongs(end + 1))) {
    ++end;
  }
  part = text.substr(begin, end - begin);
  return end;
}

Token read_word(const std::string& text, int begin, Hyphens hyphens) {
  Token token{TokenKind::kName, {begin, begin}, 0.0, {}};
  bool quoted = false;
  for (int next = begin;;) {
    std::string part;
    const bool quote = is_quote(at(text, next));
    token.place.end = quote ? read_quoted_part(text, next, part) : read_plain_part(text, next, hyphens, part);
    token.name += part;
    quoted = quoted || quote;
    next = token.place.end;
    if (at(text, next) != '.') break;
    ++next;
    if (!is_letter(at(text, next)) && !is_quote(at(text, next))) {
      throw ExpressionError("a name must follow the dot", text, next - 1, 1);
    }
    token.name += '.';
  }
  if (quoted) return token;
  if (token.name == "or") token.kind = TokenKind::kOr;
  if (token.name == "and") token.kind = TokenKind::kAnd;
  if (token.name == "not") token.kind = TokenKind::kNot;
  if (token.name == "deg" || token.name == "rad") {
    token.kind = TokenKind::kUnit;
    token.number = token.name == "deg" ? std::numbers::pi / 180.0 : 1.0;
  }
  return token;
}

struct Sign {
  std::string_view text;
  TokenKind kind;
};

/// Longer ones first.
constexpr Sign kSigns[] = {
    {"||", TokenKind::kOr},    {"&&", TokenKind::kAnd},          {"<=", TokenKind::kLessEqual},
    {"==", TokenKind::kEqual}, {">=", TokenKind::kGreaterEqual}, {"!=", TokenKind::kNotEqual},
    {"**", TokenKind::kPower}, {"<", TokenKind::kLess},          {">", TokenKind::kGreater},
    {"!", TokenKind::kNot},    {"+", TokenKind::kPlus},          {"-", TokenKind::kMinus},
    {"*", TokenKind::kTimes},  {"/", TokenKind::kDivide},        {"^", TokenKind::kPower},
    {"(", TokenKind::kOpen},   {")", TokenKind::kClose},         {",", TokenKind::kComma},
};

/// What to write instead of a character that has no meaning.
std::string_view advice(char c) {
  switch (c) {
    case '=': return "; compare with '=='";
    case '&': return "; write '&&' or 'and'";
    case '|': return "; write '||' or 'or'";
    case '%': return "; write mod(x, y)";
    default: return "";
  }
}

[[noreturn]] void refuse_character(const std::string& text, int position) {
  int length = 1;
  while (length < 4 && is_continuation(at(text, position + length))) ++length;
  throw ExpressionError(
      fmt::format("'{}' has no meaning here{}", quotable(text.substr(position, length)), advice(text[position])), text,
      position, length);
}

}  // namespace

Token read_token(const std::string& text, int position, Hyphens hyphens) {
  const int size = static_cast<int>(text.size());
  while (position < size && is_space(text[position])) ++position;
  if (position == size) return {TokenKind::kEnd, {size, size}, 0.0, {}};
  const char c = text[position];
  if (is_digit(c) || (c == '.' && is_digit(at(text, position + 1)))) return read_number(text, position);
  if (is_letter(c) || is_quote(c)) return read_word(text, position, hyphens);
  for (const Sign& sign : kSigns) {
    if (text.compare(position, sign.text.size(), sign.text) == 0) {
      return {sign.kind, {position, position + static_cast<int>(sign.text.size())}, 0.0, {}};
    }
  }
  refuse_character(text, position);
}

std::string quotable(const std::string& bytes) {
  constexpr int kLongest = 60;
  std::string shown;
  for (const char c : bytes) {
    if (std::ssize(shown) >= kLongest && !is_continuation(c)) return shown + "...";
    const auto code = static_cast<unsigned char>(c);
    if (is_space(c)) {
      shown += ' ';
    } else if (code < 0x20U || code == 0x7FU) {
      shown += fmt::format("\\x{:02x}", code);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace trammel::model::expression
