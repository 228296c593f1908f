#pragma once

// What `trammel check` says about the graph of a mechanism.

#include <nlohmann/json.hpp>
#include <string>

#include "mechanism_graph.h"

namespace trammel::cli {

/// {"depth", "tree": [{"body", "parent", "joint", "depth"}], "cut_joints", "loops": [{"cut", "joints"}]}
nlohmann::ordered_json describe_topology(const MechanismGraph& mechanism);

/// Two lines of the listing.
void print_topology(const MechanismGraph& mechanism);

enum class GraphFormat { kGraphviz, kSvg };

/// By the end of the file's name. Throws InputError for what is neither .dot, .gv nor .svg.
GraphFormat find_graph_format(const std::string& path);

}  // namespace trammel::cli
