#pragma once

// The problems that Trammel ships, found by the build: an entry per file of equations/ (equations written by hand) and
// of models/ (model files, and programs that write one for any size). A case is built from its parameters and carries
// everything a run needs.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/analyses/prepare.h"
#include "trammel/dae/constrained_system.h"
#include "trammel/integrators/event.h"
#include "trammel/io/scene.h"
#include "trammel/model/model.h"

namespace trammel::cases {

// What the equations of a case are written with.
using dae::Derivative;
using dae::MatrixValues;
using dae::Point;
using dae::Structure;
using dae::VectorIn;
using dae::VectorOut;

struct Parameter {
  std::string name;
  double value;         ///< default
  std::string meaning;  ///< with unit
  double least = -1e300;
  double largest = 1e300;
  bool is_integer = false;
};

/// Values of all parameters of a case, by name.
using ParameterValues = std::map<std::string, double>;

/// Where a body is, for reports: its frame's origin, ground axes. Planar bodies have two components and an angle.
struct BodyPose {
  std::string name;
  linalg::Vector position;             ///< [m]
  double angle = 0;                    ///< planar [rad]
  linalg::Vector velocity;             ///< [m/s]
  double angular_velocity = 0;         ///< planar [rad/s]
  linalg::Vector orientation = {};     ///< spatial: Euler parameters, scalar first; empty for planar bodies
  linalg::Vector angular_vector = {};  ///< spatial: angular velocity, body axes [rad/s]
};

/// What a run needs. The system may be shared between threads; `events` and `bodies` of a model keep working memory of
/// their own, so that a case serves one run at a time: build one for each thread.
struct Case {
  std::shared_ptr<const dae::ConstrainedSystem> system;
  dae::State start;                        ///< t, q, v, x; accelerations and multipliers are computed
  double t_end = 1;                        ///< [s]
  std::vector<integrators::Event> events;  ///< looked for when the user asks for events; those of a model always
  std::function<std::vector<BodyPose>(const dae::State&)> bodies;  ///< may be empty
  std::shared_ptr<const system::Mechanism> mechanism;              ///< of a model; null for equations
  std::optional<io::Scene> scene;                                  ///< of equations: what to draw of `bodies`
  std::vector<std::string> warnings;                               ///< for the user, before the run
};

struct CaseEntry {
  std::string name;
  std::string summary;  ///< one line
  std::string origin;   ///< the document it comes from
  std::vector<Parameter> parameters;
  std::function<Case(const ParameterValues&)> build = {};          ///< of equations, or
  std::function<model::Model(const ParameterValues&)> model = {};  ///< of a model
};

/// All cases, by name.
const std::vector<const CaseEntry*>& cases();

/// The entry of that name or nullptr.
const CaseEntry* find_case(const std::string& name);

/// Builds a case with some parameters changed. Throws std::invalid_argument with a message for the user when a
/// parameter does not exist or its value is out of range.
Case build_case(const CaseEntry& entry, const ParameterValues& changes = {});

/// The same for the model of a case that has one.
model::Model build_model(const CaseEntry& entry, const ParameterValues& changes = {});

/// What a run needs of a prepared model. Throws std::invalid_argument when the preparation failed.
Case make_case(const analyses::Prepared& prepared);

}  // namespace trammel::cases
