// Every joint of the catalogue, in the plane and in space, against dual numbers of what the textbook says it keeps at
// zero: residuals, Jacobians, biases and all derivatives of them; that it acts on both bodies alike; that it takes the
// right number of degrees of freedom.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/reference_mechanism.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/model/joint_types.h"
#include "trammel/system/probe.h"

namespace trammel::system {
namespace {

using dae::Derivative;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using model::CoordinateKind;
using model::JointType;
using model::Space;
using testing::add_body;
using testing::add_coupling;
using testing::add_joint;
using testing::add_marker;
using testing::kGround;
using testing::make_model;
using testing::Matrix3d;
using testing::Model;
using testing::Placement;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Vec12;
using testing::Vector3d;
using enum model::JointType;

constexpr double kTolerance = 1e-11;  // relative; double precision leaves about 1e-14

bool is_coupling(JointType type) { return type == kGear || type == kCoupler || type == kRackAndPinion; }

math::Spline sample_curve() {
  const std::vector<double> x{-4, -2.5, -1, 0.2, 1.1, 2, 3.5, 5}, y{1.2, 0.7, 1.5, 1.1, 0.4, 0.9, 1.6, 1.3};
  return math::Spline::natural(x, y);
}

Placement allowed_placement(JointType type, bool is_planar, bool is_polar, double parameter, Random& random) {
  const Matrix3d about_z = random.planar_rotation(random.number(-2, 2));
  const Matrix3d any = is_planar ? about_z : random.rotation();
  const double x = random.number(0.3, 2), y = random.number(), z = random.number();
  const auto crossed = [&] {
    const Matrix3d quarter = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
    return Matrix3d(about_z * quarter * random.planar_rotation(random.number(-2, 2)));
  };
  const double rod = parameter / std::hypot(x, y), rod_in_space = parameter / Vector3d(x, y, z).norm();
  switch (type) {
    case kRevolute: return {Vector3d::Zero(), about_z};
    case kTranslational: return {is_planar ? Vector3d(x, 0, 0) : Vector3d(0, 0, z), Matrix3d::Identity()};
    case kCylindrical:
    case kScrew: return {Vector3d(0, 0, z), about_z};
    case kSpherical: return {Vector3d::Zero(), any};
    case kUniversal: return {Vector3d::Zero(), crossed()};
    case kFixed: return {};
    case kPlanar: return {Vector3d(x, y, 0), about_z};
    case kInLine: return {is_planar ? Vector3d(x, 0, 0) : Vector3d(0, 0, z), any};
    case kInPlane: return {Vector3d(x, y, 0), any};
    case kParallel: return {Vector3d(x, y, z), about_z};
    case kPerpendicular: return {Vector3d(x, y, z), crossed()};
    case kOrientation: return {is_planar ? Vector3d(x, y, 0) : Vector3d(x, y, z), Matrix3d::Identity()};
    case kDistance: return {is_planar ? Vector3d(rod * x, rod * y, 0) : rod_in_space * Vector3d(x, y, z), any};
    case kRevoluteSpherical: return {Vector3d(rod * x, rod * y, 0), any};
    case kConstantVelocity: {
      const Vector3d bend = random.planar_rotation(random.number(-3, 3)) * Vector3d::UnitX();
      return {Vector3d::Zero(), Eigen::AngleAxisd(random.number(0.2, 1), bend).toRotationMatrix()};
    }
    case kPointOnCurve: {
      const double u = random.number(-2, 2), v = sample_curve().calc_value(u);
      return {is_polar ? Vector3d(v * std::cos(u), v * std::sin(u), 0) : Vector3d(u, v, 0), any};
    }
    case kRolling: {
      const Matrix3d tilted =
          about_z * Eigen::AngleAxisd(random.number(0.6, 2.4), Vector3d::UnitX()).toRotationMatrix();
      const Vector3d axis = tilted.col(2);
      return {Vector3d(x, y, parameter * std::hypot(axis[0], axis[1])), tilted * random.planar_rotation(y)};
    }
    default: return {};
  }
}

/// Two bodies with centres of mass off their frames and a joint between the given ones, closed where it stands.
struct Sample {
  std::shared_ptr<Model> model;
  int joint = -1;  // the one under test

