// Every joint of the catalogue, in the plane and in space, against dual numbers of what the textbook says it keeps at
// zero: residuals, Jacobians, biases and all derivatives of them; that it acts on both bodies alike; that it takes the
// right number of degrees of freedom.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/reference_mechanism.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/kkt/accelerations.h"
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
using testing::add_joint_at;
using testing::add_marker;
using testing::kGround;
using testing::make_model;
using testing::Matrix3d;
using testing::Model;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Vec12;
using testing::Vector3d;
using enum model::JointType;

constexpr double kTolerance = 1e-11;  // relative; double precision leaves about 1e-14

bool is_coupling(JointType type) { return type == kGear || type == kCoupler || type == kRackAndPinion; }

/// Where marker J is, seen from marker I: a random position that the joint allows.
struct Placement {
  Vector3d p = Vector3d::Zero();
  Matrix3d R = Matrix3d::Identity();

  Placement operator*(const Placement& next) const { return {p + R * next.p, R * next.R}; }
  Placement inverse() const { return {-(R.transpose() * p), R.transpose()}; }
};

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

  Sample(JointType type, bool is_planar, int first, int second, bool is_polar, Random& random) {
    model = make_model(is_planar ? Space::kPlanar : Space::kSpatial);
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
  const auto [type, is_planar] = GetParam();
  const std::map<JointType, int>& expected = is_planar ? in_plane : in_space;
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
    if (is_coupling(type)) continue;  // they act on up to three bodies; the next test has one that acts on two
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

// --- particular joints ----------------------------------------------------------------------------------------------

/// Null space of the Jacobian at the given state: the motions that the joints allow.
MatrixXd free_motions(const Mechanism& system) {
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  return Eigen::FullPivLU<MatrixXd>(testing::dense_jacobian(evaluation)).setThreshold(1e-9).kernel();
}

TEST(Joints, ACouplingOfOneJointsCoordinatesPushesBothBodiesAlike) {
  Random random(3);
  auto model = make_model(Space::kSpatial);
  for (const char* name : {"a", "b"}) {
    add_body(*model, name, 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
    model->bodies.back().centre = random.vector();
  }
  const int tube = add_joint_at(*model, "tube", kCylindrical, 0, 1, random.vector(), random.rotation());
  const int thread = add_coupling(*model, "thread", kCoupler,
                                  {{0.3, {tube, CoordinateKind::kAngle}}, {-2, {tube, CoordinateKind::kTravel}}});
  const Mechanism system(model);
  dae::State state = system.given_state();
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const int row = system.constraints().joint_rows()[static_cast<std::size_t>(thread)][0];
  const Vec12<double> force = testing::expand(*model, testing::dense_jacobian(evaluation).row(row).transpose());
  const testing::TotalWrench total = testing::calc_total(testing::bodies_of(system, state), force);
  EXPECT_NEAR(force.segment<3>(0).norm(), 2, 1e-13);
  EXPECT_LT(total.force.norm(), 1e-13);
  EXPECT_LT(total.moment.norm(), 1e-13);
}

TEST(Joints, RowsHaveNamesThatSayWhatTheyPrevent) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "door", 1, Vector3d(1, 1, 1));
  add_joint_at(*model, "hinge", kRevolute, kGround, 0, Vector3d::Zero());
  add_joint_at(*model, "wheel", kRolling, kGround, 0, Vector3d::Zero(),
               Eigen::AngleAxisd(1.5, Vector3d::UnitX()).toRotationMatrix(), 0.5);
  add_joint_at(*model, "rod", kDistance, kGround, 0, Vector3d::Ones(), Matrix3d::Identity(), 1);
  add_joint_at(*model, "bolt", kScrew, kGround, 0, Vector3d::Zero(), Matrix3d::Identity(), 0.1);
  const Mechanism system(model);
  const std::vector<std::string> expected{"revolute 'hinge': translation along x",
                                          "revolute 'hinge': translation along y",
                                          "revolute 'hinge': translation along z",
                                          "revolute 'hinge': rotation about its y axis",
                                          "revolute 'hinge': rotation about its x axis",
                                          "rolling 'wheel': height over the plane",
                                          "distance 'rod': change of length",
                                          "screw 'bolt': translation along its x axis",
                                          "screw 'bolt': translation along its y axis",
                                          "screw 'bolt': rotation about its y axis",
                                          "screw 'bolt': rotation about its x axis",
                                          "screw 'bolt': travel per turn",
                                          "rolling 'wheel': slip along x of the plane",
                                          "rolling 'wheel': slip along y of the plane"};
  EXPECT_EQ(system.structure().constraint_names, expected);
  EXPECT_EQ(system.constraints().joint_rows()[1], (std::vector<int>{5, 12, 13}));
}

