#pragma once

// The words of an expression.

#include <string>

namespace trammel::model::expression {

/// A piece of the text, in bytes.
struct Place {
  int begin = 0;
  int end = 0;
};

enum class TokenKind {
  kEnd,
  kNumber,
  kName,
  kUnit,  ///< deg or rad
  kOr,
  kAnd,
  kNot,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kPlus,
  kMinus,
  kTimes,
  kDivide,
  kPower,
  kOpen,
  kClose,
  kComma,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Place place;
  double number = 0.0;  ///< of a number; what a unit multiplies by
  std::string name;     ///< of a name or unit, without quotes
};

/// Whether an unquoted hyphen in the middle of a name belongs to it, as where only names can stand, or is a minus.
enum class Hyphens { kAreMinus, kArePartOfNames };

/// The token at or behind a position. Throws ExpressionError.
Token read_token(const std::string& text, int position, Hyphens hyphens = Hyphens::kAreMinus);

/// Whether a byte continues a character of several bytes (UTF-8).
inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Some bytes of a text as a message can show them: without control characters, and not too long.
std::string quotable(const std::string& bytes);

}  // namespace trammel::model::expression
