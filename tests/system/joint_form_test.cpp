// A model in joint coordinates is the same model: positions, velocities, accelerations and reactions of body
// coordinates, exact derivatives, and what solvers are told of the tree.

#include "trammel/system/joint_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cases/case.h"
#include "tests/cases/index1.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/models.h"
#include "tests/support/reference_bodies.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/analyses/prepare.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/dae/evaluation.h"
#include "trammel/math/quaternion.h"
#include "trammel/model/joint_types.h"

namespace trammel::system {
namespace {

using dae::Derivative;
using dae::State;
using Eigen::MatrixXd;
using linalg::Vector;
using testing::Random;

/// A mechanism with its joint coordinates and a start.
struct Subject {
  std::shared_ptr<const Mechanism> mechanism;
  std::shared_ptr<const JointForm> form;
  State start;  // in joint coordinates
};

Subject make_subject(const std::shared_ptr<const Mechanism>& mechanism, const State& start) {
  Subject subject{mechanism, analyses::make_joint_form(mechanism, start), {}};
  subject.start = subject.form->from_quasi(start);
  return subject;
}

Subject make_subject(const std::string& case_name) {
  const cases::Case c = cases::build_case(*cases::find_case(case_name));
  return make_subject(c.mechanism, c.start);
}

/// The start moved in all coordinates, with velocities: the loops are open.
State random_state(const Subject& subject, unsigned seed, double way = 0.2, double speed = 1) {
  Random random(seed);
  State state = subject.start;
  subject.form->retract(state.q, random.vector_of(subject.form->structure().n_v(), way), state.q);
  state.v = random.vector_of(subject.form->structure().n_v(), speed);
  state.t += 0.1;
  return state;
}

double largest_difference(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return INFINITY;
  return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff();
}

/// Accelerations and multipliers of the tree's equations, and those of all bodies at the same positions and velocities,
/// solved separately.
void expect_same_motion(const Subject& subject, State state, double tolerance) {
  const dae::Structure& s = subject.mechanism->structure();
  if (state.v.size() > 0) cases::solve_accelerations(*subject.form, state);
  const State quasi = subject.form->to_quasi(state);
  State expected = quasi;
  cases::solve_accelerations(*subject.mechanism, expected);
  const double a_scale = std::max(1.0, linalg::largest_abs(expected.a));
  const double lambda_scale = std::max(1.0, linalg::largest_abs(expected.lambda));
  for (int i = 0; i < s.n_v(); ++i) {
    ASSERT_NEAR(quasi.a[i], expected.a[i], tolerance * a_scale) << s.velocity_names[static_cast<std::size_t>(i)] << "'";
  }
  for (int i = 0; i < s.m(); ++i) {
    ASSERT_NEAR(quasi.lambda[i], expected.lambda[i], tolerance * lambda_scale)
        << s.constraint_names[static_cast<std::size_t>(i)];
  }
}

/// The constraints of the joints in the tree hold, with their derivatives, wherever the coordinates are.
void expect_closed_tree(const Subject& subject, const State& state, double tolerance) {
  const Mechanism& mechanism = *subject.mechanism;
  dae::Evaluation evaluation(mechanism);
  evaluation.set(subject.form->to_quasi(state));
  Vector velocity = Vector::Zero(mechanism.structure().m()), acceleration = -evaluation.acceleration_bias();
  evaluation.calc_velocity_residual(velocity);
  mechanism.structure().jacobian.add_product(evaluation.jacobian(), evaluation.point().a, 1, acceleration);
  const double speed = 1 + linalg::largest_abs(evaluation.point().v),
               size = 1 + linalg::largest_abs(evaluation.point().q);
  for (const int joint : subject.form->tree().tree().joint) {
    if (joint < 0) continue;
    for (const int row : mechanism.constraints().joint_rows()[static_cast<std::size_t>(joint)]) {
      SCOPED_TRACE(mechanism.structure().constraint_names[static_cast<std::size_t>(row)]);
      if (row < mechanism.structure().n_g) {
        EXPECT_NEAR(evaluation.constraint()[row], 0, tolerance * size * size);
      }
      EXPECT_NEAR(velocity[row], 0, tolerance * size * speed);
      EXPECT_NEAR(acceleration[row], 0, tolerance * size * (speed * speed + linalg::largest_abs(evaluation.point().a)));
    }
  }
}

/// Velocities of the bodies are the derivatives of their positions, accelerations those of the velocities.
void expect_true_rates(const Subject& subject, State state) {
  constexpr double kStep = 1e-4;
  const JointForm& form = *subject.form;
  const BodyTable& bodies = subject.mechanism->bodies();
  Random random(7);
  state.a = random.vector_of(form.structure().n_v(), 1);
  const State here = form.to_quasi(state);
  const auto at = [&](double h) {
    State moved = state;
    // Along the motion with the velocity v + h a, constant acceleration: exact to second order in between.
    form.retract(state.q, h * state.v + h * h / 2 * state.a, moved.q);
    moved.v = state.v + h * state.a;
    return form.to_quasi(moved);
  };
  const State before = at(-kStep), behind = at(kStep);
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    SCOPED_TRACE(subject.mechanism->model().bodies[static_cast<std::size_t>(frame - 1)].name);
    const int q = bodies.q_of(frame), v = bodies.v_of(frame);
    Vector rate(bodies.v_size());
    if (bodies.is_planar()) {
      rate = (behind.q.segment<3>(q) - before.q.segment<3>(q)) / (2 * kStep);
    } else {
      rate.head<3>() = (behind.q.segment<3>(q) - before.q.segment<3>(q)) / (2 * kStep);
      const Eigen::Vector4d turn =
          math::quaternion_product(math::conjugate(before.q.segment<4>(q + 3)), behind.q.segment<4>(q + 3));
      // In the axes of the middle up to second order.
      const Eigen::Vector3d w = math::vector_from_quaternion(turn) / (2 * kStep);
      const Eigen::Vector3d half = math::vector_from_quaternion(
          math::quaternion_product(math::conjugate(here.q.segment<4>(q + 3)), before.q.segment<4>(q + 3)));
      rate.tail<3>() = math::rotation_from_vector(half) * w;
    }
    const double scale = 1 + linalg::largest_abs(here.v) + linalg::largest_abs(here.a);
    EXPECT_LT(largest_difference(rate, here.v.segment(v, rate.size())), 1e-5 * scale * scale);
    const Vector a = (behind.v.segment(v, rate.size()) - before.v.segment(v, rate.size())) / (2 * kStep);
    EXPECT_LT(largest_difference(a, here.a.segment(v, rate.size())), 1e-5 * scale * scale);
  }
}

/// M is J^T M J with the Jacobian column by column, and sum_k V_k^T M_k V_k of the tree that solvers are told.
void expect_consistent_mass(const Subject& subject, const State& state) {
  const JointForm& form = *subject.form;
  const dae::Structure &s = form.structure(), &full = subject.mechanism->structure();
  const int n = s.n_v();
  MatrixXd J(full.n_v(), n);
  for (int i = 0; i < n; ++i) {
    State moving = state;
    moving.v = Vector::Unit(n, i);
    J.col(i) = form.to_quasi(moving).v;
  }
  dae::Evaluation bodies(*subject.mechanism), joints(form);
  bodies.set(form.to_quasi(state));
  joints.set(state);
  const MatrixXd M = s.mass.to_dense(joints.mass());
  const MatrixXd expected = J.transpose() * full.mass.to_dense(bodies.mass()) * J;
  const auto largest = [](const MatrixXd& A) { return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0; };
  const double scale = std::max(1.0, largest(expected));
  EXPECT_LT(largest(M - expected), 1e-13 * scale);

  ASSERT_TRUE(s.tree.has_value());
  const dae::TreeStructure& tree = *s.tree;
  const dae::TreeValues& values = joints.tree();
  const int width = tree.width, parts = tree.shift_size();
  std::vector<MatrixXd> twists;
  MatrixXd sum = MatrixXd::Zero(n, n);
  Vector force = Vector::Zero(n);
  const double* wrenches = joints.tree_force();
  ASSERT_NE(wrenches, nullptr);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const dae::TreeStructure::Node& node = tree.nodes[k];
    MatrixXd V = MatrixXd::Zero(width, n);
    if (node.parent >= 0) {
      ASSERT_LT(node.parent, static_cast<int>(k));
      V = twists[static_cast<std::size_t>(node.parent)];
      const double* d = values.shift.data() + k * static_cast<std::size_t>(parts);
      for (int i = 0; i < n; ++i) {
        if (width == 3) {
          V(0, i) -= V(2, i) * d[1];
          V(1, i) += V(2, i) * d[0];
        } else {
          V.col(i).head<3>() += V.col(i).tail<3>().cross(Eigen::Vector3d(d[0], d[1], d[2])).eval();
        }
      }
    }
    V.middleCols(node.first, node.count) +=
        Eigen::Map<const MatrixXd>(values.axes.data() + node.axes, width, node.count);
    sum +=
        V.transpose() *
        Eigen::Map<const MatrixXd>(values.inertia.data() + k * static_cast<std::size_t>(width * width), width, width) *
        V;
    force += V.transpose() * Eigen::Map<const Vector>(wrenches + static_cast<int>(k) * width, width);
    twists.push_back(std::move(V));
  }
  EXPECT_LT(largest(sum - expected), 1e-13 * scale);
  EXPECT_LT(largest(force - joints.force()), 1e-12 * (1 + largest(joints.force())));
  const double energy = 0.5 * state.v.dot(expected * state.v);
  EXPECT_NEAR(joints.calc_kinetic_energy(), energy, 1e-12 * (1 + energy));
}

