// Intervals of runs in joint coordinates, for polynomials of what is known of bodies.

#include "trammel/analyses/form.h"

#include <gtest/gtest.h>

#include <vector>

#include "cases/case.h"
#include "trammel/math/lobatto.h"
#include "trammel/system/joint_form.h"

namespace trammel::analyses {
namespace {

using integrators::SolutionInterval;

/// The polynomial through the nodes of the interval, at t.
dae::Vector interpolate(const SolutionInterval& interval, double t) {
  const double length = interval.end - interval.begin;
  std::vector<double> shares(static_cast<std::size_t>(interval.degree) + 1);
  math::calc_lobatto_shares(interval.degree, (t - interval.begin) / length, shares);
  dae::Vector sum = dae::Vector::Zero(interval.at(interval.begin)->q.size());
  for (int j = 0; j <= interval.degree; ++j) {
    const double node = interval.begin + math::lobatto_node(interval.degree, j) * length;
    sum += shares[static_cast<std::size_t>(j)] * interval.at(node)->q;
  }
  return sum;
}

TEST(IntervalsInJointCoordinates, ArePolynomialsOfBodiesWhereARotorTurnsFarInAStep) {
  const cases::Case c = cases::build_case(*cases::find_case("gyroscope"));
  const integrators::MethodEntry& method = *integrators::find_method("projection");
  const Form form = choose_form(c.mechanism, c.start, method, FormKind::kJoint);
  integrators::Options options = integrators::Options::with_tolerance(1e-9);
  options.method = method.name;
  long pieces = 0, steps = 0;
  double worst = 0, worst_of_steps = 0, last = c.start.t;
  bool continues = false;
  integrators::Observers observers;
  observers.interval = [&](const SolutionInterval& interval) {
    ++steps;
    const SolutionInterval whole = in_quasi_form(interval, form);
    const double middle = 0.45 * whole.begin + 0.55 * whole.end;
    const dae::Vector at_middle = whole.at(middle)->q;
    worst_of_steps = std::max(worst_of_steps, linalg::largest_abs(interpolate(whole, middle) - at_middle));
    for (const SolutionInterval& piece : in_quasi_form_by_turning(interval, form)) {
      ++pieces;
      EXPECT_EQ(piece.begin, last);
      EXPECT_GT(piece.end, piece.begin);
      EXPECT_EQ(piece.continues, continues);
      last = piece.end;
      continues = true;
      const double t = 0.45 * piece.begin + 0.55 * piece.end;
      const dae::Vector expected = piece.at(t)->q;
      worst = std::max(worst, linalg::largest_abs(interpolate(piece, t) - expected));
    }
  };
  const integrators::RunResult result = integrators::integrate(
      *form.joint, form.from_quasi(c.start), c.start.t + 0.05 * (c.t_end - c.start.t), options, {}, observers);
  ASSERT_TRUE(result.ok()) << result.reason;
  EXPECT_EQ(last, result.state.t);
  EXPECT_GT(pieces, steps);
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(worst_of_steps, 1e-4) << "or else there is nothing to cut";
}

TEST(IntervalsInBodyCoordinates, StayWhole) {
  const auto at = [](double) -> const dae::State* { return nullptr; };
  const std::vector<SolutionInterval> pieces = in_quasi_form_by_turning({1, 2, 4, false, at}, Form());
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].degree, 4);
}

}  // namespace
}  // namespace trammel::analyses
