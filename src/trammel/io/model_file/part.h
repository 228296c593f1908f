#pragma once

// A model file with its sub-models, spread out: every use of a sub-model is a part of its own, with a prefix for its
// names, values for its parameters and a place in the ground frame.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trammel/io/model_file/contents.h"
#include "trammel/io/model_file/values.h"

namespace trammel::io::model_file {

/// Where the ground frame of a part lies in the ground frame of the whole.
struct Placement {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();
  double angle = 0;  ///< planar: of R, turns counted [rad]

  Placement operator*(const Placement& inner) const { return {R * inner.R, p + R * inner.p, angle + inner.angle}; }
};

struct Part {
  std::string prefix;  ///< of all names: "" for the model itself, "left." for a sub-model
  ContentsPtr contents;
  Placement placement;
  std::unique_ptr<Parameters> parameters;
  const Part* parent = nullptr;
  Place place;                       ///< where it is used
  const Node* definition = nullptr;  ///< the inline definition that it is made of, or
  std::string file;                  ///< the file
  int ground = -1;                   ///< marker that its ground frame is, -1: the ground frame of the whole

  bool is_whole() const { return parent == nullptr; }
};

using Parts = std::vector<std::unique_ptr<Part>>;

class PartExpansion {
 public:
  // Sub-models that use each other twice double at each level; these bounds are far beyond any use that is meant.
  static constexpr std::size_t kMostParts = 10'000;
  static constexpr std::size_t kMostNodes = 5'000'000;
  static constexpr int kDeepestParts = 50;

  /// `given`: values of parameters from outside, by full name ("left.r").
  PartExpansion(ContentsLoader& loader, const std::map<std::string, double>& given, model::Space space,
                Problems& problems);

  /// The whole first, then its sub-models, each followed by its own.
  Parts expand(const ContentsPtr& whole);
  /// Prefixes of sub-models that could not be read.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  using Given = std::map<std::string, double>;

  void add(std::unique_ptr<Part> part, Given given);
  void add_submodel(const Part& parent, const Entry& entry);
  /// The contents, definition or file of a part; false after a report.
  bool find_contents(const Node& submodel, Part& part);
  bool find_definition(const Node& name, Part& part);
  bool is_within_itself(const Part& part) const;
  bool is_too_deep(const Part& part) const;
  Given read_parameters(const Part& parent, const Node& submodel, const Contents& contents);
  void report_unknown_given(const Contents& whole);

  ContentsLoader& loader_;
  Given given_;
  model::Space space_;
  Problems& problems_;
  Parts parts_;
  std::map<const Node*, ContentsPtr> definitions_;
  std::vector<std::string> missing_;
  std::size_t nodes_ = 0;
  bool is_too_large_ = false;
};

}  // namespace trammel::io::model_file
