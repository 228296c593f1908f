#include "trammel/figures/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/figures/looks.h"
#include "trammel/figures/panel_drawing.h"

namespace trammel::figures {
namespace {

constexpr double kMargin = 10;         // [px] around everything
constexpr double kTitleHeight = 30;    // [px]
constexpr double kPanelGap = 12;       // [px]
constexpr double kLeastFrame = 30;     // [px] height of a frame in which ticks have room
constexpr double kLabelColumn = 20;    // [px] for the upright label of y
constexpr double kTicksAndSpace = 10;  // [px] between numbers and frame
constexpr double kLeastBeside = 12;    // [px] right of the frame, for half of the last number

/// Heights of frames that look well, by the number of panels.
double usual_frame_height(std::size_t panels) {
  switch (panels) {
    case 0:
    case 1: return 340;
    case 2: return 230;
    case 3: return 180;
    default: return 140;
  }
}

class FigureLayout {
 public:
  explicit FigureLayout(const Figure& figure) : figure_(figure) {
    check_size();
    plan_panels();
    place_rows();
    place_columns();
    // With equal scales limits depend on the frame, and the frame on the numbers beside it: once more is enough.
    if (equalize_all()) {
      place_columns();
      equalize_all();
    }
    for (PanelPlan& plan : plans_) set_ticks(plan);
  }

  DisplayList draw() const {
    DisplayList list;
    list.width = figure_.width;
    list.height = static_cast<int>(std::lround(height_));
    list.title = clean(describe());
    list.elements.push_back(Rectangle{{0, 0, double(list.width), double(list.height)}, kPaper});
    if (!figure_.title.empty()) draw_title(list);
    for (const PanelPlan& plan : plans_) draw_panel(plan, list);
    return list;
  }

 private:
  void check_size() const {
    const bool has_height = figure_.height != 0;
    if (figure_.width < kLeastWidth || figure_.width > kGreatestSize ||
        (has_height && (figure_.height < kLeastHeight || figure_.height > kGreatestSize))) {
      throw std::invalid_argument(fmt::format("a figure can be {} to {} px wide and {} to {} px high, not {} x {}",
                                              kLeastWidth, kGreatestSize, kLeastHeight, kGreatestSize, figure_.width,
                                              figure_.height));
    }
  }

  /// Long ones are written smaller before they are cut.
  void draw_title(DisplayList& list) const {
    const double left = plans_.empty() ? kMargin : plans_.front().frame.left;
    const double room = figure_.width - kMargin - left;
    const std::string title = clean(figure_.title);
    const double size = std::clamp(room / estimate_width(title, kBoldWidth), kText, kTitleText);
    list.elements.push_back(Text{
        {left, kMargin + kTitleText}, {{shorten(title, kBoldWidth * size, room)}}, size, Anchor::kStart, kInk, true});
  }

