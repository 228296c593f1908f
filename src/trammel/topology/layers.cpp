#include "trammel/topology/layers.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace trammel::topology {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<bool> find_cut_edges(const Graph& graph, const SpanningTree& tree) {
  std::vector<bool> is_cut(graph.edges.size(), false);
  auto cut = tree.cut_joints.begin();
  for (std::size_t e = 0; e < graph.edges.size() && cut != tree.cut_joints.end(); ++e) {
    if (*cut != graph.edges[e].joint) continue;
    is_cut[e] = true;
    ++cut;
  }
  return is_cut;
}

int find_cut_layer(const Edge& edge, const SpanningTree& tree) {
  return 1 + std::max(tree.depth[at(edge.a)], tree.depth[at(edge.b)]);
}

class LayerMaker {
 public:
  LayerMaker(const Graph& graph, const SpanningTree& tree) : graph_(graph), tree_(tree) {}

  Layers make() {
    for (int frame = 0; frame < graph_.frames; ++frame) {
      layers_.items.push_back({LayerItemKind::kFrame, frame, tree_.depth[at(frame)], {}, {}});
    }
    for (int frame = 1; frame < graph_.frames; ++frame) join(tree_.parent[at(frame)], frame);
    // What hangs on a frame is added when the frame comes in the order, a cut joint with the second of its two.
    std::vector<std::vector<int>> cut_at(at(graph_.frames));
    const std::vector<bool> is_cut = find_cut_edges(graph_, tree_);
    for (int e = 0; e < static_cast<int>(graph_.edges.size()); ++e) {
      if (!is_cut[at(e)]) continue;
      cut_at[at(graph_.edges[at(e)].a)].push_back(e);
      cut_at[at(graph_.edges[at(e)].b)].push_back(e);
    }
    last_.assign(graph_.edges.size(), -1);
    for (const int frame : tree_.order) {
      place(frame);
      for (const int edge : cut_at[at(frame)]) add_end(frame, edge);
    }
    return std::move(layers_);
  }

 private:
  void join(int before, int behind) {
    layers_.items[at(before)].behind.push_back(behind);
    layers_.items[at(behind)].before.push_back(before);
  }

  void place(int item) {
    const std::size_t layer = at(layers_.items[at(item)].layer);
    if (layers_.order.size() <= layer) layers_.order.resize(layer + 1);
    layers_.order[layer].push_back(item);
  }

  int add(LayerItemKind kind, int edge, int layer) {
    layers_.items.push_back({kind, edge, layer, {}, {}});
    const int item = static_cast<int>(layers_.items.size()) - 1;
    place(item);
    return item;
  }

  /// The line from a frame to the cut joint, or as far as the layer before it when the other frame is still to come.
  void add_end(int frame, int edge) {
    const int layer = find_cut_layer(graph_.edges[at(edge)], tree_);
    int from = frame;
    for (int k = tree_.depth[at(frame)] + 1; k < layer; ++k) {
      const int bend = add(LayerItemKind::kBend, edge, k);
      join(from, bend);
      from = bend;
    }
    if (last_[at(edge)] < 0) {
      last_[at(edge)] = from;
      return;
    }
    const int joint = add(LayerItemKind::kCutJoint, edge, layer);
    join(last_[at(edge)], joint);
    join(from, joint);
  }

  const Graph& graph_;
  const SpanningTree& tree_;
  Layers layers_;
  std::vector<int> last_;  // of each cut edge the last item of the line from its first frame
};

constexpr int kOrderSweeps = 24;
constexpr std::size_t kLargestSifted = 200;  // items of a layer; the work grows with the square

using Order = std::vector<std::vector<int>>;

std::vector<int> find_ranks(const Layers& layers) {
  std::vector<int> rank(layers.items.size());
  for (const std::vector<int>& layer : layers.order) {
    for (std::size_t k = 0; k < layer.size(); ++k) rank[at(layer[k])] = static_cast<int>(k);
  }
  return rank;
}