// "rotation about its x axis" is the row whose multiplier is a torque about x of marker I.
TEST(Joints, NamesOfRotationRowsNameTheAxisOfTheirTorque) {
  Random random(4);
  for (const JointType type : {kRevolute, kFixed, kTranslational, kCylindrical, kPlanar, kParallel, kOrientation}) {
    auto model = make_model(Space::kSpatial);
    add_body(*model, "door", 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
    const Matrix3d axes = random.rotation();
    add_joint_at(*model, "j", type, kGround, 0, random.vector(), axes);
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    const MatrixXd G = testing::dense_jacobian(evaluation);
    const Matrix3d R = testing::bodies_of(system, system.given_state())[0].R;
    int found = 0;
    for (int row = 0; row < system.structure().m(); ++row) {
      const std::string& name = system.structure().constraint_names[static_cast<std::size_t>(row)];
      for (int k = 0; k < 3; ++k) {
        if (name != fmt::format("{} 'j': rotation about its {} axis", model::joint_type(type).name, "xyz"[k])) continue;
        ++found;
        const Vector3d torque = axes.transpose() * R * G.row(row).segment<3>(3).transpose();
        EXPECT_NEAR(std::abs(torque[k]), 1, 1e-14) << name;
        EXPECT_NEAR(torque.norm(), 1, 1e-14) << name;
      }
    }
    EXPECT_GE(found, 2);
  }
}

TEST(Joints, RowsCanBeLeftOut) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "door", 1, Vector3d(1, 1, 1));
  add_joint_at(*model, "hinge", kRevolute, kGround, 0, Vector3d::Zero());
  model->joints[0].initial.push_back({CoordinateKind::kAngle, 0.3, std::nullopt});
  CompileOptions options;
  options.constraints.dropped = {"revolute 'hinge': translation along y", "revolute 'hinge': initial angle"};
  options.constraints.with_initial_values = true;
  const Mechanism system(model, options);
  EXPECT_EQ(system.structure().m(), 4);
  EXPECT_EQ(system.structure().constraint_names[1], "revolute 'hinge': translation along z");
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  const MatrixXd G = testing::dense_jacobian(evaluation);
  EXPECT_EQ(VectorXd(G.row(0)), VectorXd(VectorXd::Unit(6, 0)));
  EXPECT_EQ(VectorXd(G.row(1)), VectorXd(VectorXd::Unit(6, 2)));
}

TEST(Joints, InitialCoordinatesHoldJointsWhereAssemblyWantsThem) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "door", 1, Vector3d(1, 1, 1), Vector3d::Zero(), testing::turned_about_z(0.2));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "hinge", kCylindrical, i, j);
  model->simulation.t_start = 2;
  model->joints[0].initial.push_back({CoordinateKind::kAngle, 0.3 + 4 * std::numbers::pi, 1.5});
  model->joints[0].initial.push_back({CoordinateKind::kTravel, std::nullopt, -0.7});
  CompileOptions options;
  options.constraints.with_initial_values = options.constraints.with_initial_rates = true;
  const Mechanism system(model, options);
  const dae::Structure& s = system.structure();
  ASSERT_EQ(s.m(), 7);
  ASSERT_EQ(s.n_g, 5);
  EXPECT_EQ(s.constraint_names[4], "cylindrical 'hinge': initial angle");
  EXPECT_EQ(s.constraint_names[5], "cylindrical 'hinge': initial angle rate");
  EXPECT_EQ(s.constraint_names[6], "cylindrical 'hinge': initial travel rate");
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  EXPECT_NEAR(evaluation.constraint()[4], 0.2 - 0.3, 1e-14);  // whole turns do not count
  EXPECT_NEAR(evaluation.velocity_offset()[5], -1.5, 1e-14);
  EXPECT_NEAR(evaluation.velocity_offset()[6], 0.7, 1e-14);
}

