// Every case, integrated, meets its reference solution: positions, velocities, accelerations, multipliers and the times
// of its events, as far as the reference gives them.

#include <gtest/gtest.h>

#include <cmath>

#include "cases/reference.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"

namespace trammel::cases {
namespace {

using integrators::RunResult;

std::vector<Reference> references() {
  return load_references(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference");
}

/// An explicit formula follows every oscillation; these have tens of thousands of them.
bool is_too_fast_for_explicit_methods(const Reference& r) {
  if (r.case_name == "bushing-chain") return r.parameters.at("stiffness") > 1e7;
  const auto eps = r.parameters.find("eps");
  if (eps == r.parameters.end()) return false;
  if (r.case_name == "point-mass-linear") return r.parameters.at("variant") == 2 && eps->second < 1e-4;
  return r.case_name == "point-mass-spring" && eps->second < 1e-4;
}

/// Whether there are fast oscillations that could be seen: the bushings of this one start without any.
bool is_smooth(const Reference& r) { return r.case_name == "bushing-chain" && r.parameters.at("offset") == 0; }

/// How far a value may be off, relative to 1 + its size. The multiplier of point-mass-linear contains (y + 1)/eps^2, so
/// that an error of 1e-9 in the angle, which the tolerance allows, is magnified by x/eps^2.
double allowed_error(const Reference& r, const ReferencePoint& point, const std::string& name, double size) {
  if (r.case_name != "point-mass-linear" || name != "circle") return 1e-6;
  const double eps = r.parameters.at("eps");
  return 1e-6 + 3e-9 * std::abs(point.values.at("x")) / (eps * eps) / (1 + size);
}

/// Largest size that a quantity reaches in the reference.
std::map<std::string, double> sizes_in(const Reference& r) {
  std::map<std::string, double> sizes;
  for (const ReferencePoint& point : r.points) {
    for (const auto& [name, value] : point.values) sizes[name] = std::max(sizes[name], std::abs(value));
  }
  return sizes;
}

/// The events without which the equations are not complete: those that let friction stick and slip.
std::vector<integrators::Event> needed_events(const Case& c) {
  return c.system->structure().switchable_rows.empty() ? std::vector<integrators::Event>{} : c.events;
}

class Reproduction : public ::testing::TestWithParam<Reference> {};

TEST_P(Reproduction, TheSolutionMeetsTheReference) {
  const Reference& reference = GetParam();
  if (is_too_fast_for_explicit_methods(reference)) GTEST_SKIP() << "needs a method for oscillatory systems";
  const Case c = build_case(*find_case(reference.case_name), reference.parameters);
  const dae::Structure& s = c.system->structure();
  integrators::Options options = integrators::Options::with_tolerance(1e-10);
  options.output.kind = integrators::OutputKind::kPoints;
  for (const ReferencePoint& point : reference.points) options.output.points.push_back(point.t);

  const std::map<std::string, double> sizes = sizes_in(reference);
  double worst = 0;
  std::size_t next = 0;
  integrators::Observers observers;
  observers.output = [&](const dae::State& state) {
    const ReferencePoint& point = reference.points[next++];
    ASSERT_EQ(state.t, point.t);
    for (const auto& [name, value] : point.values) {
      if (name.ends_with(".anchor")) continue;  // of friction that slips: it has no meaning
      const double error = std::abs(named_value(s, state, name) - value) / (1 + sizes.at(name));
      worst = std::max(worst, error);
      EXPECT_LT(error, allowed_error(reference, point, name, sizes.at(name))) << name << " at t = " << point.t;
    }
  };
  const RunResult result =
      integrate(*c.system, c.start, reference.points.back().t, options, needed_events(c), observers);
  ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  EXPECT_EQ(next, reference.points.size());
  EXPECT_LT(result.drift.position, 1e-9);
  std::printf("[ error    ] %-34s %.1e after %ld steps\n", reference.name.c_str(), worst, result.statistics.steps);
}

/// Largest error of a position or state, relative to 1 + its size, of a run.
double calc_error_of(const std::string& method, const Reference& reference, double tolerance) {
  const Case c = build_case(*find_case(reference.case_name), reference.parameters);
  const dae::Structure& s = c.system->structure();
  integrators::Options options = integrators::Options::with_tolerance(tolerance);
  options.method = method;
  options.output.kind = integrators::OutputKind::kPoints;
  for (const ReferencePoint& point : reference.points) options.output.points.push_back(point.t);
  const std::map<std::string, double> sizes = sizes_in(reference);
  double worst = 0;
  std::size_t next = 0;
  integrators::Observers observers;
  observers.output = [&](const dae::State& state) {
    const ReferencePoint& point = reference.points[next++];
    for (const std::vector<std::string>* names : {&s.position_names, &s.state_names}) {
      for (const std::string& name : *names) {
        const auto value = point.values.find(name);
        if (value == point.values.end() || name.ends_with(".anchor")) continue;
        worst = std::max(worst, std::abs(named_value(s, state, name) - value->second) / (1 + sizes.at(name)));
      }
    }
  };
  const RunResult result =
      integrate(*c.system, c.start, reference.points.back().t, options, needed_events(c), observers);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  std::printf("[ error    ] %s, tolerance %.0e: %-34s %.1e after %ld steps\n", method.c_str(), tolerance,
              reference.name.c_str(), worst, result.statistics.steps);
  return worst;
}

TEST_P(Reproduction, HhtApproachesTheReferenceWithTheTolerance) {
  const Reference& reference = GetParam();
  if (is_too_fast_for_explicit_methods(reference) && !is_smooth(reference)) {
    GTEST_SKIP() << "oscillations that hht is there to damp";
  }
  const double loose = calc_error_of("hht", reference, 1e-5), tight = calc_error_of("hht", reference, 1e-7);
  // By theory the error goes like tol^(2/3), here by 0.046. Where it is small anyway, other things limit the steps.
  const double expected = std::pow(1e-7, 2.0 / 3);
  EXPECT_LT(tight, 100 * expected);
  // On friction that depends on reactions hht is of first order only: docs/theory/friction.md.
  const Case c = build_case(*find_case(reference.case_name), reference.parameters);
  if (tight > expected && c.system->structure().switchable_rows.empty()) {
    EXPECT_LT(tight, 0.12 * loose);
  }
}

TEST_P(Reproduction, OtherExplicitMethodsApproachTheReferenceWithTheTolerance) {
  const Reference& reference = GetParam();
  if (is_too_fast_for_explicit_methods(reference)) GTEST_SKIP() << "needs a method for oscillatory systems";
  const Case c = build_case(*find_case(reference.case_name), reference.parameters);
  for (const char* method : {"mexx", "herk", "baumgarte"}) {
    if (!find_obstacles(*integrators::find_method(method), c.system->structure(), {}).empty()) continue;
    const double loose = calc_error_of(method, reference, 1e-6), tight = calc_error_of(method, reference, 1e-8);
    // The factors are those by which the systems let errors grow, up to 600 here.
    EXPECT_LT(loose, 1e-3) << method;
    EXPECT_LT(tight, 1e-5) << method;
    if (tight > 1e-8) {
      // One of the loose runs may have been lucky.
      EXPECT_LT(tight, 0.1 * std::max(loose, calc_error_of(method, reference, 1e-5))) << method;
    }
  }
}

TEST_P(Reproduction, EventsHappenWhenTheReferenceSays) {
  const Reference& reference = GetParam();
  if (reference.event_times.empty()) GTEST_SKIP() << "the reference has no events";
  if (is_too_fast_for_explicit_methods(reference)) GTEST_SKIP() << "needs a method for oscillatory systems";
  const Case c = build_case(*find_case(reference.case_name), reference.parameters);
  const double t_end = reference.case_name.starts_with("insulator") ? 0.2 : c.t_end;
  const RunResult result = integrate(*c.system, c.start, t_end, integrators::Options::with_tolerance(1e-9), c.events);
  ASSERT_TRUE(result.ok()) << result.reason;
  for (const auto& [name, times] : reference.event_times) {
    std::vector<double> found;
    for (const integrators::EventRecord& event : result.events) {
      if (event.name == name) found.push_back(event.t);
    }
    ASSERT_EQ(found.size(), times.size()) << name;
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(found[i], times[i], 1e-6 * c.t_end) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Reproduction, ::testing::ValuesIn(references()), [](const auto& reference) {
  std::string name = reference.param.name;
  for (char& letter : name) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return name;
});

}  // namespace
}  // namespace trammel::cases