void expect_exact_derivatives(const Subject& subject, State state) {
  Random random(3);
  const dae::Structure& s = subject.form->structure();
  state.a = random.vector_of(s.n_v(), 1);
  state.lambda = random.vector_of(s.m(), 1);
  state.x += random.vector_of(s.n_x(), 0.1);
  state.x_rate = random.vector_of(s.n_x(), 1);
  const dae::DerivativeReport report = dae::check_derivatives(*subject.form, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
}

/// Euler parameters of either sign are the same orientation: angles in space that come back have lost their turns.
Vector with_signs_of(const Mechanism& mechanism, Vector q, const Vector& other) {
  for (const RotationSlot& slot : mechanism.rotations()) {
    if (q.segment<4>(slot.q).dot(other.segment<4>(slot.q)) < 0) q.segment<4>(slot.q) *= -1;
  }
  return q;
}

/// Whatever state of the tree goes to body coordinates and comes back.
void expect_round_trip(const Subject& subject, State state) {
  Random random(5);
  state.a = random.vector_of(subject.form->structure().n_v(), 1);
  const State quasi = subject.form->to_quasi(state);
  const State back = subject.form->from_quasi(quasi);
  const State again = subject.form->to_quasi(back);
  EXPECT_LT(largest_difference(with_signs_of(*subject.mechanism, again.q, quasi.q), quasi.q),
            1e-12 * (1 + linalg::largest_abs(quasi.q)));
  EXPECT_LT(largest_difference(again.v, quasi.v), 1e-11 * (1 + linalg::largest_abs(quasi.v)));
  EXPECT_LT(largest_difference(again.a, quasi.a), 1e-11 * (1 + linalg::largest_abs(quasi.a)));
  EXPECT_LT(largest_difference(back.v, state.v), 1e-11 * (1 + linalg::largest_abs(quasi.v)));
  EXPECT_LT(largest_difference(back.a, state.a), 1e-11 * (1 + linalg::largest_abs(quasi.a)));
}

// --- every joint ----------------------------------------------------------------------------------------------------

struct JointCase {
  model::JointType type;
  bool is_planar;
};

std::string name_of(const JointCase& c) {
  std::string name = (c.is_planar ? "planar_" : "spatial_") + model::joint_type(c.type).name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
void PrintTo(const JointCase& c, std::ostream* out) { *out << name_of(c); }  // NOLINT: GoogleTest's name

/// Whether a joint of this type may be in the tree.
bool has_coordinates(model::JointType type, bool is_planar) {
  using enum model::JointType;
  switch (type) {
    case kRevolute:
    case kTranslational:
    case kInLine:
    case kOrientation:
    case kFixed: return true;
    case kCylindrical:
    case kSpherical:
    case kUniversal:
    case kPlanar:
    case kInPlane:
    case kParallel:
    case kScrew:
    case kRevoluteSpherical: return !is_planar;
    default: return false;
  }
}

std::vector<JointCase> all_joints() {
  std::vector<JointCase> result;
  for (const bool is_planar : {true, false}) {
    for (const model::JointTypeInfo& info : model::joint_types()) {
      const bool exists = is_planar ? info.in_plane : info.in_space;
      if (exists && has_coordinates(info.type, is_planar)) result.push_back({info.type, is_planar});
    }
  }
  return result;
}

Eigen::Matrix3d random_axes(Random& random, bool is_planar) {
  return is_planar ? testing::turned_about_z(random.number(-3, 3)) : math::rotation_from_vector(random.vector(2));
}

/// Three bodies in a row, each on the one before by the joint, whose markers are in the order given; closed at the
/// start, by a joint that holds both markers together. Springs and dampers pull at all of them.
std::shared_ptr<const model::Model> make_row(const JointCase& c, bool is_reversed, unsigned seed) {
  Random random(seed);
  const auto point = [&](double size) {
    Eigen::Vector3d p = random.vector(size);
    if (c.is_planar) p[2] = 0;
    return p;
  };
  const auto model = testing::make_model(c.is_planar ? model::Space::kPlanar : model::Space::kSpatial,
                                         c.is_planar ? Eigen::Vector3d(0.3, -9.81, 0) : Eigen::Vector3d(1, 2, -9.81));
  const double parameter = c.type == model::JointType::kScrew               ? 0.3
                           : c.type == model::JointType::kRevoluteSpherical ? 0.7
                                                                            : 0;
  for (int k = 0; k < 3; ++k) {
    testing::add_body(*model, fmt::format("body{}", k), random.number(1, 3), Eigen::Vector3d(2, 2.5, 3), point(1),
                      random_axes(random, c.is_planar));
    model->bodies.back().centre = point(0.2);
    const auto place = [&](int body) {
      if (body < 0) return math::Matrix3<double>(Eigen::Matrix3d::Identity());
      return math::Matrix3<double>(
          math::rotation_from_quaternion(model->bodies[static_cast<std::size_t>(body)].orientation.normalized()));
    };
    const int parent = k == 0 ? model::kGround : k - 1;
    Eigen::Vector3d at = point(1);
    Eigen::Matrix3d axes = random_axes(random, c.is_planar), axes_j = axes;
    Eigen::Vector3d at_j = at;
    if (c.type == model::JointType::kUniversal) axes_j.col(2) = axes.col(0), axes_j.col(0) = -axes.col(2);
    if (c.type == model::JointType::kRevoluteSpherical) at_j += 0.7 * (0.6 * axes.col(0) + 0.8 * axes.col(1));
    const auto mark = [&](int body, const Eigen::Vector3d& p, const Eigen::Matrix3d& R) {
      const Eigen::Vector3d origin =
          body < 0 ? Eigen::Vector3d::Zero() : model->bodies[static_cast<std::size_t>(body)].position;
      return testing::add_marker(*model, body, place(body).transpose() * (p - origin), place(body).transpose() * R);
    };
    const int first = is_reversed ? k : parent, second = is_reversed ? parent : k;
    const int i = mark(first, at, axes), j = mark(second, at_j, axes_j);
    testing::add_joint(*model, fmt::format("joint{}", k), c.type, i, j, parameter);
  }
  return model;
}

class EveryTreeJoint : public ::testing::TestWithParam<JointCase> {};

TEST_P(EveryTreeJoint, MovesAsItsConstraintsAllow) {
  for (const bool is_reversed : {false, true}) {
    for (const unsigned seed : {1U, 2U}) {
      SCOPED_TRACE(fmt::format("{}, seed {}", is_reversed ? "reversed" : "as it is", seed));
      const auto mechanism = std::make_shared<const Mechanism>(make_row(GetParam(), is_reversed, seed));
      const Subject subject = make_subject(mechanism, mechanism->given_state());
      const JointForm& form = *subject.form;
      EXPECT_EQ(form.structure().m(), 0);
      EXPECT_EQ(form.structure().n_v() - form.structure().m(),
                mechanism->structure().n_v() - mechanism->structure().m());
      // The start is met.
      const State start = form.to_quasi(subject.start);
      EXPECT_LT(largest_difference(start.q, mechanism->given_state().q), 1e-13);
      for (const unsigned state_seed : {11U, 12U}) {
        State state = random_state(subject, state_seed, 1.5, 2);
        state.a = Random(state_seed + 1).vector_of(form.structure().n_v(), 1);
        expect_closed_tree(subject, state, 1e-12);
        expect_true_rates(subject, state);
        expect_consistent_mass(subject, state);
        expect_round_trip(subject, state);
        expect_exact_derivatives(subject, state);
        expect_same_motion(subject, state, 1e-10);
      }
    }
  }
}

/// Coordinates with a name that the model knows have its value.
TEST_P(EveryTreeJoint, HasTheCoordinatesOfTheModel) {
  for (const bool is_reversed : {false, true}) {
    const auto mechanism = std::make_shared<const Mechanism>(make_row(GetParam(), is_reversed, 4));
    const Subject subject = make_subject(mechanism, mechanism->given_state());
    const State state = random_state(subject, 21, 1, 2), quasi = subject.form->to_quasi(state);
    std::vector<BodyFrame> frames(static_cast<std::size_t>(mechanism->bodies().frames()));
    std::vector<Twist> twists(frames.size());
    mechanism->bodies().calc_frames(quasi.q.data(), frames);
    mechanism->bodies().calc_twists(quasi.v.data(), twists);
    for (const JointTree::Step& step : subject.form->tree().steps()) {
      if (step.kind == topology::MotionKind::kBall) continue;
      const std::string& name = subject.form->structure().position_names[static_cast<std::size_t>(step.q)];
      SCOPED_TRACE(name);
      const std::string kind = name.substr(name.find('.') + 1);
      const int joint = step.frame - 1;
      const auto& kinds = model::joint_type(GetParam().type).coordinates(mechanism->model().space);
      for (const model::CoordinateKind of : kinds) {
        if (model::to_string(of) != kind) continue;
        const PlacedCoordinate coordinate = make_joint_coordinate(mechanism->model(), {joint, of});
        const double difference = coordinate.coordinate.value(coordinate.frames(frames)) - state.q[step.q];
        EXPECT_NEAR(model::is_angle(of) ? std::remainder(difference, 2 * M_PI) : difference, 0, 1e-12);
        EXPECT_NEAR(coordinate.calc_rate(frames, twists), state.v[step.v], 1e-11);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryTreeJoint, ::testing::ValuesIn(all_joints()),
                         [](const auto& test) { return name_of(test.param); });

// --- what happens where rows are redundant, and memory --------------------------------------------------------------

/// A planar loop in space: three of its rows are redundant.
std::shared_ptr<const model::Model> make_four_bar() {
  const auto model = testing::make_model(model::Space::kSpatial, Eigen::Vector3d(1, -9.81, 0.5));
  const std::array<Eigen::Vector3d, 4> points{Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.2, 1, 0),
                                              Eigen::Vector3d(2, 1.5, 0), Eigen::Vector3d(2.2, 0, 0)};
  for (std::size_t k = 0; k < 3; ++k) {
    testing::add_body(*model, fmt::format("bar{}", k), 1.0 + static_cast<double>(k), Eigen::Vector3d(0.2, 0.3, 0.4),
                      (points[k] + points[k + 1]) / 2);
  }
  for (int k = 0; k < 4; ++k) {
    testing::add_joint_at(*model, fmt::format("pin{}", k), model::JointType::kRevolute, k == 0 ? model::kGround : k - 1,
                          k == 3 ? model::kGround : k, points[static_cast<std::size_t>(k)]);
  }
  return model;
}

TEST(JointForm, BearsTheSameLoadsWhicheverRedundantRowsWereLeftOut) {
  const analyses::Prepared prepared = analyses::prepare(make_four_bar());
  ASSERT_TRUE(prepared.ok) << prepared.message;
  ASSERT_EQ(prepared.mobility.redundant.size(), 3u);
  // The last pin has lost three rows, and is cut ...
  Subject subject{prepared.mechanism, analyses::make_joint_form(prepared.mechanism, prepared.start), {}};
  ASSERT_EQ(subject.form->tree().tree().cut_joints, std::vector<int>{3});
  subject.start = subject.form->from_quasi(prepared.start);
  EXPECT_EQ(subject.form->structure().m(), 2);
  expect_same_motion(subject, subject.start, 1e-12);
  // ... or stays whole in the tree, while another one loses them.
  subject.form =
      analyses::make_joint_form(prepared.mechanism, prepared.start,
                                topology::find_spanning_tree(topology::make_graph(prepared.mechanism->model())));
  ASSERT_NE(subject.form->tree().tree().cut_joints, std::vector<int>{3});
  subject.start = subject.form->from_quasi(prepared.start);
  EXPECT_EQ(subject.form->structure().m(), 2);
  EXPECT_EQ(subject.form->structure().implied_names.size(), 3u);
  expect_same_motion(subject, subject.start, 1e-12);
}

TEST(JointForm, EvaluationTakesNoMemory) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  for (const char* name : {"seven-body", "double-wishbone", "servo-arm", "belt-oscillator", "spatial-chain"}) {
    SCOPED_TRACE(name);
    const Subject subject = make_subject(name);
    const dae::Structure& s = subject.form->structure();
    dae::Evaluation evaluation(*subject.form);
    State state = subject.start;
    Random random(2);
    const Vector direction = random.vector_of(s.n_v(), 1), multipliers = random.vector_of(s.m(), 1);
    const Vector displacement = random.vector_of(s.n_v(), 1e-3);
    const auto evaluate = [&] {
      state.t += 1e-3;
      state.v[0] += 1e-3;
      subject.form->retract(state.q, displacement, state.q);
      evaluation.set(state);
      evaluation.mass();
      evaluation.tree();
      evaluation.jacobian();
      evaluation.constraint();
      evaluation.velocity_offset();
      evaluation.force();
      evaluation.acceleration_bias();
      evaluation.state_rate();
      for (int which = 0; which < dae::kDerivativeCount; ++which) {
        const auto derivative = static_cast<Derivative>(which);
        evaluation.derivative(derivative, derivative == Derivative::kReactionByQ ? multipliers : direction);
      }
      evaluation.calc_energy();
    };
    evaluate();
    const long before = testing::allocation_count();
    for (int repeat = 0; repeat < 5; ++repeat) evaluate();
    EXPECT_EQ(testing::allocation_count() - before, 0);
  }
}

// --- every case -----------------------------------------------------------------------------------------------------

std::vector<std::string> model_cases() {
  std::vector<std::string> names;
  for (const cases::CaseEntry* entry : cases::cases()) {
    if (entry->model) names.push_back(entry->name);
  }
  return names;
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, IsTheSameInJointCoordinates) {
  const Subject subject = make_subject(GetParam());
  const JointForm& form = *subject.form;
  EXPECT_LT(largest_difference(form.to_quasi(subject.start).q,
                               form.to_quasi(form.from_quasi(form.to_quasi(subject.start))).q),
            1e-12);
  expect_same_motion(subject, subject.start, 1e-9);
  const State state = random_state(subject, 31, 0.05, 0.5);
  expect_closed_tree(subject, state, 1e-12);
  expect_true_rates(subject, state);
  expect_consistent_mass(subject, state);
  expect_round_trip(subject, state);
  if (form.structure().n_v() <= 60) expect_exact_derivatives(subject, state);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryModel, ::testing::ValuesIn(model_cases()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace trammel::system
