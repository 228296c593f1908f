// Turns the joints and motions of a model into constraint rows.

#include <fmt/format.h>

#include "trammel/math/turns.h"
#include "trammel/model/joint_types.h"
#include "trammel/system/constraints.h"
#include "trammel/system/marker_geometry.h"

namespace trammel::system {

using model::Coordinate;
using model::CoordinateKind;
using model::Joint;
using model::JointType;
using model::PrimitiveKind;

std::string constraint_name(const Joint& joint, const std::string& what) {
  return fmt::format("{} '{}': {}", model::joint_type(joint.type).name, joint.name, what);
}

/// Collects rows; numbers are given at the end, when it is known how many act on positions.
class ConstraintBuilder {
 public:
  ConstraintBuilder(Constraints& out, const model::Model& model, const ConstraintOptions& options)
      : out_(out), model_(model), options_(options) {
    linalg::Vector q, v;
    calc_given_state(model, out.bodies_, q, v);
    if (options.reference) q = *options.reference;
    frames_.resize(static_cast<std::size_t>(out.bodies_.frames()));
    out.bodies_.calc_frames(q.data(), frames_);
  }

  void build() {
    out_.joint_rows_.resize(model_.joints.size());
    out_.motion_rows_.resize(model_.motions.size());
    for (std::size_t k = 0; k < model_.joints.size(); ++k) {
      owner_ = &out_.joint_rows_[k];
      add_joint(static_cast<int>(k));
    }
    add_initial_coordinates();
    for (std::size_t k = 0; k < model_.motions.size(); ++k) {
      owner_ = &out_.motion_rows_[k];
      add_motion(model_.motions[k]);
    }
    owner_ = &out_.lock_rows_;
    for (const LockRow& lock : options_.locks) add_lock(lock);
    number_rows();
    bundle_rows();
  }

 private:
  struct Draft {
    std::string name;
    bool is_holonomic;
    std::vector<int>* owner;
  };

  /// The provisional number of a new row, or -1 when it is left out.
  int add_row(const std::string& name, bool is_holonomic = true) {
    if (options_.dropped.contains(name) || options_.implied.contains(name) != options_.only_implied) return -1;
    drafts_.push_back({name, is_holonomic, owner_});
    return static_cast<int>(drafts_.size()) - 1;
  }

  template <class Primitive>
  void add_primitive(std::vector<Constraints::Row<Primitive>>& rows, const Primitive& phi, const MarkerGeometry& I,
                     const MarkerGeometry& J, int row, int joint) {
    const SlotList slots = out_.bodies_.pair_slots(I.frame, J.frame, [&](int k) { return phi.uses(k); });
    rows.push_back({phi, I.frame, J.frame, row, out_.jacobian_size_, slots, joint});
    out_.jacobian_size_ += slots.count;
  }

  void add_term(const PlacedCoordinate& placed, double weight, int row, int joint, model::JointCoordinate source = {}) {
    Constraints::Term term{
        placed.coordinate, weight, placed.a, placed.b, row, out_.jacobian_size_, 0, {}, joint, -1, source};
    term.slots = out_.bodies_.pair_slots(placed.a, placed.b, [&](int k) { return placed.coordinate.uses(k); });
    out_.jacobian_size_ += term.slots.count;
    term.h = out_.reaction_size_;
    out_.reaction_size_ += count_places(term.slots, placed.coordinate.hessian_blocks());
    out_.terms_.push_back(std::move(term));
  }

  /// A row whose terms are added next; close_sum() ends it.
  Constraints::SumRow open_sum(int row) { return {row, static_cast<int>(out_.terms_.size()), 0}; }
  void close_sum(Constraints::SumRow sum) {
    sum.last = static_cast<int>(out_.terms_.size());
    out_.sums_.push_back(sum);
  }

  /// One coordinate held at a constant.
  void add_held(const std::string& name, const PlacedCoordinate& placed, double constant, bool wraps, int joint) {
    const int row = add_row(name);
    if (row < 0) return;
    Constraints::SumRow sum = open_sum(row);
    sum.constant = constant;
    sum.wraps = wraps;
    add_term(placed, 1, row, joint);
    close_sum(sum);
  }