  Sample(JointType type, bool is_planar, int first, int second, bool is_polar, Random& random)
      : model(make_model(is_planar ? Space::kPlanar : Space::kSpatial)) {
    const auto vector = [&] {
      Vector3d v = random.vector();
      if (is_planar) v[2] = 0;
      return v;
    };
    const auto rotation = [&] { return is_planar ? random.planar_rotation(random.number(-2, 2)) : random.rotation(); };
    for (const char* name : {"a", "b"}) {
      Matrix3d inertia = Vector3d(1, 1.5, 2).asDiagonal();
      inertia(0, 1) = inertia(1, 0) = 0.2;
      add_body(*model, name, random.number(0.5, 2), inertia, vector(), rotation());
      model->bodies.back().centre = vector();
    }
    model->curves.push_back({"curve", sample_curve()});
    if (is_coupling(type)) {
      add_base_joints(vector, rotation, random);
      add_coupling_of(type, random);
      return;
    }
    const double parameter = random.number(0.4, 1.2);
    joint = add_closed(type, first, second, allowed_placement(type, is_planar, is_polar, parameter, random), parameter,
                       vector, rotation);
    model->joints.back().curve = 0;
    model->joints.back().curve_is_polar = is_polar;
  }

  Placement frame_of(int body) const {
    if (body == kGround) return {};
    const model::Body& of = model->bodies[static_cast<std::size_t>(body)];
    return {of.position, math::rotation_from_quaternion(of.orientation)};
  }
  void place(int body, const Placement& at) {
    testing::set_pose(model->bodies[static_cast<std::size_t>(body)], at.p, at.R, std::atan2(at.R(1, 0), at.R(0, 0)));
  }

  /// Adds a joint with random markers and moves the second body (or, where that is the ground, the first) to close it.
  template <class V, class R>
  int add_closed(JointType type, int first, int second, const Placement& of_J_in_I, double parameter, const V& vector,
                 const R& rotation) {
    const Placement I{vector(), rotation()}, J{vector(), rotation()};
    if (second != kGround) {
      place(second, frame_of(first) * I * of_J_in_I * J.inverse());
    } else {
      place(first, frame_of(second) * J * of_J_in_I.inverse() * I.inverse());
    }
    const int i = add_marker(*model, first, I.p, I.R), j = add_marker(*model, second, J.p, J.R);
    return add_joint(*model, fmt::format("joint{}", model->joints.size()), type, i, j, parameter);
  }

