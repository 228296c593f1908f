#include "trammel/integrators/run_output.h"

#include <fmt/format.h>

#include <utility>

namespace trammel::integrators {

RunOutput::RunOutput(const OutputSchedule& schedule, const Observers& observers, const Method& method,
                     ContinuousSolution& solution, const Interruption& interruption, Statistics& statistics)
    : schedule_(schedule),
      observers_(observers),
      method_(method),
      solution_(solution),
      interruption_(interruption),
      statistics_(statistics) {}

void RunOutput::write(const dae::State& state) {
  if (!observers_.output) return;
  ++statistics_.outputs;
  observers_.output(state);
}

void RunOutput::write_start(const dae::State& state) {
  if (schedule_.wants_start()) write(state);
}

void RunOutput::write_points(double begin, double end) {
  if (!observers_.output) return;
  double t = 0;
  while (!interruption_.is_cancelled() && schedule_.take(begin, end, t)) {
    if (const dae::State* state = solution_.at(t, Detail::kConsistent)) {
      write(*state);
    } else if (lost_points_++ == 0) {
      first_lost_point_ = t;
    }
  }
}

void RunOutput::write_change(const dae::State& state) {
  if (schedule_.wants_changes()) write(state);
}

void RunOutput::write_last(const dae::State& state) {
  if (schedule_.wants_last(state.t)) write(state);
}

void RunOutput::hand_over_interval(double begin, double end) {
  if (!observers_.interval || !(end > begin)) return;  // an event may cut a step where it begins
  observers_.interval({begin, end, method_.dense_degree(), std::exchange(continues_, true),
                       [this](double t) { return solution_.at(t, Detail::kConsistent); }});
}

void RunOutput::add_notes(std::vector<std::string>& notes) const {
  if (lost_points_ == 0) return;
  const std::string points =
      lost_points_ == 1 ? fmt::format("the output point at t = {:g}", first_lost_point_)
                        : fmt::format("{} output points, the first at t = {:g},", lost_points_, first_lost_point_);
  notes.push_back(fmt::format("{} could not be put onto the constraints and {} left out", points,
                              lost_points_ == 1 ? "was" : "were"));
}

}  // namespace trammel::integrators
