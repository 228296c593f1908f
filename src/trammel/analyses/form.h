#pragma once

// The form in which a model is integrated: as it is, with quasi-velocities, or in plain form (v = q'), which methods
// that lack general kinematics need for spatial models. Results and events are always in the former.

#include <memory>
#include <optional>
#include <vector>

#include "trammel/integrators/event.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/system/mechanism.h"
#include "trammel/system/plain_form.h"

namespace trammel::analyses {

enum class FormKind { kQuasi, kPlain };

struct Form {
  std::shared_ptr<const system::PlainForm> plain;  ///< null: the model as it is

  dae::State to_quasi(const dae::State& state) const { return plain ? plain->to_quasi(state) : state; }
  dae::State from_quasi(const dae::State& state) const { return plain ? plain->to_plain(state) : state; }
};

/// Whether the mechanism has rotations in space; null (equations) has none.
bool is_spatial(const system::Mechanism* mechanism);

/// The form that is wanted, or otherwise the one that the method can take. Only spatial mechanisms have a plain form;
/// throws std::invalid_argument when it is wanted of another.
Form choose_form(const std::shared_ptr<const system::Mechanism>& mechanism, const integrators::MethodEntry& method,
                 std::optional<FormKind> wanted = std::nullopt);

/// Events that read states with quasi-velocities, for a run in the given form.
std::vector<integrators::Event> events_in_form(std::vector<integrators::Event> events, const Form& form);

/// The interval of a run in the given form, with states that have quasi-velocities. Keeps a reference to the form.
integrators::SolutionInterval in_quasi_form(const integrators::SolutionInterval& interval, const Form& form);

}  // namespace trammel::analyses