  /// Joints with the coordinates that couplings couple: ground to a, a to b.
  template <class V, class R>
  void add_base_joints(const V& vector, const R& rotation, Random& random) {
    const bool is_planar = model->is_planar();
    const auto add = [&](JointType type, int first, int second) {
      add_closed(type, first, second, allowed_placement(type, is_planar, false, 0, random), 0, vector, rotation);
    };
    add(kRevolute, kGround, 0);
    add(is_planar ? kTranslational : kCylindrical, 0, 1);
    // Their angles and travels exist whether or not the joints are closed; these need not be.
    const auto add_open = [&](JointType type, int first, int second) {
      const int i = add_marker(*model, first, vector(), rotation()),
                j = add_marker(*model, second, vector(), rotation());
      add_joint(*model, fmt::format("joint{}", model->joints.size()), type, i, j);
    };
    add_open(kRevolute, 1, kGround);
    add_open(kOrientation, kGround, 1);
    if (!is_planar) add_open(kUniversal, 0, 1);
  }
  void add_coupling_of(JointType type, Random& random) {
    std::vector<model::CouplingTerm> terms;
    const auto add = [&](int of, CoordinateKind kind) { terms.push_back({random.number(0.5, 3), {of, kind}}); };
    if (type == kGear) {
      add(0, CoordinateKind::kAngle);
      add(2, CoordinateKind::kAngle);
    } else if (type == kRackAndPinion) {
      add(0, CoordinateKind::kAngle);
      add(1, CoordinateKind::kTravel);
    } else {
      for (const CoordinateKind kind : {CoordinateKind::kX, CoordinateKind::kY}) add(3, kind);
      if (model->is_planar()) {
        add(2, CoordinateKind::kAngle);
      } else {
        add(3, CoordinateKind::kZ);
        add(1, CoordinateKind::kAngle);
        add(4, CoordinateKind::kFirstAngle);
        add(4, CoordinateKind::kSecondAngle);
      }
    }
    joint = add_coupling(*model, "coupled", type, std::move(terms));
  }
};

struct JointCase {
  JointType type;
  bool is_planar;
};
std::string name_of(const JointCase& c);
void PrintTo(const JointCase& c, std::ostream* out) { *out << name_of(c); }  // NOLINT: GoogleTest's name

std::vector<JointCase> all_cases() {
  std::vector<JointCase> cases;
  for (const bool is_planar : {true, false}) {
    for (const model::JointTypeInfo& info : model::joint_types()) {
      if (is_planar ? info.in_plane : info.in_space) cases.push_back({info.type, is_planar});
    }
  }
  return cases;
}
std::string name_of(const JointCase& c) {
  std::string name = (c.is_planar ? "planar_" : "spatial_") + model::joint_type(c.type).name;
  for (char& letter : name) {
    if (letter == '-') letter = '_';
  }
  return name;
}

class EveryJoint : public ::testing::TestWithParam<JointCase> {
 protected:
  /// Calls visit(sample, random) for joints from the ground, to the ground and between both bodies in either order.
  template <class Visit>
  void for_each_sample(const Visit& visit) {
    const auto [type, is_planar] = GetParam();
    Random random(static_cast<unsigned>(type) + 100U * static_cast<unsigned>(is_planar));
    for (const auto& [first, second] : {std::pair{kGround, 0}, {1, kGround}, {0, 1}, {1, 0}}) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        SCOPED_TRACE(fmt::format("{}, markers on {} and {}, sample {}", name_of(GetParam()), first, second, repeat));
        const bool is_polar = repeat % 2 == 1;
        visit(Sample(type, is_planar, first, second, is_polar, random), random);
      }
    }
  }
};

/// The dual-number reference of all rows of a joint.
std::vector<testing::RowReference> reference_rows(const Sample& sample, std::size_t rows,
                                                  const RefBodies<double>& bodies, const Vec12<double>& xi) {
  std::vector<testing::RowReference> result;
  const Model& model = *sample.model;
  const bool is_rolling = model.joints[static_cast<std::size_t>(sample.joint)].type == kRolling;
  for (std::size_t row = 0; row < rows; ++row) {
    if (is_rolling && row > 0) {
      result.push_back(testing::differentiate_rate(
          [&](const auto& at, const auto& v) {
            return testing::slip_velocity(model, sample.joint, static_cast<int>(row) - 1, at, v);
          },
          bodies, xi));
    } else {
      result.push_back(testing::differentiate(
          [&](const auto& at) { return testing::joint_values(model, sample.joint, at)[row]; }, bodies, xi));
    }
  }
  return result;
}

