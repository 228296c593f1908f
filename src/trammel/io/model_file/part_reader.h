#pragma once

// What the readers of the sections of a model file share: the model that grows, the part that is read, and ways to read
// values, references and expressions in it.

#include <set>
#include <string>
#include <utility>

#include "trammel/io/model_file/part.h"
#include "trammel/model/model_scope.h"

namespace trammel::io::model_file {

/// The model that is being read.
struct Build {
  explicit Build(Problems& found) : index(model), problems(found) {}

  model::Model model;
  model::ModelIndex index;
  Problems& problems;
  std::set<std::pair<std::string, std::string>>
      control_blocks;                      ///< section and full name of those whose names are free
  std::vector<std::string> missing_parts;  ///< prefixes of sub-models that could not be read
  std::set<int> unusable_joints;           ///< their type is not known; what refers to them cannot be checked
};

/// What an expression is for, which decides what it may use.
enum class Purpose { kMotion, kForce, kState, kResidual, kVariable, kOutput, kEvent };

/// Reads one part of a model. The functions return nothing (or -1) after having reported what is wrong.
class PartReader {
 public:
  PartReader(Build& build, Part& part);

  model::Model& model() { return build_.model; }
  model::ModelIndex& index() { return build_.index; }
  Problems& problems() { return build_.problems; }
  const Part& part() const { return part_; }
  Build& build() { return build_; }
  Values& values() { return values_; }

  /// Calls read(full name, entry) for the entries of a section whose values are maps.
  template <class Read>
  void for_each_map(const char* section, Read&& read) {
    for (const Entry& entry : part_.contents->section(section)) {
      if (entry.value->is_map()) read(part_.prefix + entry.key, entry);
    }
  }

  std::optional<model::Program> program(const Node& node, Purpose purpose);
  /// Of an expression that the reader makes up, in full names, from what stands at `node`.
  model::Program made_program(const std::string& text, const Node& node);

  /// The marker that a name or a map with body and position stands for; `name` is for one that has to be made.
  int marker(const Node& node, const std::string& name);
  /// The marker at a key of a map, -1 also when there is no such key.
  int marker(const Node& map, const char* key, const std::string& name);
  /// The ground frame of the part.
  int ground_marker() { return part_.ground >= 0 ? part_.ground : index().frame_marker(model::kGround); }
  /// Index of a body or kGround.
  std::optional<int> body(const Node& name);
  int joint(const Node& name);
  /// By the keys "joint" and "coordinate", the latter only needed where there are several.
  std::optional<model::JointCoordinate> coordinate(const Node& map);
  /// The name of a joint or such a map.
  std::optional<model::JointCoordinate> coordinate_of(const Node& node);
  int curve(const Node& map, const char* key);

  /// Two markers: by "between" alone, or on two bodies by "at" (with "axis", "x_axis", "second_axis") or "points".
  struct Pair {
    int i = -1, j = -1;
    std::optional<double> distance;  ///< between "points" [m]
  };
  std::optional<Pair> pair(const Node& map, const std::string& name);

  /// Where a body is at the start.
  Placement placement_of(int body) const;

 private:
  std::optional<model::JointCoordinate> coordinate(const Node& joint, const Node* coordinate);
  std::optional<Pair> pair_of_markers(const Node& between, const std::string& name);
  std::optional<Pair> pair_at(const Node& map, const std::string& name);
  std::optional<std::array<Matrix3d, 2>> axes_at(const Node& map);
  int add_marker_at(int body, const Vector3d& point, const Matrix3d& axes, const std::string& name);
  bool check_bodies(const Node& between, int a, int b);
  /// Whether a name belongs to a sub-model that could not be read.
  bool is_in_missing_part(const std::string& name) const;
  void check_purpose(const Node& node, const model::Program& program, Purpose purpose);

  Build& build_;
  Part& part_;
  Values values_;
  model::ModelScope scope_;
};

/// The kind of coordinate that a word of the schema stands for.
std::optional<model::CoordinateKind> find_coordinate_kind(const std::string& name);

}  // namespace trammel::io::model_file