/// Sorts by the mean rank of the neighbours on one side. What has none stays about where it is.
/// `turns_ties` reverses the order of those with the same mean, which leads to other orders than the first one.
void sort_layer(const Layers& layers, std::vector<int>& layer, std::vector<int>& rank, bool by_before,
                bool turns_ties) {
  std::vector<std::pair<double, int>> keys;
  keys.reserve(layer.size());
  for (const int item : layer) {
    const std::vector<int>& beside = by_before ? layers.items[at(item)].before : layers.items[at(item)].behind;
    double sum = 0;
    for (const int other : beside) sum += rank[at(other)];
    keys.emplace_back(beside.empty() ? rank[at(item)] : sum / static_cast<double>(beside.size()), item);
  }
  if (turns_ties) std::reverse(keys.begin(), keys.end());
  std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < keys.size(); ++k) {
    layer[k] = keys[k].second;
    rank[at(layer[k])] = static_cast<int>(k);
  }
}

/// Crossings of the lines of two neighbours in a layer, the first standing before the second.
long count_between(const std::vector<int>& first, const std::vector<int>& second, const std::vector<int>& rank) {
  long crossings = 0;
  for (const int a : first) {
    for (const int b : second) crossings += rank[at(a)] > rank[at(b)] ? 1 : 0;
  }
  return crossings;
}

/// Moves every item to the place of its layer where its lines cross the fewest others.
bool sift(Layers& layers, std::vector<int>& rank) {
  bool is_better = false;
  for (std::vector<int>& layer : layers.order) {
    if (layer.size() > kLargestSifted) continue;
    const std::vector<int> items = layer;
    for (const int index : items) {
      const LayerItem& item = layers.items[at(index)];
      // Crossings gained by going past each neighbour in turn, to the one side and to the other.
      const auto gain = [&](int other, bool is_passed_behind) {
        const LayerItem& beside = layers.items[at(other)];
        const LayerItem &first = is_passed_behind ? item : beside, &second = is_passed_behind ? beside : item;
        return count_between(second.before, first.before, rank) + count_between(second.behind, first.behind, rank) -
               count_between(first.before, second.before, rank) - count_between(first.behind, second.behind, rank);
      };
      const int start = rank[at(index)], count = static_cast<int>(layer.size());
      long least = 0, sum = 0;
      int best = start;
      for (int k = start + 1; k < count; ++k) {
        sum += gain(layer[at(k)], true);
        if (sum < least) std::tie(least, best) = std::pair(sum, k);
      }
      sum = 0;
      for (int k = start - 1; k >= 0; --k) {
        sum += gain(layer[at(k)], false);
        if (sum < least) std::tie(least, best) = std::pair(sum, k);
      }
      if (best == start) continue;
      is_better = true;
      layer.erase(layer.begin() + start);
      layer.insert(layer.begin() + best, index);
      for (int k = std::min(start, best); k <= std::max(start, best); ++k) rank[at(layer[at(k)])] = k;
    }
  }
  return is_better;
}

/// The places nearest to the wanted ones, by least squares with weights, that keep the order and the gaps: without the
/// gaps this is a regression by values that do not fall, found by joining neighbours that would.
void place_layer(const std::vector<int>& layer, const std::vector<Extent>& extents, const std::vector<double>& wanted,
                 const std::vector<double>& weights, std::vector<double>& places) {
  struct Group {
    double sum, weight;
    std::size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Group> groups;
  std::vector<double> shift(layer.size(), 0);
  for (std::size_t k = 0; k < layer.size(); ++k) {
    if (k > 0) shift[k] = shift[k - 1] + extents[at(layer[k - 1])].behind + extents[at(layer[k])].before;
    groups.push_back({weights[k] * (wanted[k] - shift[k]), weights[k], 1});
    while (groups.size() > 1 && groups[groups.size() - 2].mean() > groups.back().mean()) {
      const Group last = groups.back();
      groups.pop_back();
      groups.back() = {groups.back().sum + last.sum, groups.back().weight + last.weight,
                       groups.back().count + last.count};
    }
  }
  std::size_t k = 0;
  for (const Group& group : groups) {
    for (std::size_t n = 0; n < group.count; ++n, ++k) places[at(layer[k])] = group.mean() + shift[k];
  }
}

constexpr int kPlaceSweeps = 12;
constexpr double kBendWeight = 4;      // bends stand out more than lines that are not parallel
constexpr double kLooseWeight = 1e-3;  // of items without a neighbour on the side that is looked at

void place_by_neighbours(const Layers& layers, std::size_t layer, bool with_before, bool with_behind,
                         const std::vector<Extent>& extents, std::vector<double>& places) {
  const std::vector<int>& order = layers.order[layer];
  std::vector<double> wanted, weights;
  for (const int index : order) {
    const LayerItem& item = layers.items[at(index)];
    double sum = 0, weight = 0;
    const auto add = [&](const std::vector<int>& beside) {
      for (const int other : beside) {
        sum += places[at(other)];
        weight += 1;
      }
    };
    if (with_before) add(item.before);
    if (with_behind) add(item.behind);
    wanted.push_back(weight > 0 ? sum / weight : places[at(index)]);
    weights.push_back(weight > 0 ? (item.kind == LayerItemKind::kBend ? kBendWeight : 1) * weight : kLooseWeight);
  }
  place_layer(order, extents, wanted, weights, places);
}

}  // namespace

