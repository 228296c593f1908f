#include "check_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "commands.h"
#include "counted.h"
#include "trammel/topology/loops.h"

namespace trammel::cli {

using Json = nlohmann::ordered_json;

nlohmann::ordered_json describe_topology(const MechanismGraph& mechanism) {
  const topology::SpanningTree& tree = mechanism.tree;
  const auto name = [&](int joint) { return joint < 0 ? Json(nullptr) : Json(mechanism.joint(joint).name); };
  Json bodies = Json::array(), cut_joints = Json::array(), loops = Json::array();
  for (int frame = 1; frame < mechanism.graph.frames; ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    bodies.push_back({{"body", mechanism.frame_name(frame)},
                      {"parent", mechanism.frame_name(tree.parent[k])},
                      {"joint", name(tree.joint[k])},
                      {"depth", tree.depth[k]}});
  }
  for (const int joint : tree.cut_joints) cut_joints.push_back(name(joint));
  for (const topology::Loop& loop : topology::find_loops(mechanism.graph, tree)) {
    Json joints = Json::array();
    for (const int joint : loop.joints) joints.push_back(name(joint));
    loops.push_back({{"cut", name(loop.cut_joint)}, {"joints", joints}});
  }
  return {{"depth", mechanism.depth}, {"tree", bodies}, {"cut_joints", cut_joints}, {"loops", loops}};
}

void print_topology(const MechanismGraph& mechanism) {
  fmt::print("  tree                {} deep", mechanism.depth);
  if (mechanism.floating > 0) {
    fmt::print("; {}", counted(mechanism.floating, "body floats", "bodies float"));
  }
  fmt::print("\n");
  const std::vector<int>& cut = mechanism.tree.cut_joints;
  fmt::print("  loops               {}", cut.size());
  if (!cut.empty()) fmt::print(", which joint coordinates cut at");
  constexpr std::size_t kShown = 4;
  std::size_t shown = 0;
  for (const topology::Edge& edge : mechanism.graph.edges) {
    if (shown == std::min(kShown, cut.size())) break;
    if (edge.joint != cut[shown]) continue;
    const std::string& reader = mechanism.readers[static_cast<std::size_t>(edge.joint)];
    fmt::print("{} '{}' ({}{}{})", shown == 0 ? "" : ",", mechanism.joint(edge.joint).name, mechanism.describe(edge),
               reader.empty() ? "" : ", reactions read by ", reader);
    ++shown;
  }
  if (shown < cut.size()) fmt::print(" and {} more", cut.size() - shown);
  fmt::print("\n");
}

GraphFormat find_graph_format(const std::string& path) {
  const std::filesystem::path file(path);
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix == ".dot" || suffix == ".gv") return GraphFormat::kGraphviz;
  if (suffix == ".svg") return GraphFormat::kSvg;
  throw InputError(
      fmt::format("a graph is written as .dot or .gv (text for Graphviz) or as .svg (a picture), not as '{}'", path));
}

}  // namespace trammel::cli