TEST_P(EveryJoint, HasTheResidualsAndDerivativesOfItsDefinition) {
  for_each_sample([](const Sample& sample, Random& random) {
    const Mechanism system(sample.model);
    const Model& model = system.model();
    const std::vector<int>& rows = system.constraints().joint_rows()[static_cast<std::size_t>(sample.joint)];
    ASSERT_FALSE(rows.empty());
    const dae::Structure& s = system.structure();
    // Off the constraints and on the way; couplings have their constants from the given position.
    dae::State state = system.given_state();
    const RefBodies<double> given = testing::bodies_of(system, state);
    const VectorXd delta = random.vector_of(s.n_v(), 0.3);
    system.retract(state.q, delta, state.q);
    state.v = random.vector_of(s.n_v(), 2);
    system.set_counters(state);
    const RefBodies<double> bodies = testing::bodies_of(system, state);
    const Vec12<double> xi = testing::expand(model, state.v);
    const auto reference = reference_rows(sample, rows.size(), bodies, xi);

    dae::Evaluation evaluation(system);
    evaluation.set(state);
    const std::vector<double> values = testing::joint_values(model, sample.joint, bodies);
    const std::vector<double> at_start = testing::joint_values(model, sample.joint, given);
    const JointType type = model.joints[static_cast<std::size_t>(sample.joint)].type;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool has_constant = is_coupling(type) || (type == kScrew && k == 4);
      const double expected = values[k] - (has_constant ? at_start[k] : 0);
      EXPECT_LT(relative_error(evaluation.constraint()[rows[k]], expected), kTolerance)
          << s.constraint_names[static_cast<std::size_t>(rows[k])];
    }

    const VectorXd multipliers = random.vector_of(s.m()), direction = random.vector_of(s.n_v(), 2);
    VectorXd own_multipliers = VectorXd::Zero(s.m());
    const MatrixXd G = testing::dense_jacobian(evaluation);
    const MatrixXd velocity_by_q = testing::dense_derivative(evaluation, Derivative::kVelocityByQ);
    const MatrixXd acceleration_by_q = testing::dense_derivative(evaluation, Derivative::kAccelerationByQ, direction);
    const MatrixXd bias_by_v = testing::dense_derivative(evaluation, Derivative::kBiasByV);
    MatrixXd reaction = MatrixXd::Zero(s.n_v(), s.n_v());
    const Vec12<double> s_12 = testing::expand(model, direction);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const int row = rows[k];
      SCOPED_TRACE(s.constraint_names[static_cast<std::size_t>(row)]);
      const testing::RowReference& r = reference[k];
      const auto restricted = [&](const Vec12<double>& x) { return testing::restrict(model, x); };
      EXPECT_LT(relative_error(G.row(row).transpose(), restricted(r.gradient)), kTolerance);
      EXPECT_LT(relative_error(evaluation.acceleration_bias()[row], -r.bias), kTolerance);
      EXPECT_LT(relative_error(velocity_by_q.row(row).transpose(), restricted(r.rate_gradient)), kTolerance);
      EXPECT_LT(relative_error(acceleration_by_q.row(row).transpose(),
                               restricted(r.hessian.transpose() * s_12 + r.quadratic_gradient)),
                kTolerance);
      EXPECT_LT(relative_error(bias_by_v.row(row).transpose(), restricted(-r.velocity_gradient)), kTolerance);
      own_multipliers[row] = multipliers[row];
      reaction += multipliers[row] * testing::restrict(model, r.hessian);
    }
    EXPECT_LT(
        relative_error(testing::dense_derivative(evaluation, Derivative::kReactionByQ, own_multipliers), reaction),
        kTolerance);
    // Nothing is left to finite differences.
    for (int which = 0; which < dae::kDerivativeCount; ++which) {
      const auto derivative = static_cast<Derivative>(which);
      VectorXd room = VectorXd::Zero(s.pattern(derivative).size());
      const VectorXd& s_of = derivative == Derivative::kReactionByQ ? multipliers : direction;
      EXPECT_TRUE(system.calc_derivative(derivative, evaluation.point(), s_of, {s.pattern(derivative), room.data()}))
          << dae::to_string(derivative);
    }
  });
}

