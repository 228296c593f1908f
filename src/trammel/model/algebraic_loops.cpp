#include "trammel/model/algebraic_loops.h"

#include <algorithm>
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

  const std::vector<std::vector<std::string>>& loops() const { return loops_; }

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
    for (const Program* program : model_.programs_of(model_.signals[k])) {
      for (const int input : program->inputs()) visit(input);
    }
    open_.pop_back();
    marks_[k] = kDone;
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
    note_loop(signal);
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

  void note_loop(int signal) {
    std::vector<std::string>& names = loops_.emplace_back();
    for (auto k = std::find(open_.begin(), open_.end(), signal); k != open_.end(); ++k) {
      const Signal& s = model_.signals[static_cast<std::size_t>(*k)];
      const auto index = static_cast<std::size_t>(s.index);
      names.push_back(s.kind == SignalKind::kVariable ? model_.variables[index].name : model_.forces[index].name);
    }
  }

  Model& model_;
  std::vector<std::vector<std::string>> loops_;
  std::vector<Mark> marks_;
  std::vector<int> open_;  // signals on the way to the present one
};

}  // namespace

void resolve_algebraic_loops(Model& model) { LoopFinder(model).run(); }

std::vector<std::vector<std::string>> find_algebraic_loops(const Model& model) {
  Model copy = model;
  LoopFinder finder(copy);
  finder.run();
  return finder.loops();
}

}  // namespace trammel::model
