#include "trammel/kinematics/redundancy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace trammel::kinematics {

using kkt::AccelerationStatus;
using linalg::Vector;

namespace {

// A row whose distance from the others is below this share of its length is close to a singular position.
constexpr double kNearlyDependent = 0.1;

const std::string& name_at(const std::vector<std::string>& names, int index) {
  return names[static_cast<std::size_t>(index)];
}

/// A row of zeros that the states may switch off is no constraint at present.
bool is_switched_off(const dae::Evaluation& evaluation, const linalg::DependentRow& row) {
  const std::vector<int>& switchable = evaluation.structure().switchable_rows;
  return row.terms.empty() && std::binary_search(switchable.begin(), switchable.end(), row.row);
}

std::string describe_singularity(dae::Evaluation& evaluation) {
  const RedundancyReport report = find_redundancy(evaluation);
  if (!report.redundant.empty()) {
    return report.brief_report() + "; remove or change one of the constraints that depend on each other";
  }
  // Full rank: then some motion that the constraints allow meets no inertia.
  const dae::Structure& s = evaluation.structure();
  Vector diagonal = Vector::Zero(s.n_v());
  const double* values = evaluation.mass();
  for (int k = 0; k < s.mass.size(); ++k) {
    if (s.mass[k].row == s.mass[k].column) diagonal[s.mass[k].row] += values[k];
  }
  std::vector<std::string> massless;
  for (int i = 0; i < s.n_v(); ++i) {
    if (diagonal[i] == 0) massless.push_back(name_at(s.velocity_names, i));
  }
  if (massless.empty()) return "the mass matrix is singular on a motion that the constraints allow; look at the masses";
  return fmt::format("the constraints allow a motion without inertia; coordinates without mass: {}",
                     fmt::join(massless, ", "));
}

std::string describe_unsuitable(dae::Evaluation& evaluation) {
  const RedundancyReport report = find_redundancy(evaluation);
  if (!report.redundant.empty()) return describe_singularity(evaluation);
  return "the linear solver that was asked for does not suit the equations at this position: Cholesky needs a positive "
         "definite mass matrix, block elimination constraints that can be solved for the coordinates with mass, the "
         "recursion along the tree of bodies joints that have full rank on each of their bodies; let "
         "the linear solver be chosen automatically, or take LU";
}

std::string describe_non_finite(dae::Evaluation& evaluation) {
  const dae::Structure& s = evaluation.structure();
  const auto find = [](const double* values, Eigen::Index size) {
    for (Eigen::Index i = 0; i < size; ++i) {
      if (!std::isfinite(values[i])) return static_cast<int>(i);
    }
    return -1;
  };
  const dae::Point& at = evaluation.point();
  // What the system knows of it besides, such as the force or the expression.
  const auto with_cause = [&](const std::string& message) {
    const std::string trouble = evaluation.find_trouble();
    return trouble.empty() ? message : message + "; " + trouble;
  };
  if (int i = find(at.q.data(), at.q.size()); i >= 0) {
    return fmt::format("the position {} is not a finite number", name_at(s.position_names, i));
  }
  if (int i = find(at.v.data(), at.v.size()); i >= 0) {
    return fmt::format("the velocity {} is not a finite number", name_at(s.velocity_names, i));
  }
  if (int i = find(at.x.data(), at.x.size()); i >= 0) {
    return fmt::format("the state {} is not a finite number", name_at(s.state_names, i));
  }
  if (int k = find(evaluation.mass(), s.mass.size()); k >= 0) {
    return fmt::format("the mass matrix is not finite in row {}", name_at(s.velocity_names, s.mass[k].row));
  }
  if (int k = find(evaluation.jacobian(), s.jacobian.size()); k >= 0) {
    return fmt::format("the constraint Jacobian is not finite in row {}",
                       name_at(s.constraint_names, s.jacobian[k].row));
  }
  if (int i = find(evaluation.force().data(), s.n_v()); i >= 0) {
    const auto& names = s.has_trivial_kinematics ? s.position_names : s.velocity_names;
    return with_cause(fmt::format("the force on {} is not a finite number", name_at(names, i)));
  }
  if (int i = find(evaluation.acceleration_bias().data(), s.m()); i >= 0) {
    return fmt::format("the acceleration bias of constraint {} is not a finite number", name_at(s.constraint_names, i));
  }
  if (s.state_form == dae::StateForm::kExplicit) {
    if (int i = find(evaluation.state_rate().data(), s.n_x()); i >= 0) {
      return with_cause(fmt::format("the rate of state {} is not a finite number", name_at(s.state_names, i)));
    }
  }
  return "the accelerations are not finite numbers";
}

}  // namespace

