#include "trammel/model/algebraic_loops.h"

#include <stdexcept>

namespace trammel::model {
namespace {

/// Goes through what signals depend on, depth first, and turns the variable that closes a circle into a state.
class LoopFinder {
 public:
  explicit LoopFinder(Model& model) : model_(model), marks_(model.signals.size(), kNew) {}

  void run() {
    for (std::size_t k = 0; k < model_.signals.size(); ++k) visit(static_cast<int>(k));
  }

 private:
  enum Mark : char { kNew, kOpen, kDone };

  void visit(int signal) {
    const auto k = static_cast<std::size_t>(signal);
    if (marks_[k] == kDone) return;
    if (marks_[k] == kOpen) {
      cut(signal);
      return;
    }
    marks_[k] = kOpen;
    const Signal s = model_.signals[k];
    if (s.kind == SignalKind::kVariable) {
      visit_inputs(model_.variables[static_cast<std::size_t>(s.index)].function);
    } else if (s.kind == SignalKind::kForceValue) {
      const Force& force = model_.forces[static_cast<std::size_t>(s.index)];
      if (force.scalar && force.scalar->law.expression) visit_inputs(*force.scalar->law.expression);
      if (force.vector) {
        const auto& parts = s.component < 3 ? force.vector->force : force.vector->torque;
        const auto& part = parts[static_cast<std::size_t>(s.component % 3)];
        if (part) visit_inputs(*part);
      }
    }
    marks_[k] = kDone;
  }

  void visit_inputs(const Program& program) {
    for (const int input : program.inputs()) visit(input);
  }

  void cut(int signal) {
    Signal& s = model_.signals[static_cast<std::size_t>(signal)];
    if (s.kind != SignalKind::kVariable) {
      throw std::invalid_argument("force '" + model_.forces[static_cast<std::size_t>(s.index)].name +
                                  "' depends on its own value");
    }
    const Definition& variable = model_.variables[static_cast<std::size_t>(s.index)];
    ExtraState state;
    state.name = variable.name;
    state.is_implicit = state.is_algebraic = true;
    state.function = variable.function;
    model_.states.push_back(std::move(state));
    s.kind = SignalKind::kState;
    s.index = static_cast<int>(model_.states.size()) - 1;
  }

  Model& model_;
  std::vector<Mark> marks_;
};

}  // namespace

void resolve_algebraic_loops(Model& model) { LoopFinder(model).run(); }

}  // namespace trammel::model