TEST(Joints, TheMultiplierOfARodIsItsForce) {
  // A ball of 2 kg hangs from a rod of 0.7 m; then it swings with 3 m/s, and the rod pulls by m v^2 / l more.
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    for (const double speed : {0.0, 3.0}) {
      auto model = make_model(space, Vector3d(0, -9.81, 0));
      add_body(*model, "ball", 2, Vector3d(1, 1, 1), Vector3d(0, -0.7, 0));
      model->bodies[0].velocity[0] = speed;
      const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
      add_joint(*model, "rod", kDistance, i, j, 0.7);
      const Mechanism system(model);
      dae::Evaluation evaluation(system);
      kkt::AccelerationSolver solver(evaluation);
      dae::State state = system.given_state();
      evaluation.set(state);
      ASSERT_EQ(solver.factor_position(), kkt::AccelerationStatus::kSolved);
      ASSERT_EQ(solver.solve(state), kkt::AccelerationStatus::kSolved);
      const double pull = 2 * 9.81 + 2 * speed * speed / 0.7;
      EXPECT_NEAR(evaluation.point().lambda[0], pull, 1e-12 * pull);  // > 0: pulled
      Probe probe(system);
      probe.set(evaluation.point());
      EXPECT_NEAR(probe.calc_reaction(0)[1], pull, 1e-12 * pull);  // upwards on the ball
      EXPECT_NEAR(probe.calc_reaction(0).norm(), pull, 1e-12 * pull);
    }
  }
}

TEST(Joints, ARodOfNegativeLengthIsAsLongAsAtTheStart) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "ball", 2, Vector3d(1, 1, 1), Vector3d(1, 2, 2));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "rod", kDistance, i, j, -1);
  const Mechanism system(model);
  dae::Evaluation evaluation(system);
  dae::State state = system.given_state();
  evaluation.set(state);
  EXPECT_EQ(evaluation.constraint()[0], 0);
  state.q.head<3>() << 1, 0, 0;
  evaluation.set(state);
  EXPECT_NEAR(evaluation.constraint()[0], -2, 1e-14);
}

TEST(Joints, CrossJointTurnsByTheTextbookRatio) {
  // Shaft a along x, shaft b bent by beta in the x-y plane; the pins of the cross are perpendicular to their shafts:
  // w_b / w_a = cos(beta) / (1 - sin^2(beta) cos^2(theta)), theta = 0 where the pin of a stands across the plane.
  const double beta = 0.6;
  for (const double theta : {0.0, 0.4, 1.1, 2.0, 2.9}) {
    auto model = make_model(Space::kSpatial);
    const Vector3d along_a = Vector3d::UnitX(), along_b(std::cos(beta), std::sin(beta), 0);
    const Vector3d pin_a = Eigen::AngleAxisd(theta, along_a) * Vector3d::UnitY();
    const Vector3d pin_b = along_b.cross(pin_a).normalized();
    const auto axes_with_z = [](const Vector3d& z, const Vector3d& x) {
      Matrix3d axes;
      axes << x, z.cross(x), z;
      return axes;
    };
    add_body(*model, "a", 1, Vector3d(1, 1, 1));
    add_body(*model, "b", 1, Vector3d(1, 1, 1));
    add_joint_at(*model, "bearing_a", kRevolute, kGround, 0, -along_a, axes_with_z(along_a, Vector3d::UnitZ()));
    add_joint_at(*model, "bearing_b", kRevolute, kGround, 1, along_b, axes_with_z(along_b, Vector3d::UnitZ()));
    const int i = add_marker(*model, 0, Vector3d::Zero(), axes_with_z(pin_a, along_a));
    const int j = add_marker(*model, 1, Vector3d::Zero(), axes_with_z(pin_b, along_b));
    add_joint(*model, "cross", kUniversal, i, j);
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-14);
    const MatrixXd motion = free_motions(system);
    ASSERT_EQ(motion.cols(), 1);
    const double w_a = motion.col(0).segment<3>(3).dot(along_a), w_b = motion.col(0).segment<3>(9).dot(along_b);
    // The pin of a lies in the plane of the shafts (and turns with most slip) at theta = 0 here.
    const double across = std::cos(theta);
    EXPECT_NEAR(w_b / w_a, std::cos(beta) / (1 - std::pow(std::sin(beta) * across, 2)), 1e-12) << theta;
  }
}

