#include "trammel/figures/legend.h"

#include <algorithm>

#include "trammel/figures/looks.h"

namespace trammel::figures {
namespace {

constexpr double kSample = 22;     // [px] length of the sample of a line
constexpr double kGap = 6;         // [px] between sample and name
constexpr double kDistance = 14;   // [px] from the frame, and between columns
constexpr double kRowHeight = 17;  // [px]

void draw_entry(const LegendEntry& entry, const Place& place, DisplayList& list) {
  const double middle = place.y + kRowHeight / 2;
  if (entry.series->style != SeriesStyle::kMarks) {
    list.elements.push_back(Polyline{{{place.x, middle}, {place.x + kSample, middle}},
                                     entry.look.colour,
                                     kLineWidth,
                                     find_dashes(*entry.series, entry.look)});
  }
  if (entry.series->style != SeriesStyle::kLine) {
    list.elements.push_back(Mark{
        {place.x + kSample / 2, middle}, entry.look.shape, entry.look.colour, kMarkRadius, entry.look.is_second_round});
  }
  list.elements.push_back(Text{{place.x + kSample + kGap, middle + kMiddle * kSmallText}, {{entry.name}}, kSmallText});
}

}  // namespace

Legend plan_legend(const Panel& panel, double figure_width, double frame_width, double frame_height) {
  constexpr double kShareBeside = 0.3;
  Legend legend;
  if (!panel.has_legend) return legend;
  double longest = 0;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const Series& series = panel.series[i];
    if (series.name.empty()) continue;
    legend.entries.push_back({clean(series.name), &series, find_look(series, i)});
    longest = std::max(longest, estimate_width(legend.entries.back().name, kSmallText));
  }
  if (legend.entries.empty()) return legend;
  const double width = kSample + kGap + longest;
  const auto count = static_cast<int>(legend.entries.size());
  legend.is_beside = kDistance + width <= kShareBeside * figure_width && count * kRowHeight <= frame_height;
  if (legend.is_beside) {
    legend.width = kDistance + width;
    return legend;
  }
  legend.column_width = std::min(width + kDistance, frame_width);
  legend.columns = std::clamp(static_cast<int>(frame_width / legend.column_width), 1, count);
  const int rows = (count + legend.columns - 1) / legend.columns;
  legend.height = kRowHeight * rows + kGap;
  const double room = legend.column_width - kSample - kGap;
  for (LegendEntry& entry : legend.entries) entry.name = shorten(entry.name, kSmallText, room);
  return legend;
}

void draw_legend(const Legend& legend, const Box& frame, double top, DisplayList& list) {
  for (std::size_t i = 0; i < legend.entries.size(); ++i) {
    const int place = static_cast<int>(i);
    const int column = place % legend.columns, row = place / legend.columns;
    if (legend.is_beside) {
      draw_entry(legend.entries[i], {frame.right + kDistance, frame.top + kRowHeight * place}, list);
    } else {
      draw_entry(legend.entries[i], {frame.left + legend.column_width * column, top + kRowHeight * row}, list);
    }
  }
}

}  // namespace trammel::figures