  double value_at_reference(const PlacedCoordinate& placed) const {
    return placed.coordinate.value(
        {frames_[static_cast<std::size_t>(placed.a)], frames_[static_cast<std::size_t>(placed.b)]});
  }

  static int count_places(const SlotList& slots, model::BlockMask blocks) {
    int count = 0;
    for (const int i : slots) {
      for (const int j : slots) count += (blocks & model::block_bit(i / 3, j / 3)) != 0 ? 1 : 0;
    }
    return count;
  }

  void add_joint(int index) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(index)];
    if (joint.type == JointType::kGear || joint.type == JointType::kCoupler ||
        joint.type == JointType::kRackAndPinion) {
      if (options_.with_couplings) add_coupling(joint);
      return;
    }
    const MarkerGeometry I = marker_geometry(model_, joint.i), J = marker_geometry(model_, joint.j);
    Constraints::Group group{};
    group.points[0] = static_cast<int>(out_.points_.size());
    group.dots1[0] = static_cast<int>(out_.dots1_.size());
    group.dots2[0] = static_cast<int>(out_.dots2_.size());
    group.rolling[0] = static_cast<int>(out_.rolling_.size());
    for (const model::PrimitiveUse& use : model::joint_type(joint.type).rows(model_.space)) {
      add_primitive_use(joint, index, use, I, J);
    }
    if (joint.type == JointType::kRolling) add_rolling(joint, index, I, J);
    group.points[1] = static_cast<int>(out_.points_.size());
    group.dots1[1] = static_cast<int>(out_.dots1_.size());
    group.dots2[1] = static_cast<int>(out_.dots2_.size());
    group.rolling[1] = static_cast<int>(out_.rolling_.size());
    close_group(group, I.frame, J.frame);
    if (joint.type == JointType::kConstantVelocity) add_constant_velocity(joint, index, I, J);
    if (joint.type == JointType::kPointOnCurve) add_curve(joint, index, I, J);
    if (joint.type == JointType::kScrew && options_.with_couplings) add_screw(joint, index);
  }

  void close_group(Constraints::Group group, int a, int b) {
    group.a = a;
    group.b = b;
    group.blocks = 0;
    bool is_used[12] = {};
    out_.for_each_row(group, [&](const auto& row) {
      group.blocks = static_cast<model::BlockMask>(group.blocks | std::decay_t<decltype(row.phi)>::kHessianBlocks);
      for (const int k : row.slots) is_used[k] = true;
    });
    if (group.blocks == 0) return;
    group.slots = out_.bodies_.pair_slots(a, b, [&](int k) { return is_used[k]; });
    group.h = out_.reaction_size_;
    out_.reaction_size_ += count_places(group.slots, group.blocks);
    out_.groups_.push_back(group);
  }

  void add_primitive_use(const Joint& joint, int index, const model::PrimitiveUse& use, const MarkerGeometry& I,
                         const MarkerGeometry& J) {
    const std::string name = constraint_name(joint, use.label);
    if (use.kind == PrimitiveKind::kDistance) {
      const PlacedCoordinate placed{Coordinate::distance(I.s, J.s), I.frame, J.frame};
      add_held(name, placed, joint.parameter < 0 ? value_at_reference(placed) : joint.parameter, false, index);
      return;
    }
    if (use.kind == PrimitiveKind::kAngle) {
      add_held(name, {make_coordinate(model_, CoordinateKind::kAngle, I, J), I.frame, J.frame}, 0, true, index);
      return;
    }
    const int row = add_row(name);
    if (row < 0) return;
    if (use.kind == PrimitiveKind::kCoincident) {
      add_primitive(out_.points_, model::PointDifference{use.axis_i, I.s, J.s}, I, J, row, index);
    } else if (use.kind == PrimitiveKind::kDot1) {
      add_primitive(out_.dots1_, model::Dot1{I.axes.col(use.axis_i), J.axes.col(use.axis_j)}, I, J, row, index);
    } else {
      add_primitive(out_.dots2_, model::Dot2{I.axes.col(use.axis_i), I.s, J.s}, I, J, row, index);
    }
  }

  void add_rolling(const Joint& joint, int index, const MarkerGeometry& I, const MarkerGeometry& J) {
    constexpr const char* kLabels[] = {"slip along x of the plane", "slip along y of the plane",
                                       "height over the plane"};
    for (const int k : {2, 0, 1}) {
      const int row = add_row(constraint_name(joint, kLabels[k]), k == 2);
      if (row < 0) continue;
      add_primitive(out_.rolling_, model::RollingRow{I.s, I.axes, J.s, J.axes.col(2), joint.parameter, k}, I, J, row,
                    index);
    }
  }

  /// x_I . y_J = y_I . x_J: J arises from I by a rotation about an axis perpendicular to z.
  void add_constant_velocity(const Joint& joint, int index, const MarkerGeometry& I, const MarkerGeometry& J) {
    const int row = add_row(constraint_name(joint, "difference of the shafts' turns"));
    if (row < 0) return;
    const Constraints::SumRow sum = open_sum(row);
    add_term({Coordinate::cosine(I.axes.col(0), J.axes.col(1)), I.frame, J.frame}, 1, row, index);
    add_term({Coordinate::cosine(I.axes.col(1), J.axes.col(0)), I.frame, J.frame}, -1, row, index);
    close_sum(sum);
  }

  void add_curve(const Joint& joint, int index, const MarkerGeometry& I, const MarkerGeometry& J) {
    const math::Spline& curve = model_.curves[static_cast<std::size_t>(joint.curve)].spline;
    add_held(
        constraint_name(joint, "distance from the curve"),
        {Coordinate::off_curve(I.axes.col(0), I.axes.col(1), I.s, J.s, curve, joint.curve_is_polar), I.frame, J.frame},
        0, false, index);
  }

  void add_screw(const Joint& joint, int index) {
    const int row = add_row(constraint_name(joint, "travel per turn"));
    if (row < 0) return;
    Constraints::SumRow sum = open_sum(row);
    sum.constant = add_coupled(row, {index, CoordinateKind::kTravel}, 1, index) +
                   add_coupled(row, {index, CoordinateKind::kAngle}, -joint.parameter / math::kTurn, index);
    close_sum(sum);
  }

  /// Adds a term and returns its part of the constant.
  double add_coupled(int row, const model::JointCoordinate& which, double weight, int joint) {
    const PlacedCoordinate placed = make_joint_coordinate(model_, which);
    add_term(placed, weight, row, joint, which);
    return weight * initial_value(which, value_at_reference(placed));
  }

  /// The value at the start with the turns that the model gives it.
  double initial_value(const model::JointCoordinate& which, double value) const {
    if (!model::is_angle(which.kind) || model_.is_planar()) return value;
    return math::nearest_turn(value, model_.start_value(which).value_or(value));
  }

  void add_coupling(const Joint& joint) {
    const int row = add_row(constraint_name(joint, "ratio"));
    if (row < 0) return;
    Constraints::SumRow sum = open_sum(row);
    for (const model::CouplingTerm& term : joint.terms)
      sum.constant += add_coupled(row, term.coordinate, term.weight, -1);
    close_sum(sum);
  }

  void add_initial_coordinates() {
    for (std::size_t k = 0; k < model_.joints.size(); ++k) {
      const Joint& joint = model_.joints[k];
      owner_ = nullptr;
      for (const model::InitialCoordinate& initial : joint.initial) {
        const PlacedCoordinate placed = make_joint_coordinate(model_, {static_cast<int>(k), initial.kind});
        const std::string what = constraint_name(joint, "initial " + model::to_string(initial.kind));
        if (initial.value && options_.with_initial_values) {
          add_held(what, placed, *initial.value, model::is_angle(initial.kind), -1);
        }
        if (initial.rate && options_.with_initial_rates) {
          const int row = add_row(what + " rate", false);
          if (row < 0) continue;
          Constraints::SumRow sum = open_sum(row);
          sum.level = Constraints::Level::kVelocity;
          sum.function = add_function(TimeFunction::of(model::Program::constant(*initial.rate)));
          add_term(placed, 1, row, -1);
          close_sum(sum);
        }
      }
    }
  }

  int add_function(TimeFunction function) {
    out_.time_functions_.push_back(std::move(function));
    return static_cast<int>(out_.time_functions_.size()) - 1;
  }

  void add_motion(const model::Motion& motion) {
    const bool is_rate = motion.level != model::MotionLevel::kPosition;
    if (is_rate && !options_.with_couplings) return;
    const int row = add_row(fmt::format("motion '{}'", motion.name));
    if (row < 0) return;
    const bool is_joint = motion.coordinate.joint >= 0;
    const CoordinateKind kind = is_joint ? motion.coordinate.kind : motion.kind;
    PlacedCoordinate placed;
    if (is_joint) {
      placed = make_joint_coordinate(model_, motion.coordinate);
    } else {
      const MarkerGeometry moved = marker_geometry(model_, motion.i), from = marker_geometry(model_, motion.j);
      placed = {make_coordinate(model_, kind, from, moved), from.frame, moved.frame};
    }
    Constraints::SumRow sum = open_sum(row);
    sum.wraps = model::is_angle(kind);
    if (is_rate) sum.constant = value_at_reference(placed);
    sum.function = add_function(make_way(motion));
    add_term(placed, 1, row, -1);
    close_sum(sum);
  }

  void add_lock(const LockRow& lock) {
    const int row = add_row(lock.name);
    if (row < 0) return;
    Constraints::SumRow sum = open_sum(row);
    sum.wraps = model::is_angle(lock.coordinate.kind);
    sum.anchor = lock.anchor;
    add_term(make_joint_coordinate(model_, lock.coordinate), 1, row, -1);
    out_.terms_.back().mode = lock.mode;
    close_sum(sum);
  }

  /// The coordinate over time, from zero at the start where the motion gives a rate.
  TimeFunction make_way(const model::Motion& motion) const {
    const double begin = model_.simulation.t_start, end = model_.simulation.t_end;
    switch (motion.level) {
      case model::MotionLevel::kVelocity: return TimeFunction::integral_of(motion.function, begin, end);
      case model::MotionLevel::kAcceleration:
        return TimeFunction::double_integral_of(motion.function, begin, end, motion.initial_rate);
      case model::MotionLevel::kPosition: break;
    }
    return TimeFunction::of(motion.function);
  }

  /// Rows on positions first.
  void number_rows() {
    std::vector<int> number(drafts_.size());
    for (const bool holonomic : {true, false}) {
      for (std::size_t k = 0; k < drafts_.size(); ++k) {
        if (drafts_[k].is_holonomic != holonomic) continue;
        number[k] = out_.rows();
        out_.names_.push_back(drafts_[k].name);
        if (drafts_[k].owner) drafts_[k].owner->push_back(number[k]);
      }
      if (holonomic) out_.n_g_ = out_.rows();
    }
    const auto renumber = [&](auto& elements) {
      for (auto& element : elements) element.row = number[static_cast<std::size_t>(element.row)];
    };
    renumber(out_.points_);
    renumber(out_.dots1_);
    renumber(out_.dots2_);
    renumber(out_.rolling_);
    renumber(out_.terms_);
    renumber(out_.sums_);
  }

  /// Joints in the plane have no rows of axes.
  void bundle_rows() {
    if (out_.bodies_.is_planar()) {
      add_bundles(out_.points_, out_.planar_points_);
    } else {
      add_bundles(out_.points_, out_.spatial_points_);
    }
    add_bundles(out_.dots1_, out_.axes_);
  }

  template <class Primitive, class Bundle>
  static void add_bundles(const std::vector<Constraints::Row<Primitive>>& rows, std::vector<Bundle>& bundles) {
    for (const auto& row : rows) {
      const BundlePlace place{row.a, row.b, row.row, row.g};
      if (bundles.empty() || !bundles.back().attempt_add(row.phi, place)) bundles.emplace_back(row.phi, place);
    }
  }

  Constraints& out_;
  const model::Model& model_;
  const ConstraintOptions& options_;
  std::vector<BodyFrame> frames_;
  std::vector<Draft> drafts_;
  std::vector<int>* owner_ = nullptr;
};

Constraints::Constraints(const model::Model& model, const BodyTable& bodies, const ConstraintOptions& options)
    : bodies_(bodies) {
  ConstraintBuilder(*this, model, options).build();
}

}  // namespace trammel::system
