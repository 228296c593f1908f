// The graph of a mechanism as a picture: layers of bodies from the ground on, by the depth in the tree.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "mechanism_graph.h"
#include "trammel/figures/display_list.h"
#include "trammel/figures/looks.h"
#include "trammel/topology/layers.h"

namespace trammel::cli {
namespace {

using figures::Box;
using figures::Colour;
using figures::Place;
using figures::Polyline;
using topology::Extent;
using topology::LayerItem;
using topology::LayerItemKind;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Sizes in px.
constexpr double kMargin = 20;
constexpr double kLine = 14;       // from line to line of small text
constexpr double kBoxHeight = 26;  // of a body
constexpr double kPadding = 10;    // beside a name in its box
constexpr double kBetween = 14;    // across, between neighbours of a layer
constexpr double kBend = 44;       // along, where lines lead from place to place
constexpr double kStraight = 12;   // the same from a single item to a single item
constexpr double kStub = 10;       // of a line before and behind what is written at it
constexpr double kLongestText = 260;
constexpr double kWide = 1700;       // what is longer is drawn downwards
constexpr double kGreatest = 30000;  // what browsers and converters still show
constexpr long kMostItems = 4000;
constexpr std::size_t kMostNotes = 30;

constexpr Colour kCut = 0xC24E00;
constexpr Colour kRemark = 0x0062A3;
constexpr Colour kBody = 0xEEF3F8;
constexpr Colour kBodyFrame = 0x55718C;

/// What is written at an item: a name, and lines in smaller letters.
struct Label {
  std::vector<std::string> lines;
  std::size_t first_remark = 2;
  double width = 0;
  double height() const { return kLine * static_cast<double>(lines.size()); }
};

std::string fit(const std::string& text, double size) {
  return figures::shorten(figures::clean(text), size, kLongestText);
}

class Drawing {
 public:
  explicit Drawing(const MechanismGraph& mechanism) : m_(mechanism) {
    layers_ = topology::make_layers(m_.graph, m_.tree);
    make_labels();
    lies_ = true;
    measure();
    if (along_.back() > kWide) {
      lies_ = false;
      measure();
    }
  }

  std::string take() {
    add_heading();
    const std::vector<Extent> extents = find_extents();
    across_ = topology::place_across(layers_, extents);
    double across = 0;
    for (std::size_t k = 0; k < across_.size(); ++k) across = std::max(across, across_[k] + extents[k].behind);
    const double right = lies_ ? along_.back() : across, bottom = lies_ ? across : along_.back();
    top_ += kLine;
    for (const LayerItem& item : layers_.items) add_lines(item);
    for (std::size_t k = 0; k < layers_.items.size(); ++k) add_item(k);
    add_footer(top_ + bottom + 1.5 * kLine);
    width_ = std::max(width_, kMargin + right);
    if (width_ + kMargin > kGreatest || height_ > kGreatest) throw_too_large(m_);
    list_.width = static_cast<int>(std::ceil(width_ + kMargin));
    list_.height = static_cast<int>(std::ceil(height_ + kMargin));
    list_.title = m_.model->name;
    return figures::to_svg(list_);
  }

  [[noreturn]] static void throw_too_large(const MechanismGraph& mechanism) {
    throw InputError(
        fmt::format("the graph is too large for a picture ({}); as text for Graphviz, FILE.dot, it may be "
                    "of any size",
                    mechanism.summary()));
  }

 private:
  void make_labels() {
    labels_.resize(layers_.items.size());
    box_widths_.assign(layers_.items.size(), 0);
    const std::vector<int> edges = find_edges_of_joints(m_);
    for (std::size_t k = 0; k < layers_.items.size(); ++k) {
      const LayerItem& item = layers_.items[k];
      if (item.kind == LayerItemKind::kBend) continue;
      if (item.kind == LayerItemKind::kFrame) {
        box_widths_[k] =
            2 * kPadding + figures::estimate_width(fit(m_.frame_name(item.index), figures::kText), figures::kText);
        if (item.index == 0) continue;
      }
      const int edge = item.kind == LayerItemKind::kCutJoint ? item.index : edge_above(item.index, edges);
      Label& label = labels_[k];
      if (edge < 0) {
        label.lines = {"floats", m_.model->is_planar() ? "3 coordinates" : "6 coordinates"};
      } else {
        const topology::Edge& of = m_.graph.edges[at(edge)];
        label.lines = {m_.joint(of.joint).name, m_.describe(of)};
        const std::vector<std::string>& remarks = m_.remarks[at(of.joint)];
        label.lines.insert(label.lines.end(), remarks.begin(), remarks.end());
      }
      for (std::string& line : label.lines) {
        line = fit(line, figures::kSmallText);
        label.width = std::max(label.width, figures::estimate_width(line, figures::kSmallText));
      }
    }
  }

  int edge_above(int frame, const std::vector<int>& edges) const {
    const int joint = m_.tree.joint[at(frame)];
    return joint < 0 ? -1 : edges[at(joint)];
  }

