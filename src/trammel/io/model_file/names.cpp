// Declares the names of a part, so that expressions and references find what is read later.

#include <fmt/format.h>

#include "trammel/io/model_file/section_readers.h"
#include "trammel/model/force_types.h"
#include "trammel/model/joint_types.h"

namespace trammel::io::model_file {
namespace {

const std::string& word(const Node& map, const char* key) {
  static const std::string none;
  const Node* node = map.get(key);
  return node == nullptr ? none : node->text;
}

// Parameters are constants in expressions, so they come with their values.
void declare_parameters(PartReader& reader, NameRegister& names) {
  const std::string& prefix = reader.part().prefix;
  for (const auto& parameter : reader.part().parameters->all()) {
    const Entry& entry = *parameter.entry;
    names.claim_value(prefix + entry.key, "a parameter", entry.place);
    reader.model().parameters.push_back({prefix + entry.key, parameter.value, word(*entry.value, "meaning")});
  }
}

void declare_markers(PartReader& reader, int body, const std::string& owner, const std::vector<Entry>& markers) {
  for (const Entry& entry : markers) {
    reader.index().add_marker({owner + "." + entry.key, body, Vector3d::Zero(), Matrix3d::Identity()});
  }
}

void declare_bodies(PartReader& reader, NameRegister& names) {
  const Part& part = reader.part();
  for (const Entry& entry : part.contents->section("bodies")) {
    const std::string name = part.prefix + entry.key;
    if (!names.claim_owner(name, "a body", entry.place)) continue;
    const int body = static_cast<int>(reader.model().bodies.size());
    reader.model().bodies.emplace_back().name = name;
    if (const Node* markers = entry.value->get("markers")) declare_markers(reader, body, name, markers->entries);
  }
  declare_markers(reader, model::kGround, part.prefix + "ground", part.contents->section("ground"));
}

void declare_joint(PartReader& reader, const std::string& name, const Node& map) {
  const int number = static_cast<int>(reader.model().joints.size());
  model::Joint& joint = reader.model().joints.emplace_back();
  joint.name = name;
  const model::JointTypeInfo* type = model::find_joint_type(word(map, "type"));
  if (type != nullptr) joint.type = type->type;
  const bool is_planar = reader.model().is_planar();
  if (type != nullptr && !(is_planar ? type->in_plane : type->in_space)) {
    reader.problems().add(map.get("type")->place, fmt::format("the {} joint is for {} models only", type->name,
                                                              is_planar ? "spatial" : "planar"));
    type = nullptr;
  }
  if (type == nullptr) reader.build().unusable_joints.insert(number);
}

void declare_force(PartReader& reader, const std::string& name, const Node& map) {
  model::Force& force = reader.model().forces.emplace_back();
  force.name = name;
  force.type = word(map, "type");
  if (force.type == "bushing") {
    force.bushing.emplace();
  } else if (force.type == "dry-friction") {
    force.friction.emplace();
  } else if (force.type == "point-force" || force.type == "torque" || force.type == "vector-force") {
    force.vector.emplace();
  } else {
    force.scalar.emplace();
  }
  for (const auto& type : model::force_types()) {
    if (type.name == force.type && !type.in_plane && reader.model().is_planar()) {
      reader.problems().add(map.get("type")->place, fmt::format("the force {} is for spatial models only", type.name));
    }
  }
}

std::size_t count_items(const Node& map, const char* key) {
  const Node* node = map.get(key);
  return node == nullptr ? 0 : node->items.size();
}

// States name.x1, ..., input name.u, output name.
void declare_transfer_function(Build& build, const std::string& name, const Node& map) {
  build.control_blocks.insert({"transfer_functions", name});
  model::Model& model = build.model;
  for (std::size_t k = 1; k < count_items(map, "denominator"); ++k) {
    model.states.emplace_back().name = fmt::format("{}.x{}", name, k);
  }
  model.variables.emplace_back().name = name + ".u";
  model.variables.emplace_back().name = name;
}

// States name.x1, ..., inputs name.u1, ..., outputs name.y1, ...
void declare_state_space(Build& build, const std::string& name, const Node& map) {
  build.control_blocks.insert({"state_space", name});
  const auto declare = [&](auto& items, const char* key, const char* letter) {
    for (std::size_t k = 1; k <= count_items(map, key); ++k) {
      items.emplace_back().name = fmt::format("{}.{}{}", name, letter, k);
    }
  };
  declare(build.model.states, "A", "x");
  declare(build.model.variables, "inputs", "u");
  declare(build.model.variables, "C", "y");
}

}  // namespace

bool NameRegister::claim(Uses& uses, const std::string& full_name, const char* what, const Place& place) {
  const std::string name = full_name.substr(full_name.rfind('.') + 1);
  if (&uses == &owners_ && name == "ground") {
    problems_.add(place, "'ground' is the fixed frame; its markers are written as ground: {markers: {..}}");
    return false;
  }
  if (&uses == &values_ && (name == "t" || name == "time")) {
    problems_.add(place, fmt::format("the name '{}' means time", name));
    return false;
  }
  const auto [known, is_new] = uses.emplace(full_name, Use{what, place});
  if (!is_new) {
    problems_.add(place, fmt::format("the name {} is already used for {} at {}", quoted(full_name), known->second.what,
                                     to_string(known->second.place, place)));
  }
  return is_new;
}

void declare_names(PartReader& reader, NameRegister& names) {
  const Part& part = reader.part();
  const auto each = [&](const char* section, auto&& declare) {
    for (const Entry& entry : part.contents->section(section)) declare(part.prefix + entry.key, entry);
  };
  declare_parameters(reader, names);
  declare_bodies(reader, names);
  each("submodels",
       [&](const std::string& name, const Entry& entry) { names.claim_owner(name, "a sub-model", entry.place); });
  each("joints", [&](const std::string& name, const Entry& entry) {
    if (names.claim_owner(name, "a joint", entry.place)) declare_joint(reader, name, *entry.value);
  });
  each("forces", [&](const std::string& name, const Entry& entry) {
    if (names.claim_owner(name, "a force", entry.place)) declare_force(reader, name, *entry.value);
  });
  each("states", [&](const std::string& name, const Entry& entry) {
    if (names.claim_value(name, "a state", entry.place)) reader.model().states.emplace_back().name = name;
  });
  each("variables", [&](const std::string& name, const Entry& entry) {
    if (names.claim_value(name, "a variable", entry.place)) reader.model().variables.emplace_back().name = name;
  });
  // Control blocks own states and variables.
  each("transfer_functions", [&](const std::string& name, const Entry& entry) {
    const bool is_new = names.claim_owner(name, "a transfer function", entry.place);
    if (names.claim_value(name, "a transfer function", entry.place) && is_new) {
      declare_transfer_function(reader.build(), name, *entry.value);
    }
  });
  each("state_space", [&](const std::string& name, const Entry& entry) {
    if (names.claim_owner(name, "a state-space system", entry.place)) {
      declare_state_space(reader.build(), name, *entry.value);
    }
  });
  // Nothing refers to these, but columns of the results have their names.
  each("outputs",
       [&](const std::string& name, const Entry& entry) { names.claim_value(name, "an output", entry.place); });
  each("motions", [&](const std::string& name, const Entry& entry) {
    names.claim_value(name + ".force", "the force of a motion", entry.place);
  });
}

}  // namespace trammel::io::model_file
