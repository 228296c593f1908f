#include "trammel/analyses/form.h"

#include <stdexcept>

namespace trammel::analyses {

bool is_spatial(const system::Mechanism* mechanism) { return mechanism && !mechanism->bodies().is_planar(); }

Form choose_form(const std::shared_ptr<const system::Mechanism>& mechanism, const integrators::MethodEntry& method,
                 std::optional<FormKind> wanted) {
  const bool can_be_plain = is_spatial(mechanism.get());
  if (wanted == FormKind::kPlain && !can_be_plain) {
    throw std::invalid_argument("the plain form is for spatial models: others have v = q' anyway");
  }
  const bool needs_plain = can_be_plain && !method.capabilities.general_kinematics;
  if (wanted ? *wanted == FormKind::kQuasi : !needs_plain) return {};
  return {std::make_shared<const system::PlainForm>(mechanism, mechanism->rotations())};
}

std::vector<integrators::Event> events_in_form(std::vector<integrators::Event> events, const Form& form) {
  if (!form.plain) return events;
  for (integrators::Event& event : events) {
    event.function = [form, inner = event.function](const dae::State& state) { return inner(form.to_quasi(state)); };
    if (event.settle) {
      event.settle = [form, inner = event.settle](dae::State& state, bool is_start) {
        dae::State quasi = form.to_quasi(state);
        std::vector<std::string> happened = inner(quasi, is_start);
        state.x = quasi.x;
        return happened;
      };
    }
    if (!event.change) continue;
    event.change = [form, inner = event.change](dae::State& state) {
      dae::State quasi = form.to_quasi(state);
      inner(quasi);
      state.x = quasi.x;
    };
  }
  return events;
}

integrators::SolutionInterval in_quasi_form(const integrators::SolutionInterval& interval, const Form& form) {
  if (!form.plain) return interval;
  integrators::SolutionInterval result = interval;
  result.at = [&form, at = interval.at, state = dae::State()](double t) mutable -> const dae::State* {
    const dae::State* plain = at(t);
    if (plain == nullptr) return nullptr;
    state = form.to_quasi(*plain);
    return &state;
  };
  return result;
}

}  // namespace trammel::analyses
