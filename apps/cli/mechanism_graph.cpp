#include "mechanism_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "counted.h"
#include "trammel/figures/rich_text.h"
#include "trammel/model/joint_types.h"
#include "trammel/topology/joint_motion.h"

namespace trammel::cli {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::string describe(const model::Model& model, const model::JointCoordinate& coordinate) {
  return fmt::format("{} of '{}'", model::to_string(coordinate.kind), model.joints[at(coordinate.joint)].name);
}

void add_couplings(const model::Model& model, MechanismGraph& mechanism) {
  for (const model::Joint& joint : model.joints) {
    if (joint.terms.empty()) continue;
    const std::string& type = model::joint_type(joint.type).name;
    std::string terms;
    for (const model::CouplingTerm& term : joint.terms) {
      terms += fmt::format("{}{}", terms.empty() ? "" : ", ", describe(model, term.coordinate));
      std::vector<std::string>& remarks = mechanism.remarks[at(term.coordinate.joint)];
      const std::string remark = fmt::format("{} {}", type, joint.name);
      if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
    }
    mechanism.notes.push_back(fmt::format("{} '{}' couples {}", type, joint.name, terms));
  }
}

void add_motions(const model::Model& model, MechanismGraph& mechanism) {
  for (const model::Motion& motion : model.motions) {
    if (motion.coordinate.joint >= 0) {
      mechanism.remarks[at(motion.coordinate.joint)].push_back("motion " + motion.name);
      mechanism.notes.push_back(fmt::format("motion '{}' drives {}", motion.name, describe(model, motion.coordinate)));
    } else {
      const auto name = [&](int marker) {
        return marker < 0 ? std::string("the ground") : fmt::format("'{}'", model.markers[at(marker)].name);
      };
      mechanism.notes.push_back(fmt::format("motion '{}' drives {} of {} seen from {}", motion.name,
                                            model::to_string(motion.kind), name(motion.i), name(motion.j)));
    }
  }
}

/// A string of Graphviz: with entities, since it reads them, and lines that are centred.
std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '\n') {
      quoted += "\\n";
    } else if (letter == '&') {
      quoted += "&amp;";
    } else {
      if (letter == '"' || letter == '\\') quoted += '\\';
      quoted += letter;
    }
  }
  return quoted + '"';
}

std::string quote_line(const std::string& text) { return quote(figures::clean(text)); }

}  // namespace

std::string MechanismGraph::frame_name(int frame) const { return model->body_name(frame - 1); }

std::string MechanismGraph::describe(const topology::Edge& edge) const {
  return fmt::format("{}, {}", model::joint_type(joint(edge.joint).type).name, counted(edge.rows, "row"));
}

std::string MechanismGraph::summary() const {
  return fmt::format("{}, {}; tree {} deep, {}", counted(graph.frames - 1, "body", "bodies"),
                     counted(graph.edges.size(), "joint"), depth, counted(tree.cut_joints.size(), "cut joint"));
}

MechanismGraph make_mechanism_graph(const model::Model& model) {
  MechanismGraph mechanism;
  mechanism.model = &model;
  mechanism.graph = topology::make_graph(model);
  mechanism.tree = topology::find_spanning_tree(mechanism.graph);
  mechanism.depth = *std::max_element(mechanism.tree.depth.begin(), mechanism.tree.depth.end());
  mechanism.floating = static_cast<int>(std::count(mechanism.tree.joint.begin() + 1, mechanism.tree.joint.end(), -1));
  mechanism.remarks.resize(model.joints.size());
  mechanism.readers = topology::find_reaction_readers(model);
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    if (const std::string& reader = mechanism.readers[k]; !reader.empty()) {
      mechanism.remarks[k].push_back("reactions read by " + reader);
    }
  }
  add_couplings(model, mechanism);
  add_motions(model, mechanism);
  return mechanism;
}

std::vector<int> find_edges_of_joints(const MechanismGraph& mechanism) {
  std::vector<int> edges(mechanism.model->joints.size(), -1);
  for (std::size_t e = 0; e < mechanism.graph.edges.size(); ++e) {
    edges[at(mechanism.graph.edges[e].joint)] = static_cast<int>(e);
  }
  return edges;
}

std::string to_graphviz(const MechanismGraph& mechanism) {
  const topology::SpanningTree& tree = mechanism.tree;
  std::string text = fmt::format("graph {} {{\n", quote_line(mechanism.model->name));
  text +=
      "  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n";
  std::string below = mechanism.summary();
  for (const std::string& note : mechanism.notes) below += '\n' + figures::clean(note);
  text += fmt::format("  label={};\n  labelloc=b;\n", quote(below));
  text += "  f0 [label=\"ground\", style=filled, fillcolor=black, fontcolor=white];\n";
  for (int frame = 1; frame < mechanism.graph.frames; ++frame) {
    text += fmt::format("  f{} [label={}];\n", frame, quote_line(mechanism.frame_name(frame)));
  }
  for (int frame = 1; frame < mechanism.graph.frames; ++frame) {
    if (tree.joint[at(frame)] < 0) text += fmt::format("  f0 -- f{} [label=\"floats\", style=dotted];\n", frame);
  }
  auto cut = tree.cut_joints.begin();
  for (const topology::Edge& edge : mechanism.graph.edges) {
    std::string label = figures::clean(mechanism.joint(edge.joint).name) + '\n' + mechanism.describe(edge);
    for (const std::string& remark : mechanism.remarks[at(edge.joint)]) label += '\n' + figures::clean(remark);
    const bool is_cut = cut != tree.cut_joints.end() && *cut == edge.joint;
    if (is_cut) ++cut;
    // From the parent to the child, so that the layers of Graphviz are those of the tree.
    const bool is_reversed = !is_cut && tree.parent[at(edge.a)] == edge.b && tree.joint[at(edge.a)] == edge.joint;
    text += fmt::format("  f{} -- f{} [label={}{}];\n", is_reversed ? edge.b : edge.a, is_reversed ? edge.a : edge.b,
                        quote(label), is_cut ? ", style=dashed, constraint=false" : "");
  }
  return text + "}\n";
}

}  // namespace trammel::cli
