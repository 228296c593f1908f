#include "trammel/topology/spanning_tree.h"

#include <algorithm>
#include <queue>
#include <span>
#include <tuple>

#include "trammel/model/joint_types.h"
#include "trammel/topology/joint_motion.h"

namespace trammel::topology {
namespace {

using model::JointType;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Couplings tie coordinates of other joints together and no frames.
bool is_coupling(JointType type) {
  return type == JointType::kGear || type == JointType::kCoupler || type == JointType::kRackAndPinion;
}

/// Rows besides the basic constraints of the joint's type.
int count_extra_rows(JointType type) {
  switch (type) {
    case JointType::kScrew:
    case JointType::kConstantVelocity:
    case JointType::kPointOnCurve: return 1;
    case JointType::kRolling: return 3;
    default: return 0;
  }
}

/// The edges that may be in the tree, by frame.
class Neighbours {
 public:
  explicit Neighbours(const Graph& graph) : first_(at(graph.frames) + 1, 0) {
    const auto for_each_end = [&](auto&& use) {
      for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const Edge& edge = graph.edges[e];
        if (!edge.has_coordinates || edge.a == edge.b) continue;
        use(edge.a, static_cast<int>(e));
        use(edge.b, static_cast<int>(e));
      }
    };
    for_each_end([&](int frame, int) { ++first_[at(frame) + 1]; });
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    edges_.resize(at(first_.back()));
    std::vector<int> next(first_.begin(), first_.end() - 1);
    for_each_end([&](int frame, int edge) { edges_[at(next[at(frame)]++)] = edge; });
  }

  std::span<const int> of(int frame) const {
    return std::span(edges_).subspan(at(first_[at(frame)]), at(first_[at(frame) + 1] - first_[at(frame)]));
  }

 private:
  std::vector<int> first_, edges_;
};

constexpr int kNotReached = -1;

/// Grows a tree from a frame by the joint with the most rows that leads to a new frame; of several by the one that
/// leads to the least depth, then by the first (Prim's rule: the rows of the tree's joints are the most possible).
class TreeGrowth {
 public:
  explicit TreeGrowth(const Graph& graph) : graph_(graph), neighbours_(graph) {
    const std::size_t n = at(graph.frames);
    tree_.parent.assign(n, -1);
    tree_.joint.assign(n, -1);
    tree_.is_reversed.assign(n, false);
    tree_.depth.assign(n, kNotReached);
    is_in_tree_.assign(graph.edges.size(), false);
    edge_to_parent_.assign(n, -1);
  }

  bool is_reached(int frame) const { return tree_.depth[at(frame)] != kNotReached; }

  /// All frames that joints tie to this one, parents first.
  std::vector<int> grow(int root, int parent, int depth) {
    std::vector<int> reached;
    attach(root, parent, -1, depth);
    reached.push_back(root);
    while (!frontier_.empty()) {
      const Candidate best = frontier_.top();
      frontier_.pop();
      const Edge& edge = graph_.edges[at(best.edge)];
      const bool is_reversed = is_reached(edge.b);
      const int frame = is_reversed ? edge.a : edge.b;
      if (is_reached(frame)) continue;
      tree_.is_reversed[at(frame)] = is_reversed;
      attach(frame, is_reversed ? edge.b : edge.a, best.edge, best.depth);
      reached.push_back(frame);
    }
    return reached;
  }

  void forget(const std::vector<int>& frames) {
    for (const int frame : frames) {
      const int edge = edge_to_parent_[at(frame)];
      if (edge >= 0) is_in_tree_[at(edge)] = false;
      tree_.parent[at(frame)] = tree_.joint[at(frame)] = edge_to_parent_[at(frame)] = -1;
      tree_.is_reversed[at(frame)] = false;
      tree_.depth[at(frame)] = kNotReached;
    }
  }

