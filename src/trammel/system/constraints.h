#pragma once

// The constraint rows of a compiled model, by kind in contiguous arrays.
//
// Rows of joints come in the order of the model, then those of motions; rows that act on velocities only (rolling,
// motions given as velocities) stand behind all others. Every row is
//
//   sum_k w_k c_k(q) - f(t) = 0          or, for velocities only,   sum_k w_k c_k'(q, v) - f(t) = 0
//
// with coordinates c_k; the frequent ones (one basic function, f = 0) have arrays of their own. Locks are rows of the
// first kind, with a state in place of f, that are zero while another state switches them off.

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/model/joint/coordinate.h"
#include "trammel/model/joint/rolling_disc.h"
#include "trammel/model/model.h"
#include "trammel/system/body_table.h"
#include "trammel/system/row_bundles.h"
#include "trammel/system/time_function.h"

namespace trammel::system {

/// The name of a row of a joint by what it prevents: "revolute 'hinge': rotation about its x axis".
std::string constraint_name(const model::Joint& joint, const std::string& what);

/// A row that holds a joint coordinate where it is, while a state is zero: friction that sticks.
struct LockRow {
  std::string name;
  model::JointCoordinate coordinate;
  int mode = -1;    ///< extra state: the row is switched on where it rounds to zero
  int anchor = -1;  ///< extra state: the value at which the coordinate is held
};

struct ConstraintOptions {
  std::set<std::string> dropped;  ///< names of rows that are left out
  std::set<std::string> implied;  ///< left out as well, but watched: others are said to imply them
  bool only_implied = false;      ///< the implied rows and no others
  /// Gears, couplers, racks, screws, and motions given by rates: their constants want an assembled position.
  bool with_couplings = true;
  bool with_initial_values = false;           ///< rows that hold joint coordinates at their initial values
  bool with_initial_rates = false;            ///< rows that give them their initial rates
  const linalg::Vector* reference = nullptr;  ///< positions at which constants are taken; null: those of the model
  std::vector<LockRow> locks;                 ///< behind all other rows on positions
};

/// What rows are evaluated with.
struct ConstraintInput {
  const std::vector<BodyFrame>& frames;
  const std::vector<Twist>& twists;
  const std::vector<TimeValue>& motions;  ///< f, f', f'' of each time function
  const double* x;                        ///< extra states, for angles that count turns and rows that are switched
};

class ConstraintBuilder;

class Constraints {
 public:
  /// Keeps a reference to the bodies, and to the curves of the model.
  Constraints(const model::Model& model, const BodyTable& bodies, const ConstraintOptions& options);

  int rows() const { return static_cast<int>(names_.size()); }
  int holonomic_rows() const { return n_g_; }
  const std::vector<std::string>& names() const { return names_; }
  /// The rows of each joint and of each motion of the model.
  const std::vector<std::vector<int>>& joint_rows() const { return joint_rows_; }
  const std::vector<std::vector<int>>& motion_rows() const { return motion_rows_; }
  /// The rows of ConstraintOptions::locks, in their order.
  const std::vector<int>& lock_rows() const { return lock_rows_; }
  const std::vector<TimeFunction>& time_functions() const { return time_functions_; }

  /// Joint coordinates in space whose turns must be counted because a row couples them.
  std::vector<model::JointCoordinate> counted_angles() const;
  void set_counter(const model::JointCoordinate& angle, int state);

  linalg::Pattern jacobian_pattern() const;
  linalg::Pattern reaction_pattern() const;

  void calc_constraint(const ConstraintInput& in, linalg::VectorOut g) const;
  void calc_jacobian(const ConstraintInput& in, double* values) const;
  void calc_velocity_offset(const ConstraintInput& in, linalg::VectorOut g_t) const;
  void calc_bias(const ConstraintInput& in, linalg::VectorOut bias) const;
  /// d(G^T lambda)/dq.
  void calc_reaction_by_q(const ConstraintInput& in, linalg::VectorIn lambda, double* values) const;
  /// d(G xi)/dq at fixed xi, which are the twists of the input.
  void calc_rate_by_q(const ConstraintInput& in, double* values) const;
  /// Adds -d(bias)/dq.
  void add_quadratic_by_q(const ConstraintInput& in, double* values) const;
  /// d(bias)/dv.
  void calc_bias_by_v(const ConstraintInput& in, double* values) const;

  /// Adds to wrenches[joint] what each joint exerts on the body of its marker J: force in ground axes at the centre of
  /// mass and torque in body axes [N, N m]. Couplings of other joints' coordinates are left out.
  void add_joint_wrenches(const std::vector<BodyFrame>& frames, linalg::VectorIn lambda,
                          std::vector<Eigen::Matrix<double, 6, 1>>& wrenches) const;