std::string RedundancyReport::brief_report() const {
  if (redundant.empty()) return fmt::format("{} constraint rows, all independent", rows);
  std::vector<std::string> sentences;
  for (const RedundantRow& r : redundant) {
    std::vector<std::string> implied_by;
    for (const std::string& name : r.implied_by) implied_by.push_back(dae::quoted(name));
    sentences.push_back(
        r.implied_by.empty()
            ? fmt::format("constraint {} has no effect at this position", dae::quoted(r.name))
            : fmt::format("constraint {} depends on {}", dae::quoted(r.name), fmt::join(implied_by, ", ")));
  }
  return fmt::format("{} of {} constraint rows are redundant: {}", redundant.size(), rows, fmt::join(sentences, "; "));
}

RedundancyReport find_redundancy(dae::Evaluation& evaluation) {
  const dae::Structure& s = evaluation.structure();
  const linalg::RankReport rank = linalg::find_dependent_rows(s.jacobian, evaluation.jacobian());
  RedundancyReport report;
  report.rows = s.m();
  report.rank = rank.rank;
  report.degrees_of_freedom = s.n_v() - rank.rank;
  for (const linalg::DependentRow& dependent : rank.dependent) {
    if (is_switched_off(evaluation, dependent)) {
      --report.rows;
      continue;
    }
    RedundantRow row{dependent.row, name_at(s.constraint_names, dependent.row), {}};
    for (const auto& term : dependent.terms) row.implied_by.push_back(name_at(s.constraint_names, term.row));
    report.redundant.push_back(std::move(row));
  }
  return report;
}

std::string describe_near_singularity(dae::Evaluation& evaluation) {
  const dae::Structure& s = evaluation.structure();
  linalg::RankOptions options;
  options.tolerance = kNearlyDependent;
  const linalg::RankReport rank = linalg::find_dependent_rows(s.jacobian, evaluation.jacobian(), options);
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const linalg::DependentRow& row : rank.dependent) {
    if (!is_switched_off(evaluation, row)) names.push_back(name_at(s.constraint_names, row.row));
  }
  if (names.empty()) return {};
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  if (more > 0) names.push_back(fmt::format("and {} more", more));
  return fmt::format(
      "the configuration is singular or nearly so: these constraints become dependent on others there: {}",
      fmt::join(names, "; "));
}

OpenConstraint find_open_implied(dae::Evaluation& evaluation) {
  OpenConstraint open;
  if (evaluation.structure().implied_names.empty()) return open;
  Eigen::Index worst = 0;
  open.residual = evaluation.implied().cwiseAbs().maxCoeff(&worst);
  open.index = static_cast<int>(worst);
  return open;
}

std::string describe_open_implied(const dae::Structure& structure, const OpenConstraint& open) {
  return fmt::format(
      "{} is open by {:.3g}. It was left out because others implied it at the start, and they no longer do: the "
      "mechanism has passed a singular position, or was in one. Start it from another position, or remove the "
      "redundant "
      "constraint",
      name_at(structure.implied_names, open.index), open.residual);
}

std::string describe_failure(dae::Evaluation& evaluation, AccelerationStatus status) {
  switch (status) {
    case AccelerationStatus::kSolved: return {};
    case AccelerationStatus::kSingular: return describe_singularity(evaluation);
    case AccelerationStatus::kUnsuitable: return describe_unsuitable(evaluation);
    case AccelerationStatus::kNotFinite: return describe_non_finite(evaluation);
    case AccelerationStatus::kNoStates:
      return "the equations of the states in implicit form leave their rates, or the variables, undetermined, or have "
             "no solution near the present values; look at residuals and at variables that refer to each other in a "
             "circle";
    case AccelerationStatus::kNoReactions: break;
  }
  return "the forces that depend on reactions leave no solution for them (they jam, or slide with any reaction); "
         "look at the friction coefficients";
}

}  // namespace trammel::kinematics
