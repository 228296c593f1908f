#pragma once

// What is wrong with the text of an expression, and where.

#include <stdexcept>
#include <string>

namespace trammel::model::expression {

/// what() is the message, the line of the text that is meant, and carets under the place:
///
///     there is no name 'omga'; did you mean omega?
///       2*omga*t
///         ^~~~
///
/// Long lines are cut around the place.
class ExpressionError : public std::runtime_error {
 public:
  /// The place is given in bytes and clipped to the text; its end is a place too.
  ExpressionError(const std::string& message, const std::string& text, int position, int length);

  const std::string& message() const { return message_; }
  int position() const { return position_; }  ///< offset in the text, from 0
  int length() const { return length_; }      ///< at least 1, except at the end of the text

 private:
  std::string message_;
  int position_;
  int length_;
};

}  // namespace trammel::model::expression
