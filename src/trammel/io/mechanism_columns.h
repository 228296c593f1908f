#pragma once

// The motion of a mechanism as rows of a result file: bodies, markers, joints, reactions, forces, states, energies.

#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/io/result_header.h"
#include "trammel/system/probe.h"

namespace trammel::io {

class MechanismColumns {
 public:
  /// Keeps a reference.
  explicit MechanismColumns(const system::Mechanism& mechanism);

  const std::vector<Column>& columns() const { return columns_; }
  /// Places of variables and outputs that may jump where no step ends: the motion does not depend on them.
  std::vector<std::size_t> find_jumping() const;
  /// The values at a complete state, in the order of columns(); valid until the next call. Call it in the order of
  /// time: angles in space are continued over full turns from one row to the next.
  const std::vector<double>& list(const dae::State& state);

 private:
  void add(const std::string& name, const char* unit, const char* group, std::string description);
  /// Force and torque; in the plane without what is out of it.
  void add_wrench(const std::string& prefix, const char* group, const std::string& where);
  void append_wrench(const double* wrench);
  bool is_shown(int component) const { return !mechanism_.bodies().is_planar() || component < 2 || component == 5; }
  void add_body_columns();
  void add_marker_columns();
  void add_joint_columns();
  void add_force_columns();
  void add_state_columns();
  void list_bodies();
  void list_markers();
  void list_joints();
  void list_forces();
  void list_energies();
  double continue_angle(std::size_t k, double angle, double rate);

  const system::Mechanism& mechanism_;
  system::Probe probe_;
  dae::Evaluation evaluation_;
  linalg::Vector velocity_residual_;
  std::vector<Column> columns_;
  std::vector<double> values_;
  std::vector<int> markers_;                  // those that are not body frames
  std::vector<system::ProgramUse> programs_;  // variables and outputs
  std::size_t first_program_ = 0;             // place of their first column
  std::vector<model::JointCoordinate> coordinates_;
  struct Angle {
    double value = 0, rate = 0;
  };
  std::vector<Angle> angles_;  // of the row before, for each coordinate
  double last_t_ = 0;
  bool has_last_ = false;
  std::optional<double> first_total_;
};

}  // namespace trammel::io
