#include "trammel/model/expression/expression_error.h"

#include <algorithm>
#include <iterator>

#include "trammel/model/expression/token.h"

namespace trammel::model::expression {
namespace {

constexpr int kMostBefore = 60, kMostBehind = 50;  ///< characters shown on either side of the place

/// How many characters some UTF-8 text takes on a terminal.
int calc_columns(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string show(const std::string& message, const std::string& text, int position, int length) {
  const auto is_break = [](char c) { return c == '\n' || c == '\r'; };
  const auto place = text.begin() + position;
  auto first = std::find_if(std::make_reverse_iterator(place), text.rend(), is_break).base();
  auto last = std::find_if(place, text.end(), is_break);
  const bool cut_before = place - first > kMostBefore;
  if (cut_before) first = place - kMostBefore;
  const bool cut_behind = last - place > kMostBehind;
  if (cut_behind) last = place + kMostBehind;
  while (cut_before && first < place && is_continuation(*first)) ++first;
  while (cut_behind && last > place && is_continuation(*last)) --last;

  std::string before(first, place), behind(place, last);
  for (std::string* part : {&before, &behind})
    for (char& c : *part)
      if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) c = c == '\t' ? ' ' : '?';
  if (cut_before) before.insert(0, "...");
  const int underlined = std::max(1, calc_columns(behind.substr(0, length)));
  if (cut_behind) behind += "...";
  return message + "\n  " + before + behind + "\n  " + std::string(calc_columns(before), ' ') + '^' +
         std::string(underlined - 1, '~');
}

int clip(int x, std::size_t size) { return std::clamp(x, 0, static_cast<int>(size)); }

}  // namespace

ExpressionError::ExpressionError(const std::string& message, const std::string& text, int position, int length)
    : std::runtime_error(show(message, text, clip(position, text.size()), std::max(length, 0))),
      message_(message),
      position_(clip(position, text.size())),
      length_(clip(length, text.size() - position_)) {}

}  // namespace trammel::model::expression
