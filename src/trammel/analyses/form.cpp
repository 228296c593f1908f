#include "trammel/analyses/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "trammel/analyses/coordinates.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/analyses/reference_solution.h"

namespace trammel::analyses {

bool is_spatial(const system::Mechanism* mechanism) { return mechanism && !mechanism->bodies().is_planar(); }

const dae::ConstrainedSystem& Form::system_of(const dae::ConstrainedSystem& quasi) const {
  if (plain) return *plain;
  return joint ? static_cast<const dae::ConstrainedSystem&>(*joint) : quasi;
}

dae::State Form::to_quasi(const dae::State& state, bool with_reactions) const {
  if (plain) return plain->to_quasi(state);
  return joint ? joint->to_quasi(state, with_reactions) : state;
}

dae::State Form::from_quasi(const dae::State& state) const {
  if (plain) return plain->to_plain(state);
  return joint ? joint->from_quasi(state) : state;
}

namespace {

Form choose_coordinates(const std::shared_ptr<const system::Mechanism>& mechanism, const dae::State& start,
                        const integrators::MethodEntry& method, const integrators::MethodOptions& options) {
  Form body = choose_form(mechanism, start, method);
  if (!mechanism || mechanism->bodies().frames() < 2) return body;
  const auto in_body = [&](std::string reason) {
    body.reason = std::move(reason);
    return body;
  };
  const auto suits = [&](const dae::Structure& structure) {
    return find_obstacles(method, structure, options).empty();
  };
  const bool suits_bodies = suits(body.system_of(*mechanism).structure());
  const CoordinateAdvice advice = advise_coordinates(calc_tree_sizes(*mechanism), is_implicit(method));
  if (!advice.prefers_joints && suits_bodies) return in_body(advice.reason);
  Form joint;
  try {
    joint = choose_form(mechanism, start, method, FormKind::kJoint);
  } catch (const std::invalid_argument& error) {
    return in_body(error.what());
  }
  const bool suits_joints = suits(joint.joint->structure());
  if (suits_bodies && !suits_joints) return in_body("options of the method do not suit joint coordinates");
  if (!suits_bodies && !suits_joints) return in_body("");  // what is wrong is said by who runs it
  joint.reason = advice.prefers_joints ? advice.reason : "options of the method do not suit body coordinates";
  return joint;
}

}  // namespace

Form choose_form(const std::shared_ptr<const system::Mechanism>& mechanism, const dae::State& start,
                 const integrators::MethodEntry& method, std::optional<FormKind> wanted,
                 const integrators::MethodOptions& options) {
  if (wanted == FormKind::kAutomatic) return choose_coordinates(mechanism, start, method, options);
  if (wanted == FormKind::kJoint) {
    Form form;
    form.joint = make_joint_form(mechanism, start);
    if (form.joint->structure().n_v() == 0) {
      throw std::invalid_argument("the joints leave no motion free, so that there are no joint coordinates");
    }
    if (form.joint->tree().has_balls() && !method.capabilities.general_kinematics) {
      throw std::invalid_argument(
          fmt::format("method '{}' needs positions whose rates are the velocities (q' = v), and {} turns like a ball: "
                      "take body coordinates, or a method without that need, such as projection, mexx or hht",
                      method.name, form.joint->tree().describe_ball()));
    }
    return form;
  }
  const bool can_be_plain = is_spatial(mechanism.get());
  if (wanted == FormKind::kPlain && !can_be_plain) {
    throw std::invalid_argument("the plain form is for spatial models: others have v = q' anyway");
  }
  const bool needs_plain = can_be_plain && !method.capabilities.general_kinematics;
  if (wanted ? *wanted == FormKind::kQuasi : !needs_plain) return {};
  return {std::make_shared<const system::PlainForm>(mechanism, mechanism->rotations())};
}

std::vector<integrators::Event> events_in_form(std::vector<integrators::Event> events, const Form& form) {
  if (form.is_quasi()) return events;
  for (integrators::Event& event : events) {
    event.function = [form, inner = event.function, with = event.needs_accelerations](const dae::State& state) {
      return inner(form.to_quasi(state, with));
    };
    if (event.settle) {
      event.settle = [form, inner = event.settle](dae::State& state, bool is_start) {
        dae::State quasi = form.to_quasi(state);
        std::vector<std::string> happened = inner(quasi, is_start);
        state.x = form.from_quasi(quasi).x;
        return happened;
      };
    }
    if (!event.change) continue;
    event.change = [form, inner = event.change](dae::State& state) {
      dae::State quasi = form.to_quasi(state);
      inner(quasi);
      state.x = form.from_quasi(quasi).x;
    };
  }
  return events;
}

integrators::SolutionInterval in_quasi_form(const integrators::SolutionInterval& interval, const Form& form) {
  if (form.is_quasi()) return interval;
  integrators::SolutionInterval result = interval;
  result.at = [&form, at = interval.at, state = dae::State()](double t) mutable -> const dae::State* {
    const dae::State* own = at(t);
    if (own == nullptr) return nullptr;
    state = form.to_quasi(*own);
    return &state;
  };
  return result;
}

namespace {

/// A circle over half a radian is a polynomial of this degree but for 4e-14 of its radius.
constexpr double kTurn = 0.5;
constexpr int kTurnDegree = 8;

/// Largest angular velocity of a body [rad/s].
double calc_spin(const system::BodyTable& bodies, const linalg::Vector& v) {
  double largest = 0;
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const int i = bodies.v_of(frame);
    largest = std::max(largest, bodies.is_planar() ? std::abs(v[i + 2]) : v.segment<3>(i + 3).norm());
  }
  return largest;
}

}  // namespace

std::vector<integrators::SolutionInterval> in_quasi_form_by_turning(const integrators::SolutionInterval& interval,
                                                                    const Form& form) {
  const integrators::SolutionInterval whole = in_quasi_form(interval, form);
  if (!form.joint) return {whole};
  double spin = 0;
  for (const double t : {whole.begin, whole.end}) {
    const dae::State* state = whole.at(t);
    if (state == nullptr) return {whole};
    spin = std::max(spin, calc_spin(form.joint->full().bodies(), state->v));
  }
  const double length = whole.end - whole.begin;
  const int count = std::max(1, static_cast<int>(std::ceil(spin * length / kTurn)));
  std::vector<integrators::SolutionInterval> pieces(static_cast<std::size_t>(count), whole);
  for (int k = 0; k < count; ++k) {
    integrators::SolutionInterval& piece = pieces[static_cast<std::size_t>(k)];
    piece.begin = k == 0 ? whole.begin : pieces[static_cast<std::size_t>(k - 1)].end;
    piece.end = k + 1 == count ? whole.end : whole.begin + length * (k + 1) / count;
    piece.degree = std::max(whole.degree, kTurnDegree);
    piece.continues = k > 0 || whole.continues;
  }
  return pieces;
}

}  // namespace trammel::analyses