  /// The middle of the longest path of the tree that was grown last.
  int find_centre(const std::vector<int>& frames) {
    height_.resize(at(graph_.frames));
    second_height_.resize(at(graph_.frames));
    highest_child_.resize(at(graph_.frames));
    for (const int frame : frames) height_[at(frame)] = second_height_[at(frame)] = 0;
    int top = frames.front(), longest = 0;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      const int height = height_[at(*frame)], length = height + second_height_[at(*frame)];
      if (length >= longest) std::tie(top, longest) = std::pair(*frame, length);
      if (*frame == frames.front()) break;
      const int parent = tree_.parent[at(*frame)];
      if (height + 1 >= height_[at(parent)]) {
        second_height_[at(parent)] = height_[at(parent)];
        height_[at(parent)] = height + 1;
        highest_child_[at(parent)] = *frame;
      } else {
        second_height_[at(parent)] = std::max(second_height_[at(parent)], height + 1);
      }
    }
    int centre = top;
    for (int steps = (height_[at(top)] - second_height_[at(top)]) / 2; steps > 0; --steps) {
      centre = highest_child_[at(centre)];
    }
    return centre;
  }

  SpanningTree take() {
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      if (!is_in_tree_[e]) tree_.cut_joints.push_back(graph_.edges[e].joint);
    }
    make_order();
    return std::move(tree_);
  }

 private:
  struct Candidate {
    int rows, depth, edge;

    bool operator<(const Candidate& other) const {
      return std::tuple(-rows, depth, edge) > std::tuple(-other.rows, other.depth, other.edge);
    }
  };

  void attach(int frame, int parent, int edge, int depth) {
    tree_.parent[at(frame)] = parent;
    tree_.depth[at(frame)] = depth;
    edge_to_parent_[at(frame)] = edge;
    if (edge >= 0) {
      tree_.joint[at(frame)] = graph_.edges[at(edge)].joint;
      is_in_tree_[at(edge)] = true;
    }
    for (const int next : neighbours_.of(frame)) {
      const Edge& to = graph_.edges[at(next)];
      if (!is_reached(to.a == frame ? to.b : to.a)) frontier_.push({to.rows, depth + 1, next});
    }
  }

  /// Children in the order of the model, each followed by what hangs on it. Chains of many thousands of bodies are
  /// usual: a stack of our own instead of recursion.
  void make_order() {
    const std::size_t n = at(graph_.frames);
    std::vector<int> first_child(n, -1), next_sibling(n, -1), stack{0};
    for (int frame = graph_.frames - 1; frame > 0; --frame) {
      next_sibling[at(frame)] = first_child[at(tree_.parent[at(frame)])];
      first_child[at(tree_.parent[at(frame)])] = frame;
    }
    tree_.order.reserve(n);
    while (!stack.empty()) {
      const int frame = stack.back();
      stack.pop_back();
      tree_.order.push_back(frame);
      if (next_sibling[at(frame)] >= 0) stack.push_back(next_sibling[at(frame)]);
      if (first_child[at(frame)] >= 0) stack.push_back(first_child[at(frame)]);
    }
  }

  const Graph& graph_;
  Neighbours neighbours_;
  SpanningTree tree_;
  std::priority_queue<Candidate> frontier_;
  std::vector<bool> is_in_tree_;  // of edges
  std::vector<int> edge_to_parent_;
  std::vector<int> height_, second_height_, highest_child_;
};

}  // namespace

Graph make_graph(const model::Model& model) {
  Graph graph;
  graph.frames = static_cast<int>(model.bodies.size()) + 1;
  const std::vector<std::string> readers = find_reaction_readers(model);
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const model::Joint& joint = model.joints[at(k)];
    if (is_coupling(joint.type)) continue;
    const int a = model.markers[at(joint.i)].body + 1, b = model.markers[at(joint.j)].body + 1;
    if (a == b) continue;
    const auto& basic = model::joint_type(joint.type).rows(model.space);
    const int rows = static_cast<int>(basic.size()) + count_extra_rows(joint.type);
    graph.edges.push_back({k, a, b, rows, readers[at(k)].empty() && find_joint_motion(model, k).has_value()});
  }
  return graph;
}

SpanningTree find_spanning_tree(const Graph& graph) {
  TreeGrowth growth(graph);
  growth.grow(0, -1, 0);
  for (int frame = 1; frame < graph.frames; ++frame) {
    if (growth.is_reached(frame)) continue;
    const std::vector<int> tied = growth.grow(frame, 0, 1);
    const int centre = growth.find_centre(tied);
    if (centre == frame) continue;
    growth.forget(tied);
    growth.grow(centre, 0, 1);
  }
  return growth.take();
}

}  // namespace trammel::topology
