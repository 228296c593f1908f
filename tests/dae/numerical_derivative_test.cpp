// A system that gives nothing gets its bias and its derivatives by differences, several columns at a time.

#include "trammel/dae/numerical_derivative.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/dae/general_system.h"
#include "trammel/dae/evaluation.h"

namespace trammel::dae {
namespace {

using linalg::Entry;
using linalg::Pattern;

/// Every column with entries stands in one group, and no row meets two columns of a group.
void expect_sound(const Pattern& pattern, const std::vector<std::vector<int>>& groups) {
  std::set<int> seen, with_entries;
  for (const Entry& e : pattern.entries()) with_entries.insert(e.column);
  for (const std::vector<int>& group : groups) {
    std::map<int, int> column_of_row;
    for (int column : group) {
      EXPECT_TRUE(seen.insert(column).second) << "column " << column << " stands in two groups";
      for (const Entry& e : pattern.entries()) {
        if (e.column != column) continue;
        const auto [at, is_new] = column_of_row.emplace(e.row, column);
        EXPECT_TRUE(is_new || at->second == column)
            << "columns " << at->second << " and " << column << " share row " << e.row;
      }
    }
  }
  EXPECT_EQ(seen, with_entries);
}

TEST(Colouring, ATridiagonalPatternNeedsThreeGroups) {
  std::vector<Entry> entries;
  for (int i = 0; i < 50; ++i)
    for (int j = std::max(0, i - 1); j <= std::min(49, i + 1); ++j) entries.push_back({i, j});
  const Pattern pattern(50, 50, entries);
  const auto groups = colour_columns(pattern);
  EXPECT_EQ(groups.size(), 3u);
  expect_sound(pattern, groups);
}

TEST(Colouring, ADiagonalNeedsOneGroupAndAFullMatrixOnePerColumn) {
  EXPECT_EQ(colour_columns(Pattern::diagonal(7)).size(), 1u);
  EXPECT_EQ(colour_columns(Pattern::full(3, 7)).size(), 7u);
  EXPECT_TRUE(colour_columns(Pattern(3, 7)).empty());
}

TEST(Colouring, GroupsOfScatteredPatternsNeverShareARow) {
  unsigned random = 1;
  const auto below = [&](unsigned n) {
    random = random * 1664525u + 1013904223u;
    return static_cast<int>((random >> 16) % n);
  };
  for (int sample = 0; sample < 20; ++sample) {
    std::vector<Entry> entries;
    for (int k = 0; k < 10 + 5 * sample; ++k) entries.push_back({below(30), below(40)});
    const Pattern pattern(30, 40, entries);
    expect_sound(pattern, colour_columns(pattern));
  }
}

/// GeneralSystem whose author gave no derivative, and no bias unless asked.
class GivesNothing final : public GeneralSystem {
 public:
  GivesNothing(StateForm form, bool gives_bias) : GeneralSystem(form), gives_bias_(gives_bias) {}
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    return gives_bias_ && GeneralSystem::calc_acceleration_bias(at, bias);
  }
  bool calc_derivative(Derivative, const Point&, VectorIn, MatrixValues) const override { return false; }

