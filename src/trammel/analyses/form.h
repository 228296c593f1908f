#pragma once

// The form in which a model is integrated: as it is, with quasi-velocities; in plain form (v = q'), which methods that
// lack general kinematics need for spatial models; or in joint coordinates. Results and events are always in the first.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/integrators/event.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/system/mechanism.h"
#include "trammel/system/plain_form.h"

namespace trammel::system {
class JointForm;
}

namespace trammel::analyses {

enum class FormKind {
  kQuasi,
  kPlain,
  kJoint,
  kAutomatic,  ///< joint coordinates where they suit mechanism, method and options, or else what the method can take
};

/// At most one of them; none: the model as it is.
struct Form {
  std::shared_ptr<const system::PlainForm> plain = nullptr;
  std::shared_ptr<const system::JointForm> joint = nullptr;
  std::string reason = {};  ///< for the choice of coordinates, in words, where it was automatic

  bool is_quasi() const { return !plain && !joint; }
  /// What is integrated, of the system as it is.
  const dae::ConstrainedSystem& system_of(const dae::ConstrainedSystem& quasi) const;
  /// Reactions that are not asked for may be zero, where it takes work to find them.
  dae::State to_quasi(const dae::State& state, bool with_reactions = true) const;
  dae::State from_quasi(const dae::State& state) const;
};

/// Whether the mechanism has rotations in space; null (equations) has none.
bool is_spatial(const system::Mechanism* mechanism);

/// The form that is wanted, or otherwise the one that the method can take. Only spatial mechanisms have a plain form,
/// and only bodies joint coordinates, which are made at the consistent start; throws std::invalid_argument with a
/// message for the user when a form is wanted that the system has not, or that the method cannot take. The options are
/// those of the method: some suit one kind of coordinates only.
Form choose_form(const std::shared_ptr<const system::Mechanism>& mechanism, const dae::State& start,
                 const integrators::MethodEntry& method, std::optional<FormKind> wanted = std::nullopt,
                 const integrators::MethodOptions& options = {});

/// Events that read states with quasi-velocities, for a run in the given form.
std::vector<integrators::Event> events_in_form(std::vector<integrators::Event> events, const Form& form);

/// The interval of a run in the given form, with states that have quasi-velocities. Keeps a reference to the form.
integrators::SolutionInterval in_quasi_form(const integrators::SolutionInterval& interval, const Form& form);

/// The same in pieces in which no body turns by more than half a radian, and with a degree to match: for polynomials of
/// what is known of bodies. Where joints are the coordinates, a body may turn far in one step.
std::vector<integrators::SolutionInterval> in_quasi_form_by_turning(const integrators::SolutionInterval& interval,
                                                                    const Form& form);

}  // namespace trammel::analyses
