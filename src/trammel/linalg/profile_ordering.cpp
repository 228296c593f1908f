#include "trammel/linalg/profile_ordering.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trammel::linalg {
namespace {

/// Distances of the nodes of one connected part from a node.
struct Levels {
  int root = -1;
  int depth = 0;           ///< of the farthest nodes
  int width = 0;           ///< nodes of the widest level
  std::vector<int> nodes;  ///< level by level
  std::vector<int> level;  ///< of each node of the graph; -1 where it was not reached
};

class LevelNumbering {
 public:
  LevelNumbering(const Graph& graph, bool by_front)
      : graph_(graph),
        by_front_(by_front),
        level_(graph.size(), -1),
        number_(graph.size(), -1),
        is_in_front_(graph.size()) {}

  std::vector<int> calc_order() {
    std::vector<bool> is_done(graph_.size());
    for (int node = 0; node < graph_.size(); ++node) {
      if (is_done[node]) continue;
      order_part(node);
      for (std::size_t k = done_; k < order_.size(); ++k) is_done[order_[k]] = true;
      done_ = order_.size();
    }
    return std::move(order_);
  }

 private:
  /// Breadth-first walk over the part of `root`.
  void walk(int root, Levels& out) const {
    if (out.level.empty()) out.level.assign(graph_.size(), -1);
    for (const int node : out.nodes) out.level[node] = -1;
    out.root = root;
    out.width = 0;
    out.nodes.assign(1, root);
    out.level[root] = 0;
    std::size_t first = 0;  // of the last level
    for (std::size_t next = 0; next < out.nodes.size();) {
      first = next;
      const std::size_t end = out.nodes.size();
      out.width = std::max(out.width, static_cast<int>(end - next));
      for (; next < end; ++next) {
        const int node = out.nodes[next];
        for (const int* other = graph_.begin(node); other != graph_.end(node); ++other) {
          if (out.level[*other] >= 0) continue;
          out.level[*other] = out.level[node] + 1;
          out.nodes.push_back(*other);
        }
      }
    }
    out.depth = out.level[out.nodes[first]];
  }

  bool comes_first(int a, int b) const { return std::pair(graph_.degree(a), a) < std::pair(graph_.degree(b), b); }

  /// Two nodes at the ends of a long shortest path, with the levels from both.
  void find_pseudo_diameter(int start) {
    walk(start, from_u_);
    walk(*std::min_element(from_u_.nodes.begin(), from_u_.nodes.end(), [&](int a, int b) { return comes_first(a, b); }),
         from_v_);
    for (bool is_longer = true; is_longer;) {
      is_longer = false;
      std::vector<int> last;
      for (const int node : from_v_.nodes) {
        if (from_v_.level[node] == from_v_.depth) last.push_back(node);
      }
      std::sort(last.begin(), last.end(), [&](int a, int b) { return comes_first(a, b); });
      // One node of each degree is tried: those of equal degree rarely differ, and there may be many.
      int degree = -1, narrowest = -1;
      for (const int node : last) {
        if (graph_.degree(node) == degree) continue;
        degree = graph_.degree(node);
        walk(node, trial_);
        if (trial_.depth > from_v_.depth) {
          std::swap(from_v_, trial_);
          is_longer = true;
          break;
        }
        if (narrowest < 0 || trial_.width < narrowest) {
          narrowest = trial_.width;
          std::swap(from_u_, trial_);
        }
      }
    }
  }

  /// level_ of the nodes of the part, counted from v.
  void combine_levels() {
    const int depth = from_v_.depth;
    sizes_.assign(depth + 1, 0);
    std::vector<int> open;
    for (const int node : from_v_.nodes) {
      level_[node] = -1;
      if (from_v_.level[node] + from_u_.level[node] == depth) {
        level_[node] = from_v_.level[node];
        ++sizes_[level_[node]];
      } else {
        open.push_back(node);
      }
    }
    std::vector<std::vector<int>> parts = find_parts(open);
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const std::vector<int>& part : parts) {
      const auto widest = [&](const auto& level_of) {
        std::vector<int> added(sizes_.size(), 0);
        for (const int node : part) ++added[level_of(node)];
        int width = 0;
        for (std::size_t l = 0; l < added.size(); ++l) {
          if (added[l] > 0) width = std::max(width, sizes_[l] + added[l]);
        }
        return width;
      };
      const auto by_v = [&](int node) { return from_v_.level[node]; };
      const auto by_u = [&](int node) { return depth - from_u_.level[node]; };
      const int width_v = widest(by_v), width_u = widest(by_u);
      const bool takes_v = width_v != width_u ? width_v < width_u : from_v_.width <= from_u_.width;
      for (const int node : part) ++sizes_[level_[node] = takes_v ? by_v(node) : by_u(node)];
    }
  }

  /// Connected parts among the nodes whose level is open.
  std::vector<std::vector<int>> find_parts(const std::vector<int>& open) {
    std::vector<std::vector<int>> parts;
    constexpr int kOpen = -1, kSeen = -2;
    for (const int start : open) {
      if (level_[start] != kOpen) continue;
      std::vector<int>& part = parts.emplace_back(1, start);
      level_[start] = kSeen;
      for (std::size_t k = 0; k < part.size(); ++k) {
        for (const int* other = graph_.begin(part[k]); other != graph_.end(part[k]); ++other) {
          if (level_[*other] != kOpen) continue;
          level_[*other] = kSeen;
          part.push_back(*other);
        }
      }
    }
    return parts;
  }