  std::string describe() const {
    if (!figure_.title.empty()) return figure_.title;
    std::vector<std::string> parts;
    for (const Panel& panel : figure_.panels) {
      const std::string& name = panel.title.empty() ? panel.y.label : panel.title;
      if (!name.empty()) parts.push_back(name);
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  /// What stands above and below the frames, which says how much height is left for them.
  void plan_panels() {
    const std::vector<PanelScales> scales = calc_scales(figure_);
    const auto count = static_cast<double>(figure_.panels.size());
    const double frame_width = figure_.width - 90;  // about; names that are wrapped by it need no more rows later
    const double frame_height =
        figure_.height == 0 ? usual_frame_height(figure_.panels.size()) : figure_.height / count - 60;
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
      const Panel& panel = figure_.panels[i];
      PanelPlan plan;
      plan.panel = &panel;
      plan.scales = scales[i];
      plan.title = clean(panel.title);
      plan.y_label = clean(panel.y.label);
      // A label that is longer than the axis is read more easily as a title.
      if (plan.title.empty() && estimate_width(plan.y_label, kText) > frame_height + kLabelOverhang) {
        std::swap(plan.title, plan.y_label);
      }
      plan.remark = clean(fmt::format("{}", fmt::join(list_notes(panel, scales[i].not_positive), "; ")));
      plan.has_x_labels = !figure_.shares_x || i + 1 == figure_.panels.size();
      plan.legend = plan_legend(panel, figure_.width, frame_width, frame_height);
      plan.x_ticks = calc_ticks(plan.scales.x, 5);
      plan.y_ticks = calc_ticks(plan.scales.y, 5);
      plan.has_rim = !plan.y_ticks.factor.empty() ||
                     std::any_of(panel.marks.begin(), panel.marks.end(), [&](const VerticalMark& mark) {
                       return !mark.label.empty() && plan.scales.x.contains(mark.x);
                     });
      plans_.push_back(std::move(plan));
    }
  }

  void place_rows() {
    const double head = kMargin + (figure_.title.empty() ? 0 : kTitleHeight);
    double taken = head + kMargin;
    for (const PanelPlan& plan : plans_) taken += plan.header_height() + plan.footer_height();
    if (!plans_.empty()) taken += kPanelGap * static_cast<double>(plans_.size() - 1);
    const double count = std::max<double>(1, static_cast<double>(plans_.size()));
    const double frame_height =
        figure_.height == 0 ? usual_frame_height(plans_.size()) : std::floor((figure_.height - taken) / count);
    height_ = figure_.height == 0 ? taken + count * frame_height : figure_.height;
    if (frame_height < kLeastFrame || height_ > kGreatestSize) {
      throw std::invalid_argument(fmt::format("{} panels need a height of {:.0f} px or more, and {} at most",
                                              plans_.size(), std::ceil(taken + count * kLeastFrame), kGreatestSize));
    }
    double top = head;
    for (PanelPlan& plan : plans_) {
      plan.top = top;
      plan.frame.top = std::floor(top + plan.header_height()) + 0.5;
      plan.frame.bottom = plan.frame.top + frame_height;
      top = plan.frame.bottom + plan.footer_height() + kPanelGap;
    }
  }

  /// All frames begin and end at the same x.
  void place_columns() {
    double numbers = 0, label = 0, beside = kLeastBeside;
    for (PanelPlan& plan : plans_) {
      plan.y_ticks = fit_ticks_in_column(plan.scales.y, plan.frame.height());
      numbers = std::max(numbers, widest_label(plan.y_ticks));
      if (!plan.y_label.empty()) label = kLabelColumn;
      beside = std::max(beside, plan.legend.width);
    }
    for (PanelPlan& plan : plans_) {
      plan.frame.left = std::floor(kMargin + label + numbers + kTicksAndSpace) + 0.5;
      plan.frame.right = std::floor(figure_.width - kMargin - beside) + 0.5;
      plan.y_label_place = kMargin + kText;
    }
  }

  bool equalize_all() {
    bool is_changed = false;
    for (PanelPlan& plan : plans_) {
      if (!plan.panel->has_equal_scales) continue;
      equalize(plan.scales, plan.frame.width(), plan.frame.height());
      is_changed = true;
    }
    return is_changed;
  }

  /// Where there is nothing to show, numbers would say what nobody has given.
  void set_ticks(PanelPlan& plan) const {
    const Panel& panel = *plan.panel;
    plan.x_ticks = plan.y_ticks = {};
    if (plan.scales.has_values || panel.x.limits || figure_.shares_x) {
      plan.x_ticks = fit_ticks_in_row(plan.scales.x, plan.frame.width());
    }
    if (plan.scales.has_values || panel.y.limits) {
      plan.y_ticks = fit_ticks_in_column(plan.scales.y, plan.frame.height());
    }
  }

  const Figure& figure_;
  std::vector<PanelPlan> plans_;
  double height_ = 0;
};

}  // namespace

DisplayList lay_out(const Figure& figure) {
  check(figure);
  return FigureLayout(figure).draw();
}

}  // namespace trammel::figures
