#pragma once

// The names and signals of a model that is being built, found in constant time. Model::find_* search item by item,
// which is fine for a question and too slow for reading a model of ten thousand bodies.
//
// Items may be added to the model at any time; they are found from then on. Items must not be removed or renamed.

#include <string>
#include <unordered_map>

#include "trammel/model/model.h"

namespace trammel::model {

class ModelIndex {
 public:
  /// Keeps a reference.
  explicit ModelIndex(Model& model) : model_(model) {}

  Model& model() { return model_; }
  const Model& model() const { return model_; }

  // The index of the (first) item of that name, or -1.
  int find_parameter(const std::string& name) { return find(parameters_, model_.parameters, name); }
  int find_body(const std::string& name) { return find(bodies_, model_.bodies, name); }
  int find_marker(const std::string& name) { return find(markers_, model_.markers, name); }
  int find_joint(const std::string& name) { return find(joints_, model_.joints, name); }
  int find_force(const std::string& name) { return find(forces_, model_.forces, name); }
  int find_curve(const std::string& name) { return find(curves_, model_.curves, name); }
  int find_state(const std::string& name) { return find(states_, model_.states, name); }
  int find_variable(const std::string& name) { return find(variables_, model_.variables, name); }

  /// The marker that is the frame of a body (or of the ground), added when it is not there yet.
  int frame_marker(int body);
  int add_marker(Marker marker);
  /// The index of a signal equal to this one, added when there is none yet.
  int signal(const Signal& signal);

 private:
  struct Names {
    std::unordered_map<std::string, int> index;
    std::size_t known = 0;  ///< items that are in the index
  };
  struct SignalHash {
    std::size_t operator()(const Signal& signal) const;
  };

  template <class Items>
  static int find(Names& names, const Items& items, const std::string& wanted) {
    for (; names.known < items.size(); ++names.known) {
      names.index.emplace(items[names.known].name, static_cast<int>(names.known));
    }
    const auto found = names.index.find(wanted);
    return found == names.index.end() ? -1 : found->second;
  }

  Model& model_;
  Names parameters_, bodies_, markers_, joints_, forces_, curves_, states_, variables_;
  std::unordered_map<Signal, int, SignalHash> signals_;
  std::size_t known_signals_ = 0;
};

}  // namespace trammel::model