// The same from the outside: patterns have room for everything, and time derivatives and retract fit.
TEST_P(EveryJoint, PassesTheDerivativeCheck) {
  const auto [type, is_planar] = GetParam();
  Random random(77);
  const Sample sample(type, is_planar, 0, 1, false, random);
  const Mechanism system(sample.model);
  dae::State state = system.given_state();
  const VectorXd delta = random.vector_of(system.structure().n_v(), 0.2);
  system.retract(state.q, delta, state.q);
  system.set_counters(state);
  state.v = random.vector_of(state.v.size());
  state.a = random.vector_of(state.a.size());
  state.lambda = random.vector_of(state.lambda.size());
  const dae::DerivativeReport report = dae::check_derivatives(system, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
  EXPECT_TRUE(report.not_given.empty()) << to_string(report);
}

TEST_P(EveryJoint, IsClosedWhereItsDefinitionSays) {
  // Couplings are closed wherever they start.
  for_each_sample([](const Sample& sample, Random&) {
    const Mechanism system(sample.model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    for (const int row : system.constraints().joint_rows()[static_cast<std::size_t>(sample.joint)]) {
      const bool is_holonomic = row < system.structure().n_g;
      EXPECT_LT(is_holonomic ? std::abs(evaluation.constraint()[row]) : 0, 1e-14);
    }
  });
}

TEST_P(EveryJoint, TakesTheDegreesOfFreedomOfTheTextbook) {
  const std::map<JointType, int> in_space{
      {kRevolute, 5},      {kTranslational, 5}, {kCylindrical, 4},   {kSpherical, 3},         {kUniversal, 4},
      {kFixed, 6},         {kPlanar, 3},        {kInLine, 2},        {kInPlane, 1},           {kParallel, 2},
      {kPerpendicular, 1}, {kOrientation, 3},   {kDistance, 1},      {kRevoluteSpherical, 2}, {kGear, 1},
      {kCoupler, 1},       {kScrew, 5},         {kRackAndPinion, 1}, {kConstantVelocity, 4},  {kRolling, 3}};
  const std::map<JointType, int> in_plane{{kRevolute, 2},      {kTranslational, 2}, {kFixed, 3}, {kInLine, 1},
                                          {kOrientation, 1},   {kDistance, 1},      {kGear, 1},  {kCoupler, 1},
                                          {kRackAndPinion, 1}, {kPointOnCurve, 1}};
  const JointType type = GetParam().type;
  const std::map<JointType, int>& expected = GetParam().is_planar ? in_plane : in_space;
  ASSERT_TRUE(expected.contains(type)) << "a joint type that this test does not know";
  for_each_sample([&](const Sample& sample, Random&) {
    const Mechanism system(sample.model);
    const std::vector<int>& rows = system.constraints().joint_rows()[static_cast<std::size_t>(sample.joint)];
    ASSERT_EQ(static_cast<int>(rows.size()), expected.at(type));
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    const MatrixXd G = testing::dense_jacobian(evaluation);
    MatrixXd own(static_cast<Eigen::Index>(rows.size()), G.cols());
    for (std::size_t k = 0; k < rows.size(); ++k) own.row(static_cast<Eigen::Index>(k)) = G.row(rows[k]);
    EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(own).setThreshold(1e-9).rank(), expected.at(type));
    // All rows but slipping of a rolling disc act on positions.
    EXPECT_EQ(system.structure().n_g, system.structure().m() - (type == kRolling ? 2 : 0));
  });
}

TEST_P(EveryJoint, PushesBothBodiesAlike) {
  const auto [type, is_planar] = GetParam();
  Random random(static_cast<unsigned>(type) + 1000);
  for (const auto& [first, second] : {std::pair{0, 1}, {1, 0}}) {
    if (is_coupling(type))
      continue;  // they act on up to three bodies; particular_joints_test.cpp has one that acts on two
    const Sample sample(type, is_planar, first, second, false, random);
    const Mechanism system(sample.model);
    dae::State state = system.given_state();
    state.lambda = random.vector_of(state.lambda.size(), 3);
    dae::Evaluation evaluation(system);
    evaluation.set(state);
    const Vec12<double> force =
        testing::expand(system.model(), -testing::dense_jacobian(evaluation).transpose() * state.lambda);
    const RefBodies<double> bodies = testing::bodies_of(system, state);
    testing::TotalWrench total = testing::calc_total(bodies, force);
    if (is_planar) total.moment.head<2>().setZero();
    EXPECT_LT(total.force.norm(), 1e-13);
    EXPECT_LT(total.moment.norm(), 1e-13);

    // What the probe reports is what acts on the second body, at the point of marker J.
    Probe probe(system);
    probe.set(state);
    const Wrench reaction = probe.calc_reaction(sample.joint);
    const auto& body = bodies[static_cast<std::size_t>(second)];
    const auto J = testing::place_marker(system.model(), system.model().joints[0].j, bodies);
    EXPECT_LT((reaction.head<3>() - force.segment<3>(6 * second)).norm(), 1e-13);
    Vector3d torque = body.R * force.segment<3>(6 * second + 3) - (J.P - body.r).cross(force.segment<3>(6 * second));
    Vector3d given = reaction.tail<3>();
    if (is_planar) torque.head<2>().setZero(), given.head<2>().setZero();
    EXPECT_LT((given - torque).norm(), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint, ::testing::ValuesIn(all_cases()),
                         [](const auto& entry) { return name_of(entry.param); });

}  // namespace
}  // namespace trammel::system
