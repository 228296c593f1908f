#include "trammel/topology/loops.h"

namespace trammel::topology {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Loop find_loop(const Edge& cut, const SpanningTree& tree) {
  // From both ends up to the frame that they have in common.
  Loop loop{cut.joint, {cut.b}, {}, 0};
  std::vector<int> rest{cut.a};
  while (loop.frames.back() != rest.back()) {
    const int left = loop.frames.back(), right = rest.back();
    if (tree.depth[at(left)] >= tree.depth[at(right)]) {
      loop.joints.push_back(tree.joint[at(left)]);
      loop.frames.push_back(tree.parent[at(left)]);
    } else {
      rest.push_back(tree.parent[at(right)]);
    }
  }
  loop.top = static_cast<int>(loop.frames.size()) - 1;
  for (auto frame = rest.rbegin() + 1; frame != rest.rend(); ++frame) {
    loop.joints.push_back(tree.joint[at(*frame)]);
    loop.frames.push_back(*frame);
  }
  return loop;
}

}  // namespace

std::vector<Loop> find_loops(const Graph& graph, const SpanningTree& tree) {
  std::vector<Loop> loops;
  loops.reserve(tree.cut_joints.size());
  auto cut = tree.cut_joints.begin();
  for (const Edge& edge : graph.edges) {
    if (cut == tree.cut_joints.end() || *cut != edge.joint) continue;
    loops.push_back(find_loop(edge, tree));
    ++cut;
  }
  return loops;
}

}  // namespace trammel::topology