  /// A row that acts between the markers of a joint.
  struct JointRow {
    enum class Kind { kPoint, kDot1, kDot2, kTerm };
    Kind kind;
    std::size_t at;  ///< in the array of its kind
    int row;
  };
  /// Those of one joint, whose multipliers are its reaction; rolling discs have others.
  std::vector<JointRow> find_joint_rows(int joint) const;
  void calc_gradient(const JointRow& row, const FramePair& f, Vector12& G) const;
  void calc_hessian(const JointRow& row, const FramePair& f, Matrix12& H) const;

 private:
  friend class ConstraintBuilder;

  /// One basic function between two frames.
  template <class Primitive>
  struct Row {
    Primitive phi;
    int a, b;
    int row;
    int g;  // place of its values in the Jacobian
    SlotList slots;
    int joint;  // that it belongs to
  };
  struct Term {
    model::Coordinate coordinate;
    double weight;
    int a, b;
    int row;
    int g;
    int h = 0;  // place of its values in d(G^T lambda)/dq
    SlotList slots;
    int joint = -1;                 // that it belongs to, if it acts between the markers of that joint
    int counter = -1;               // extra state that counts the turns
    model::JointCoordinate source;  // whose turns are counted
    int mode = -1;                  // extra state that switches it

    bool is_on(const double* x) const { return mode < 0 || std::abs(x[mode]) < 0.5; }
  };
  enum class Level { kPosition, kVelocity };
  struct SumRow {
    int row;
    int first, last;      // terms
    double constant = 0;  // subtracted
    int function = -1;    // subtracted time function
    bool wraps = false;   // an angle: multiples of a turn do not count
    Level level = Level::kPosition;
    int anchor = -1;  // extra state that is subtracted, of a lock
  };
  /// Rows of one joint between the same two frames, whose Hessians are added before they are written.
  struct Group {
    int a, b;
    std::array<int, 2> points, dots1, dots2, rolling;  // ranges in the arrays below
    model::BlockMask blocks;
    SlotList slots;
    int h;
  };
  /// Calls visit(row) for the rows of all arrays, or of a group.
  template <class Visit>
  void for_each_row(const Visit& visit) const;
  template <class Visit>
  void for_each_row(const Group& group, const Visit& visit) const;
  /// Calls visit(bundle) for the bundles of rows, or visit(row) for the rows that are in none.
  template <class Visit>
  void for_each_bundle(const Visit& visit) const;
  template <class Visit>
  void for_each_single_row(const Visit& visit) const;

  const BodyTable& bodies_;
  std::vector<std::string> names_;
  int n_g_ = 0;
  std::vector<std::vector<int>> joint_rows_, motion_rows_;
  std::vector<int> lock_rows_;
  std::vector<TimeFunction> time_functions_;
  std::vector<Row<model::PointDifference>> points_;
  std::vector<Row<model::Dot1>> dots1_;
  std::vector<Row<model::Dot2>> dots2_;
  std::vector<Term> terms_;
  std::vector<SumRow> sums_;
  std::vector<Row<model::RollingRow>> rolling_;
  // All of points_ and dots1_ once more, for what every evaluation needs.
  std::vector<PointRows<2>> planar_points_;
  std::vector<PointRows<3>> spatial_points_;
  std::vector<AxisRows> axes_;
  std::vector<Group> groups_;
  int jacobian_size_ = 0;
  int reaction_size_ = 0;
};

template <class Visit>
void Constraints::for_each_row(const Visit& visit) const {
  for (const auto& row : points_) visit(row);
  for (const auto& row : dots1_) visit(row);
  for (const auto& row : dots2_) visit(row);
  for (const auto& row : rolling_) visit(row);
}

template <class Visit>
void Constraints::for_each_row(const Group& group, const Visit& visit) const {
  const auto visit_range = [&](const auto& rows, const std::array<int, 2>& range) {
    for (int k = range[0]; k < range[1]; ++k) visit(rows[static_cast<std::size_t>(k)]);
  };
  visit_range(points_, group.points);
  visit_range(dots1_, group.dots1);
  visit_range(dots2_, group.dots2);
  visit_range(rolling_, group.rolling);
}

template <class Visit>
void Constraints::for_each_bundle(const Visit& visit) const {
  for (const auto& bundle : planar_points_) visit(bundle);
  for (const auto& bundle : spatial_points_) visit(bundle);
  for (const auto& bundle : axes_) visit(bundle);
}

template <class Visit>
void Constraints::for_each_single_row(const Visit& visit) const {
  for (const auto& row : dots2_) visit(row);
  for (const auto& row : rolling_) visit(row);
}

}  // namespace trammel::system