  /// Along the layers: each begins with bends, then come what is written at the lines and the bodies.
  void measure() {
    const std::size_t count = layers_.order.size();
    std::vector<double> labels(count, 0), bodies(count, 0), cuts(count, 0);
    for (std::size_t k = 0; k < layers_.items.size(); ++k) {
      const LayerItem& item = layers_.items[k];
      const std::size_t layer = at(item.layer);
      if (item.kind == LayerItemKind::kCutJoint) {
        cuts[layer] = std::max(cuts[layer], lies_ ? cut_width(k) : cut_height(k));
      } else if (item.kind == LayerItemKind::kFrame) {
        if (item.index > 0) {
          labels[layer] = std::max(labels[layer], (lies_ ? labels_[k].width : labels_[k].height()) + 2 * kStub);
        }
        bodies[layer] = std::max(bodies[layer], lies_ ? box_widths_[k] : kBoxHeight);
      }
    }
    along_.assign(1, 0);
    body_along_.clear();
    for (std::size_t layer = 0; layer < count; ++layer) {
      const double begin = along_.back() + bend_before(layer);
      body_along_.push_back(begin + labels[layer]);
      along_.push_back(begin + std::max(labels[layer] + bodies[layer], cuts[layer]));
    }
  }

  double bend_before(std::size_t layer) const {
    if (layer == 0) return 0;
    return layers_.order[layer - 1].size() == 1 && layers_.order[layer].size() == 1 ? kStraight : kBend;
  }
  double begin_of_layer(std::size_t layer) const { return along_[layer] + bend_before(layer); }

  double cut_width(std::size_t k) const { return labels_[k].width + 2 * kPadding; }
  double cut_height(std::size_t k) const { return labels_[k].height() + kPadding; }

  std::vector<Extent> find_extents() const {
    std::vector<Extent> extents(layers_.items.size());
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const LayerItem& item = layers_.items[k];
      double before = 0, behind = 0;
      if (item.kind == LayerItemKind::kCutJoint) {
        before = behind = (lies_ ? cut_height(k) : cut_width(k)) / 2;
      } else if (item.kind == LayerItemKind::kFrame) {
        before = behind = (lies_ ? kBoxHeight : box_widths_[k]) / 2;
        if (lies_) {
          before = std::max(before, item.index > 0 ? kLine + 3 : 0);
          behind = std::max(behind, labels_[k].height() - kLine + 3);
        } else {
          behind = std::max(behind, kStub + labels_[k].width);
        }
      }
      extents[k] = {before + kBetween / 2, behind + kBetween / 2};
    }
    return extents;
  }

  Place place(double along, double across) const {
    return lies_ ? Place{kMargin + along, top_ + across} : Place{kMargin + across, top_ + along};
  }

  /// Where lines leave an item, and where they come to it.
  double end_of(std::size_t k) const {
    const LayerItem& item = layers_.items[k];
    if (item.kind == LayerItemKind::kFrame) {
      return body_along_[at(item.layer)] + (lies_ ? box_widths_[k] : kBoxHeight);
    }
    return along_[at(item.layer) + 1];
  }
  double begin_of(std::size_t k) const {
    const LayerItem& item = layers_.items[k];
    return item.kind == LayerItemKind::kFrame ? body_along_[at(item.layer)] : begin_of_layer(at(item.layer));
  }

  /// From an item straight to the end of its layer, round to the place of the next one, and straight to that.
  void add_lines(const LayerItem& item) {
    const std::size_t from = static_cast<std::size_t>(&item - layers_.items.data());
    for (const int index : item.behind) {
      const std::size_t to = at(index);
      const LayerItem& next = layers_.items[to];
      Polyline line{{place(end_of(from), across_[from])}};
      const double begin = along_[at(item.layer) + 1], end = begin_of_layer(at(item.layer) + 1);
      constexpr int kPieces = 16;
      for (int n = 0; n <= kPieces; ++n) {
        const double s = static_cast<double>(n) / kPieces, rise = s * s * (3 - 2 * s);
        line.places.push_back(place(begin + s * (end - begin), across_[from] + rise * (across_[to] - across_[from])));
      }
      line.places.push_back(place(next.kind == LayerItemKind::kBend ? end_of(to) : begin_of(to), across_[to]));
      line.width = 1.6;
      if (next.kind != LayerItemKind::kFrame) {
        line.colour = kCut;
        line.dashes = figures::Dashes::kShort;
      } else if (m_.tree.joint[at(next.index)] < 0) {
        line.colour = figures::kFaint;
        line.width = 1;
        line.dashes = figures::Dashes::kLong;
      }
      list_.elements.push_back(std::move(line));
    }
  }

