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
    open_.push_back(signal);
    const Signal s = model_.signals[k];
    if (s.kind == SignalKind::kVariable) {
      visit_inputs(model_.variables[static_cast<std::size_t>(s.index)].function);
    } else if (s.kind == SignalKind::kForceValue) {
      const Force& force = model_.forces[static_cast<std::size_t>(s.index)];
      if (const Program* program = force.program(s.component)) visit_inputs(*program);
    }
    open_.pop_back();
    marks_[k] = kDone;
  }

  void visit_inputs(const Program& program) {
    for (const int input : program.inputs()) visit(input);
  }

  /// The circle is what has been opened since `signal`: cut it there if that is a variable, else at the last one.
  void cut(int signal) {
    int at = -1;
    for (auto k = open_.rbegin();; ++k) {
      const SignalKind kind = model_.signals[static_cast<std::size_t>(*k)].kind;
      if (kind == SignalKind::kState) return;  // cut already, for another circle
      if (kind == SignalKind::kVariable && (at < 0 || *k == signal)) at = *k;
      if (*k == signal) break;
    }
    if (at < 0) {
      const int force = model_.signals[static_cast<std::size_t>(signal)].index;
      throw std::invalid_argument("force '" + model_.forces[static_cast<std::size_t>(force)].name +
                                  "' depends on its own value");
    }
    Signal& s = model_.signals[static_cast<std::size_t>(at)];
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
  std::vector<int> open_;  // signals on the way to the present one
};

}  // namespace

void resolve_algebraic_loops(Model& model) { LoopFinder(model).run(); }

}  // namespace trammel::model
