#pragma once

// Text with raised parts, which is all that labels need: 10 to the power of -3.

#include <string>
#include <string_view>
#include <vector>

namespace trammel::figures {

struct TextRun {
  std::string text;
  bool is_raised = false;
};

using RichText = std::vector<TextRun>;

/// As one line of plain text: raised digits where Unicode is allowed, otherwise behind a '^' and with 'x' for '×'.
std::string to_plain(const RichText& text, bool is_unicode);

/// Clean text with ASCII letters only: "m/s^2" for "m/s²", and '?' for what has no such spelling.
std::string to_ascii(const std::string& text);

/// With the typographic minus for the '-' of numbers.
RichText with_minus_signs(RichText text);

/// What can be given to any program that draws text: control characters become spaces, bytes that are no UTF-8 become
/// the sign for that.
std::string clean(std::string_view text);

/// The letters of clean UTF-8 text, one string each.
std::vector<std::string> split_letters(std::string_view text);

/// Length of a line [px] at a size of letters [px]. It is an estimate for an upright font of usual width, rather too
/// large than too small: which font a viewer has is not known.
double estimate_width(std::string_view text, double size);
double estimate_width(const RichText& text, double size);

/// The text, or as much of its beginning and end as fits into a length [px], around an ellipsis.
std::string shorten(const std::string& text, double size, double width);

inline constexpr double kRaisedSize = 0.72;  ///< of the size of the text
inline constexpr double kRise = 0.4;         ///< of the size of the text

}  // namespace trammel::figures
