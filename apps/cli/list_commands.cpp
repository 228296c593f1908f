// trammel cases, methods, joints, forces: what there is, one line each; trammel schema.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cases/case.h"
#include "commands.h"
#include "trammel/integrators/method.h"
#include "trammel/io/model_schema.h"
#include "trammel/model/force_types.h"
#include "trammel/model/joint_types.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const cases::CaseEntry& entry) {
  Json parameters = Json::array();
  for (const cases::Parameter& p : entry.parameters) {
    parameters.push_back({{"name", p.name}, {"default", p.value}, {"meaning", p.meaning}});
  }
  return {{"name", entry.name}, {"summary", entry.summary}, {"origin", entry.origin}, {"parameters", parameters}};
}

struct Ability {
  const char* name;
  bool is_able;
  const char* what;
};

std::array<Ability, 5> abilities(const integrators::MethodEntry& entry) {
  const integrators::Capabilities& can = entry.capabilities;
  return {{{"nonholonomic", can.nonholonomic, "nonholonomic constraints"},
           {"implicit_states", can.implicit_states, "states in implicit form"},
           {"reaction_dependent_forces", can.reaction_dependent_forces, "forces that depend on reactions"},
           {"general_kinematics", can.general_kinematics, "positions whose rate is not the velocity"},
           {"switched_constraints", can.switched_constraints, "dry friction that sticks and slips"}}};
}

Json describe(const integrators::MethodEntry& entry) {
  Json options = Json::array();
  for (const integrators::MethodOptionInfo& o : entry.options) {
    Json option{{"name", o.name}, {"default", o.values.front()}, {"meaning", o.meaning}};
    if (o.is_number) {
      option["range"] = {o.least, o.largest};
    } else {
      option["values"] = o.values;
    }
    options.push_back(std::move(option));
  }
  Json can = Json::object();
  for (const auto& [name, is_able, what] : abilities(entry)) can[name] = is_able;
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"order", entry.order},
          {"capabilities", can},
          {"options", options}};
}

void print(const cases::CaseEntry& entry) {
  fmt::print("{:<22} {}\n", entry.name, entry.summary);
  for (const cases::Parameter& p : entry.parameters) {
    fmt::print("{:<22}   -p {}={:g}  {}\n", "", p.name, p.value, p.meaning);
  }
}

void print(const integrators::MethodEntry& entry) {
  fmt::print("{:<14} {} (order {})\n", entry.name, entry.summary, entry.order);
  for (const Ability& ability : abilities(entry)) {
    if (!ability.is_able) fmt::print("{:<14}   cannot integrate {}\n", "", ability.what);
  }
  for (const integrators::MethodOptionInfo& o : entry.options) {
    // A default outside of the range stands for "not given".
    const bool is_unset = o.is_number && !(std::stod(o.values.front()) >= o.least);
    const std::string value = is_unset ? "NUMBER" : fmt::format("{}", fmt::join(o.values, "|"));
    fmt::print("{:<14}   --option {}={}  {}\n", "", o.name, value, o.meaning);
  }
}

Json describe(const model::JointTypeInfo& entry) {
  const auto names = [](const std::vector<model::CoordinateKind>& kinds) {
    Json list = Json::array();
    for (const model::CoordinateKind kind : kinds) list.push_back(model::to_string(kind));
    return list;
  };
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"planar", entry.in_plane},
          {"spatial", entry.in_space},
          {"planar_coordinates", names(entry.planar_coordinates)},
          {"spatial_coordinates", names(entry.spatial_coordinates)}};
}

Json describe(const model::ForceTypeInfo& entry) { return {{"name", entry.name}, {"summary", entry.summary}}; }

void print(const model::JointTypeInfo& entry) {
  const char* where = entry.in_plane && entry.in_space ? "" : entry.in_plane ? " (planar only)" : " (spatial only)";
  fmt::print("{:<22} {}{}\n", entry.name, entry.summary, where);
}

void print(const model::ForceTypeInfo& entry) { fmt::print("{:<16} {}\n", entry.name, entry.summary); }

std::vector<const model::JointTypeInfo*> joint_entries() {
  std::vector<const model::JointTypeInfo*> entries;
  for (const model::JointTypeInfo& info : model::joint_types()) entries.push_back(&info);
  return entries;
}

std::vector<const model::ForceTypeInfo*> force_entries() {
  std::vector<const model::ForceTypeInfo*> entries;
  for (const model::ForceTypeInfo& info : model::force_types()) entries.push_back(&info);
  return entries;
}

template <class Entry, class Entries>
void add_list_command(CLI::App& app, Action& action, const char* name, const char* help, const Entries& entries) {
  CLI::App* command = app.add_subcommand(name, help);
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print a JSON list");
  command->callback([&action, as_json, entries] {
    action = [as_json, entries] {
      Json list = Json::array();
      for (const Entry* entry : entries()) {
        if (*as_json) {
          list.push_back(describe(*entry));
        } else {
          print(*entry);
        }
      }
      if (*as_json) fmt::print("{}\n", list.dump(2));
      return kDone;
    };
  });
}

}  // namespace

void add_cases_command(CLI::App& app, Action& action) {
  add_list_command<cases::CaseEntry>(app, action, "cases", "List the problems that come with the program",
                                     &cases::cases);
}

void add_methods_command(CLI::App& app, Action& action) {
  add_list_command<integrators::MethodEntry>(app, action, "methods", "List the integration methods",
                                             &integrators::methods);
}

void add_joints_command(CLI::App& app, Action& action) {
  add_list_command<model::JointTypeInfo>(app, action, "joints", "List the kinds of joints", &joint_entries);
}

void add_forces_command(CLI::App& app, Action& action) {
  add_list_command<model::ForceTypeInfo>(app, action, "forces", "List the kinds of forces", &force_entries);
}

void add_schema_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of model files");
  command->callback([&action] {
    action = [] {
      fmt::print("{}\n", io::model_schema_text());
      return kDone;
    };
  });
}

}  // namespace trammel::cli
