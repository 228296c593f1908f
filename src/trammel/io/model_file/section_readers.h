#pragma once

// One reader for each section of a model file. All names are declared first, in all parts, because anything may refer
// to anything; then the sections are read in the order below.

#include <map>
#include <string>

#include "trammel/io/model_file/part_reader.h"

namespace trammel::io::model_file {

/// Which names are taken, by what and where.
class NameRegister {
 public:
  explicit NameRegister(Problems& problems) : problems_(problems) {}

  /// For what expressions call "name.something": bodies, joints, forces, sub-models.
  bool claim_owner(const std::string& full_name, const char* what, const Place& place) {
    return claim(owners_, full_name, what, place);
  }
  /// For what expressions and results call "name": parameters, states, variables, outputs.
  bool claim_value(const std::string& full_name, const char* what, const Place& place) {
    return claim(values_, full_name, what, place);
  }

 private:
  struct Use {
    const char* what;
    Place place;
  };
  using Uses = std::map<std::string, Use>;
  bool claim(Uses& uses, const std::string& full_name, const char* what, const Place& place);

  Problems& problems_;
  Uses owners_, values_;
};

void declare_names(PartReader& reader, NameRegister& names);
void read_curves(PartReader& reader);
void read_bodies(PartReader& reader);
/// Of the list at the key "shapes" of a body.
std::vector<model::Shape> read_shapes(PartReader& reader, const Node& list);
void read_ground_shapes(PartReader& reader);
void read_joints(PartReader& reader);
void read_motions(PartReader& reader);
void read_forces(PartReader& reader);
void read_states(PartReader& reader);
void read_control_blocks(PartReader& reader);
void read_outputs(PartReader& reader);
void read_events(PartReader& reader);
/// Name, gravity and simulation, which only the whole has.
void read_settings(PartReader& reader);

}  // namespace trammel::io::model_file
