#include "trammel/system/program_use.h"

#include "trammel/system/signals.h"
#include "trammel/system/support.h"

namespace trammel::system {

ProgramUse::ProgramUse(model::Program program, const Signals& signals) : program_(std::move(program)) {
  for (const int input : program_.inputs()) {
    const std::vector<int>& support = signals.support(input);
    support_.insert(support_.end(), support.begin(), support.end());
  }
  make_unique(support_);
  for (const int input : program_.inputs()) {
    std::vector<int>& places = places_.emplace_back();
    for (const int z : signals.support(input)) places.push_back(place_in(support_, z));
  }
}

void ProgramUse::gather(SignalWork& work) const {
  std::size_t k = 0;
  for (const int input : program_.inputs()) work.inputs[k++] = work.values[static_cast<std::size_t>(input)];
}

double ProgramUse::eval(SignalWork& work) const {
  gather(work);
  const auto size = static_cast<std::size_t>(program_.work_size());
  return program_.eval<double>(std::span<const double>(work.inputs.data(), program_.inputs().size()),
                               std::span<double>(work.work.data(), size));
}

model::expression::Fault ProgramUse::find_fault(SignalWork& work) const {
  gather(work);
  model::expression::Fault fault =
      program_.find_fault(std::span<const double>(work.inputs.data(), program_.inputs().size()),
                          std::span<double>(work.work.data(), work.work.size()));
  if (fault.input >= 0) fault.input = program_.inputs()[static_cast<std::size_t>(fault.input)];
  return fault;
}

double ProgramUse::eval_gradient(const Signals& signals, SignalWork& work, double scale, double* gradient) const {
  gather(work);
  const std::size_t count = program_.inputs().size();
  const double value = program_.eval_gradient(
      std::span<const double>(work.inputs.data(), count),
      std::span<double>(work.work.data(), static_cast<std::size_t>(program_.gradient_work_size())),
      std::span<double>(work.partials.data(), count));
  for (std::size_t k = 0; k < count; ++k) {
    const double* of_input = signals.gradient(program_.inputs()[k], work);
    const double partial = scale * work.partials[k];
    for (const int at : places_[k]) gradient[at] += partial * *of_input++;
  }
  return value;
}

}  // namespace trammel::system