long count_layer_items(const Graph& graph, const SpanningTree& tree) {
  long count = graph.frames;
  const std::vector<bool> is_cut = find_cut_edges(graph, tree);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (!is_cut[e]) continue;
    const Edge& edge = graph.edges[e];
    const int layer = find_cut_layer(edge, tree);
    count += 1 + (layer - tree.depth[at(edge.a)] - 1) + (layer - tree.depth[at(edge.b)] - 1);
  }
  return count;
}

Layers make_layers(const Graph& graph, const SpanningTree& tree) {
  Layers layers = LayerMaker(graph, tree).make();
  Order best = layers.order;
  long fewest = count_crossings(layers);
  for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
    const bool by_before = sweep % 2 == 0;
    std::vector<int> rank = find_ranks(layers);
    const std::size_t count = layers.order.size();
    for (std::size_t k = 1; k < count; ++k) {
      sort_layer(layers, layers.order[by_before ? k : count - 1 - k], rank, by_before, sweep % 4 >= 2);
    }
    for (int round = 0; round < kOrderSweeps && sift(layers, rank); ++round) {
    }
    const long crossings = count_crossings(layers);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = layers.order;
  }
  layers.order = std::move(best);
  return layers;
}

long count_crossings(const Layers& layers) {
  const std::vector<int> rank = find_ranks(layers);
  long crossings = 0;
  for (std::size_t k = 0; k + 1 < layers.order.size(); ++k) {
    // Lines that end farther along than this one's, of those that begin before it: a tree of sums over the ends.
    std::vector<long> sums(layers.order[k + 1].size() + 1, 0);
    long lines = 0;
    for (const int item : layers.order[k]) {
      const std::vector<int>& ends = layers.items[at(item)].behind;
      for (const int end : ends) {
        crossings += lines;
        for (int n = rank[at(end)] + 1; n > 0; n -= n & -n) crossings -= sums[at(n)];
      }
      for (const int end : ends) {
        ++lines;
        for (int n = rank[at(end)] + 1; n < static_cast<int>(sums.size()); n += n & -n) ++sums[at(n)];
      }
    }
  }
  return crossings;
}

std::vector<double> place_across(const Layers& layers, const std::vector<Extent>& extents) {
  std::vector<double> places(layers.items.size(), 0);
  for (const std::vector<int>& layer : layers.order) {
    double end = 0;
    for (const int item : layer) {
      places[at(item)] = end + extents[at(item)].before;
      end = places[at(item)] + extents[at(item)].behind;
    }
  }
  const std::size_t count = layers.order.size();
  for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
    const bool is_last = sweep + 2 >= kPlaceSweeps;
    for (std::size_t k = count - 1; k-- > 0;) place_by_neighbours(layers, k, is_last, true, extents, places);
    for (std::size_t k = 1; k < count; ++k) place_by_neighbours(layers, k, true, is_last, extents, places);
  }
  double least = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < places.size(); ++k) least = std::min(least, places[k] - extents[k].before);
  for (double& place : places) place -= least;
  return places;
}

}  // namespace trammel::topology