 private:
  bool gives_bias_;
};

/// Largest error of each derivative by differences against the closed form.
std::vector<double> errors_of_differences(StateForm form, bool gives_bias) {
  const GeneralSystem given(form);
  const GivesNothing nothing(form, gives_bias);
  const State at = given.general_state();
  Evaluation exact(given), numerical(nothing);
  exact.set(at);
  numerical.set(at);
  std::vector<double> errors;
  for (int k = 0; k < kDerivativeCount; ++k) {
    const auto which = static_cast<Derivative>(k);
    const Vector s = which == Derivative::kReactionByQ ? Vector{{0.4, -1.1}} : Vector{{0.9, 0.2, -1.4}};
    const Pattern& pattern = given.structure().pattern(which);
    const Eigen::MatrixXd difference =
        pattern.to_dense(exact.derivative(which, s)) - pattern.to_dense(numerical.derivative(which, s));
    errors.push_back(difference.cwiseAbs().maxCoeff());
  }
  EXPECT_LT((exact.acceleration_bias() - numerical.acceleration_bias()).norm(), 1e-9);
  return errors;
}

TEST(NumericalDerivatives, SupplyWhatASystemDoesNotGive) {
  for (StateForm form : {StateForm::kExplicit, StateForm::kImplicit}) {
    const std::vector<double> errors = errors_of_differences(form, true);
    for (int k = 0; k < kDerivativeCount; ++k) {
      EXPECT_LT(errors[static_cast<std::size_t>(k)], 1e-9) << to_string(static_cast<Derivative>(k));
    }
  }
}

TEST(NumericalDerivatives, DifferencesOfDifferencesServeWhereTheBiasIsNotGivenEither) {
  const std::vector<double> errors = errors_of_differences(StateForm::kExplicit, false);
  for (int k = 0; k < kDerivativeCount; ++k) {
    const auto which = static_cast<Derivative>(k);
    const bool is_nested = which == Derivative::kAccelerationByQ || which == Derivative::kBiasByV;
    EXPECT_LT(errors[static_cast<std::size_t>(k)], is_nested ? 1e-4 : 1e-9) << to_string(which);
  }
}

/// A row of masses joined by cubic springs: df/dq is tridiagonal.
class SpringRow final : public ConstrainedSystem {
 public:
  explicit SpringRow(Pattern force_by_q) : ConstrainedSystem(make_structure(std::move(force_by_q))) {}
  void calc_mass(const Point&, MatrixValues M) const override {
    for (int i = 0; i < kSize; ++i) M[i] = 1;
  }
  void calc_force(const Point& at, VectorOut f) const override {
    ++force_calls;
    for (int i = 0; i + 1 < kSize; ++i) {
      const double pull = std::pow(at.q[i + 1] - at.q[i], 3);
      f[i] += pull;
      f[i + 1] -= pull;
    }
  }
  static constexpr int kSize = 20;
  mutable int force_calls = 0;

  static std::vector<Entry> tridiagonal() {
    std::vector<Entry> entries;
    for (int i = 0; i < kSize; ++i)
      for (int j = std::max(0, i - 1); j <= std::min(kSize - 1, i + 1); ++j) entries.push_back({i, j});
    return entries;
  }

 private:
  static Structure make_structure(Pattern force_by_q) {
    std::vector<std::string> names;
    for (int i = 0; i < kSize; ++i) names.push_back("x" + std::to_string(i));
    Structure s = Structure::sparse(names, {}, Pattern::diagonal(kSize), Pattern(0, kSize));
    s.pattern(Derivative::kForceByQ) = std::move(force_by_q);
    return s;
  }
};

State stretched() {
  State at = State::zero(SpringRow(Pattern(SpringRow::kSize, SpringRow::kSize)).structure());
  for (int i = 0; i < SpringRow::kSize; ++i) at.q[i] = 0.05 * i + 0.3 * std::sin(3.0 * i);
  return at;
}

Eigen::MatrixXd exact_stiffness(const State& at) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(SpringRow::kSize, SpringRow::kSize);
  for (int i = 0; i + 1 < SpringRow::kSize; ++i) {
    const double k = 3 * std::pow(at.q[i + 1] - at.q[i], 2);
    K(i, i) -= k, K(i + 1, i + 1) -= k;
    K(i, i + 1) += k, K(i + 1, i) += k;
  }
  return K;
}

TEST(NumericalDerivatives, ATridiagonalDerivativeCostsSixEvaluations) {
  const SpringRow row(Pattern(SpringRow::kSize, SpringRow::kSize, SpringRow::tridiagonal()));
  const State at = stretched();
  Evaluation evaluation(row);
  evaluation.set(at);
  const double* values = evaluation.derivative(Derivative::kForceByQ);
  EXPECT_EQ(row.force_calls, 6);
  const Eigen::MatrixXd K = row.structure().pattern(Derivative::kForceByQ).to_dense(values);
  EXPECT_LT((K - exact_stiffness(at)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(NumericalDerivatives, EntriesThatShareAPlaceAddUpToTheDerivative) {
  // As the pattern of elements that each list their own two coordinates.
  std::vector<Entry> entries;
  for (int i = 0; i + 1 < SpringRow::kSize; ++i) {
    for (const Entry& e : {Entry{i, i}, Entry{i, i + 1}, Entry{i + 1, i}, Entry{i + 1, i + 1}}) entries.push_back(e);
  }
  const SpringRow row(Pattern(SpringRow::kSize, SpringRow::kSize, entries));
  const State at = stretched();
  Evaluation evaluation(row);
  evaluation.set(at);
  const double* values = evaluation.derivative(Derivative::kForceByQ);
  const Eigen::MatrixXd K = row.structure().pattern(Derivative::kForceByQ).to_dense(values);
  EXPECT_LT((K - exact_stiffness(at)).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace trammel::dae