  void add_item(std::size_t k) {
    const LayerItem& item = layers_.items[k];
    if (item.kind == LayerItemKind::kBend) return;
    if (item.kind == LayerItemKind::kCutJoint) {
      add_cut_joint(k);
      return;
    }
    const double along = begin_of(k);
    const Place corner =
        lies_ ? place(along, across_[k] - kBoxHeight / 2) : place(along, across_[k] - box_widths_[k] / 2);
    const bool is_ground = item.index == 0;
    list_.elements.push_back(figures::Rectangle{{corner.x, corner.y, corner.x + box_widths_[k], corner.y + kBoxHeight},
                                                is_ground ? figures::kInk : kBody,
                                                is_ground ? figures::kInk : kBodyFrame});
    add_text({corner.x + box_widths_[k] / 2, corner.y + kBoxHeight / 2 + figures::kMiddle * figures::kText},
             fit(m_.frame_name(item.index), figures::kText), figures::kText, figures::Anchor::kMiddle,
             is_ground ? figures::kPaper : figures::kInk);
    if (is_ground) return;
    // The name of the joint above its line and the rest below it; beside a line that leads downwards.
    const Label& label = labels_[k];
    const Place beside = lies_ ? place(begin_of_layer(at(item.layer)) + kStub, across_[k] - 4)
                               : place(body_along_[at(item.layer)] - label.height() - kStub + 11, across_[k] + kStub);
    add_label(label, beside, lies_ ? 3 : 0, figures::Anchor::kStart);
  }

  void add_cut_joint(std::size_t k) {
    const double width = cut_width(k), height = cut_height(k);
    const Place corner = place(begin_of(k), across_[k] - (lies_ ? height : width) / 2);
    const Box box{corner.x, corner.y, corner.x + width, corner.y + height};
    list_.elements.push_back(figures::Rectangle{box, figures::kPaper});
    list_.elements.push_back(Polyline{{{box.left, box.top},
                                       {box.right, box.top},
                                       {box.right, box.bottom},
                                       {box.left, box.bottom},
                                       {box.left, box.top}},
                                      kCut,
                                      1,
                                      figures::Dashes::kShort});
    add_label(labels_[k], {(box.left + box.right) / 2, box.top + kPadding / 2 + 11}, 0, figures::Anchor::kMiddle);
  }

  /// With a gap behind the first line.
  void add_label(const Label& label, Place place, double gap, figures::Anchor anchor) {
    for (std::size_t n = 0; n < label.lines.size(); ++n) {
      const Colour colour = n == 0 ? figures::kInk : n < label.first_remark ? figures::kFaint : kRemark;
      add_text({place.x, place.y + kLine * static_cast<double>(n) + (n > 0 ? gap : 0)}, label.lines[n],
               n == 0 ? figures::kSmallText : figures::kTinyText, anchor, colour);
    }
  }

  void add_text(Place place, const std::string& text, double size, figures::Anchor anchor, Colour colour,
                bool is_bold = false) {
    list_.elements.push_back(figures::Text{place, {{text}}, size, anchor, colour, is_bold});
  }

  /// A line of text that begins at the left edge.
  void add_line(double y, const std::string& text, double size, Colour colour, bool is_bold = false) {
    const std::string clean = figures::clean(text);
    const double length = figures::estimate_width(clean, size) * (is_bold ? figures::kBoldWidth : 1);
    width_ = std::max(width_, kMargin + length);
    add_text({kMargin, y}, clean, size, figures::Anchor::kStart, colour, is_bold);
  }

  void add_heading() {
    add_line(kMargin + 14, fit(m_.model->name, figures::kTitleText), figures::kTitleText, figures::kInk, true);
    add_line(kMargin + 34, m_.summary(), figures::kSmallText, figures::kFaint);
    top_ = kMargin + 44;
  }

  void add_footer(double y) {
    std::vector<std::string> lines{"Every body shows the joint of the tree that it hangs on."};
    if (m_.floating > 0) lines.push_back("Grey broken lines lead to bodies that float.");
    if (!m_.tree.cut_joints.empty()) lines.push_back("Orange broken lines lead to cut joints, which stay constraints.");
    const std::size_t legend = lines.size();
    const std::size_t shown = std::min(m_.notes.size(), kMostNotes);
    lines.insert(lines.end(), m_.notes.begin(), m_.notes.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < m_.notes.size())
      lines.push_back(fmt::format("and {} more couplings and motions", m_.notes.size() - shown));
    for (std::size_t k = 0; k < lines.size(); ++k) {
      add_line(y, lines[k], figures::kTinyText, k < legend ? figures::kFaint : kRemark);
      y += kLine;
    }
    height_ = y - kLine;
  }

  const MechanismGraph& m_;
  topology::Layers layers_;
  std::vector<Label> labels_;
  std::vector<double> box_widths_;
  bool lies_ = true;                // layers stand beside each other, not below
  std::vector<double> along_;       // where each layer begins, and the last one ends
  std::vector<double> body_along_;  // where the bodies of each layer begin
  std::vector<double> across_;      // of each item
  figures::DisplayList list_;
  double top_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::string to_svg(const MechanismGraph& mechanism) {
  if (topology::count_layer_items(mechanism.graph, mechanism.tree) > kMostItems) Drawing::throw_too_large(mechanism);
  return Drawing(mechanism).take();
}

}  // namespace trammel::cli