  void order_part(int start) {
    if (graph_.degree(start) == 0) {
      number(start);
      return;
    }
    find_pseudo_diameter(start);
    combine_levels();
    // From the end of lower degree.
    if (graph_.degree(from_u_.root) < graph_.degree(from_v_.root)) {
      for (const int node : from_v_.nodes) level_[node] = from_v_.depth - level_[node];
      std::swap(from_u_.root, from_v_.root);
    }
    std::vector<std::vector<int>> members(from_v_.depth + 1);
    for (const int node : from_v_.nodes) members[level_[node]].push_back(node);
    for (std::vector<int>& level : members) {
      std::sort(level.begin(), level.end(), [&](int a, int b) { return comes_first(a, b); });
      if (by_front_) {
        number_by_front(level);
      } else {
        number_by_neighbours(level);
      }
    }
  }

  void number(int node) {
    number_[node] = static_cast<int>(order_.size());
    order_.push_back(node);
  }

  /// Those of the level beside the lowest number, first of the level before, then of this one.
  void number_by_neighbours(const std::vector<int>& level) {
    const int l = level_[level.front()];
    const std::size_t end = order_.size() + level.size();
    const std::size_t begin = order_.size();
    std::size_t next = l == 0 ? begin : begin_of_last_;
    std::size_t smallest = 0;  // candidates in order of degree
    if (l == 0) number(from_v_.root);
    std::vector<int> beside;
    while (order_.size() < end) {
      if (next == order_.size()) {  // nothing numbered has neighbours left here
        while (number_[level[smallest]] >= 0) ++smallest;
        number(level[smallest]);
        continue;
      }
      const int node = order_[next++];
      beside.clear();
      for (const int* other = graph_.begin(node); other != graph_.end(node); ++other) {
        if (number_[*other] < 0 && level_[*other] == l) beside.push_back(*other);
      }
      std::sort(beside.begin(), beside.end(), [&](int a, int b) { return comes_first(a, b); });
      for (const int other : beside) number(other);
    }
    begin_of_last_ = begin;
  }

  /// The one that brings the fewest nodes into the front; among those the one that came into it first.
  void number_by_front(std::vector<int> level) {
    const bool is_first = level_[level.front()] == 0;
    for (std::size_t left = level.size(); left > 0; --left) {
      std::size_t best = 0;
      long best_growth = -1;
      for (std::size_t k = 0; k < left; ++k) {
        const int node = level[k];
        long growth = is_in_front_[node] ? 0 : 1;
        for (const int* other = graph_.begin(node); other != graph_.end(node); ++other) {
          if (number_[*other] < 0 && !is_in_front_[*other]) ++growth;
        }
        // A node outside of the front only when there is no other; at the very beginning the end of the path.
        if (is_first && order_.size() == done_)
          growth = node == from_v_.root ? 0 : 1;
        else if (!is_in_front_[node])
          growth += graph_.size();
        if (best_growth < 0 || growth < best_growth) {
          best = k;
          best_growth = growth;
        }
      }
      const int node = level[best];
      level.erase(level.begin() + static_cast<std::ptrdiff_t>(best));
      number(node);
      is_in_front_[node] = true;
      for (const int* other = graph_.begin(node); other != graph_.end(node); ++other) is_in_front_[*other] = true;
    }
  }

  const Graph& graph_;
  bool by_front_;
  Levels from_v_, from_u_, trial_;
  std::vector<int> level_, number_, sizes_;
  std::vector<bool> is_in_front_;
  std::vector<int> order_;
  std::size_t done_ = 0;           // of the order, in parts before this one
  std::size_t begin_of_last_ = 0;  // of the level before, in the order
};

}  // namespace

std::vector<int> calc_gibbs_poole_stockmeyer_order(const Graph& graph) {
  return LevelNumbering(graph, false).calc_order();
}

std::vector<int> calc_gibbs_king_order(const Graph& graph) { return LevelNumbering(graph, true).calc_order(); }

double calc_skyline_work(const Graph& graph, std::span<const int> sizes, const std::vector<int>& permutation) {
  const std::vector<int> place = calc_inverse(permutation);
  std::vector<int> begin(permutation.size());
  int rows = 0;
  double work = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const int node = permutation[i];
    begin[i] = rows;
    int first = static_cast<int>(i);
    for (const int* other = graph.begin(node); other != graph.end(node); ++other)
      first = std::min(first, place[*other]);
    for (int r = 0; r < sizes[node]; ++r, ++rows) {
      const double beta = rows - begin[first];
      work += 0.5 * beta * (beta + 3);
    }
  }
  return work;
}

ChosenOrdering choose_profile_ordering(const Graph& graph, std::span<const int> sizes) {
  ChosenOrdering best;
  const auto consider = [&](const char* name, std::vector<int> permutation) {
    for (int way = 0; way < 2; ++way) {
      const double work = calc_skyline_work(graph, sizes, permutation);
      if (best.permutation.empty() || work < best.work) best = {name, permutation, work};
      std::reverse(permutation.begin(), permutation.end());
    }
  };
  std::vector<int> natural(graph.size());
  std::iota(natural.begin(), natural.end(), 0);
  consider("natural", std::move(natural));
  consider("reverse Cuthill-McKee", calc_reverse_cuthill_mckee_order(graph));
  consider("Gibbs-Poole-Stockmeyer", calc_gibbs_poole_stockmeyer_order(graph));
  consider("Gibbs-King", calc_gibbs_king_order(graph));
  return best;
}

}  // namespace trammel::linalg