TEST(Joints, ConstantVelocityJointTurnsBothShaftsAlike) {
  Random random(9);
  const double beta = 0.7;
  const Vector3d along_a = Vector3d::UnitZ(), along_b(std::sin(beta), 0, std::cos(beta));
  for (const double theta : {0.0, 0.5, 1.3, 2.2, 3.0}) {
    auto model = make_model(Space::kSpatial);
    // b is a bent about the normal of both shafts, at every turn of a.
    const Matrix3d R_a = testing::turned_about_z(theta);
    const Matrix3d bend = Eigen::AngleAxisd(beta, Vector3d::UnitY()).toRotationMatrix();
    add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d::Zero(), R_a);
    add_body(*model, "b", 1, Vector3d(1, 1, 1), Vector3d::Zero(), bend * R_a);
    add_joint_at(*model, "bearing_a", kRevolute, kGround, 0, -along_a, Matrix3d::Identity());
    add_joint_at(*model, "bearing_b", kRevolute, kGround, 1, along_b, bend);
    const int i = add_marker(*model, 0), j = add_marker(*model, 1);
    add_joint(*model, "joint", kConstantVelocity, i, j);
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-14);
    const MatrixXd motion = free_motions(system);
    ASSERT_EQ(motion.cols(), 1);
    EXPECT_NEAR(motion(5, 0), motion(11, 0), 1e-12) << theta;
  }
}

TEST(Joints, CoordinatesAreWhatTheirNamesSay) {
  // Marker J: 0.3 along x, -0.4 along y, 1.2 along z of marker I and turned by 0.5 about z.
  Random random(10);
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
  add_body(*model, "b", 1, Vector3d(1, 1, 1));
  model->bodies[0].centre = random.vector();
  model->bodies[1].centre = random.vector();
  const Placement I{random.vector(), random.rotation()}, J{random.vector(), random.rotation()};
  const Placement between{Vector3d(0.3, -0.4, 1.2), testing::turned_about_z(0.5)};
  const Placement A{model->bodies[0].position, math::rotation_from_quaternion(model->bodies[0].orientation)};
  const Placement B = A * I * between * J.inverse();
  testing::set_pose(model->bodies[1], B.p, B.R);
  const int i = add_marker(*model, 0, I.p, I.R), j = add_marker(*model, 1, J.p, J.R);
  const int joint = add_joint(*model, "j", kInPlane, i, j);
  const int back = add_joint(*model, "back", kInPlane, j, i);
  const Mechanism system(model);
  Probe probe(system);
  probe.set(system.given_state());
  const auto value = [&](int of, CoordinateKind kind) { return probe.calc_joint_coordinate({of, kind}); };
  EXPECT_NEAR(value(joint, CoordinateKind::kX), 0.3, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kY), -0.4, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kZ), 1.2, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kTravel), 1.2, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kDistance), 1.3, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kAngle), 0.5, 1e-14);
  EXPECT_NEAR(value(back, CoordinateKind::kAngle), -0.5, 1e-14);
  EXPECT_NEAR(value(back, CoordinateKind::kTravel), -1.2, 1e-14);
}

TEST(Joints, AnglesOfACrossJoint) {
  // J = I turned by alpha about z, by a quarter about y (so that z of J is perpendicular), and by -beta about its z.
  for (const double alpha : {-2.0, 0.3, 1.4}) {
    for (const double beta : {-0.8, 0.6, 3.0}) {
      auto model = make_model(Space::kSpatial);
      const Matrix3d quarter = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
      add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d::Zero(),
               testing::turned_about_z(alpha) * quarter * testing::turned_about_z(-beta));
      const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
      add_joint(*model, "cross", kUniversal, i, j);
      const Mechanism system(model);
      Probe probe(system);
      probe.set(system.given_state());
      EXPECT_NEAR(probe.calc_joint_coordinate({0, CoordinateKind::kFirstAngle}), alpha, 1e-13);
      // z of I in the axes of J: Rz(beta) Ry(-90) z = Rz(beta) (-x).
      const double second = std::remainder(beta + std::numbers::pi, 2 * std::numbers::pi);
      EXPECT_NEAR(probe.calc_joint_coordinate({0, CoordinateKind::kSecondAngle}), second, 1e-13);
    }
  }
}

}  // namespace
}  // namespace trammel::system
