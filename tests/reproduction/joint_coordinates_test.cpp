// Every model with a reference solution, integrated in the coordinates of its joints, meets that reference: positions,
// velocities, accelerations and multipliers of all bodies and constraints.

#include <gtest/gtest.h>

#include <cmath>

#include "cases/reference.h"
#include "trammel/analyses/form.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/system/joint_form.h"

namespace trammel::cases {
namespace {

using integrators::RunResult;

std::vector<Reference> model_references() {
  std::vector<Reference> references;
  for (Reference& reference : load_references(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference")) {
    if (find_case(reference.case_name)->model) references.push_back(std::move(reference));
  }
  return references;
}

/// Tens of thousands of oscillations.
bool is_too_fast(const Reference& r) {
  const auto eps = r.parameters.find("eps"), stiffness = r.parameters.find("stiffness");
  return (eps != r.parameters.end() && eps->second < 1e-4) ||
         (r.case_name == "bushing-chain" && stiffness != r.parameters.end() && stiffness->second > 1e7);
}

/// Friction needs the events that let it stick and slip.
std::vector<integrators::Event> needed_events(const Case& c) {
  return c.system->structure().switchable_rows.empty() ? std::vector<integrators::Event>{} : c.events;
}

struct Errors {
  std::map<std::string, double> largest;  ///< by name, relative to 1 + the largest size in the reference
  long steps = 0;
};

Errors run(const Reference& reference, const std::string& method, double tolerance) {
  const Case c = build_case(*find_case(reference.case_name), reference.parameters);
  const analyses::Form form =
      analyses::choose_form(c.mechanism, c.start, *integrators::find_method(method), analyses::FormKind::kJoint);
  integrators::Options options = integrators::Options::with_tolerance(tolerance);
  options.method = method;
  options.output.kind = integrators::OutputKind::kPoints;
  std::map<std::string, double> sizes;
  for (const ReferencePoint& point : reference.points) {
    options.output.points.push_back(point.t);
    for (const auto& [name, value] : point.values) sizes[name] = std::max(sizes[name], std::abs(value));
  }
  Errors errors;
  std::size_t next = 0;
  integrators::Observers observers;
  observers.output = [&](const dae::State& state) {
    dae::State quasi = form.to_quasi(state);
    for (const auto& [name, value] : reference.points[next++].values) {
      if (name.ends_with(".anchor")) continue;  // of friction that slips: it has no meaning
      const double error = std::abs(named_value(c.system->structure(), quasi, name) - value) / (1 + sizes.at(name));
      errors.largest[name] = std::max(errors.largest[name], error);
    }
  };
  const RunResult result = integrate(form.system_of(*c.system), form.from_quasi(c.start), reference.points.back().t,
                                     options, analyses::events_in_form(needed_events(c), form), observers);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << method << ": " << result.reason;
  EXPECT_EQ(next, reference.points.size());
  errors.steps = result.statistics.steps;
  return errors;
}

class InJointCoordinates : public ::testing::TestWithParam<Reference> {};

TEST_P(InJointCoordinates, TheSolutionMeetsTheReference) {
  const Reference& reference = GetParam();
  if (is_too_fast(reference)) GTEST_SKIP() << "needs a method for oscillatory systems";
  const Errors errors = run(reference, "projection", 1e-10);
  double worst = 0;
  for (const auto& [name, error] : errors.largest) {
    EXPECT_LT(error, 1e-6) << name;
    worst = std::max(worst, error);
  }
  std::printf("[ error    ] %-34s %.1e after %ld steps\n", reference.name.c_str(), worst, errors.steps);
}

INSTANTIATE_TEST_SUITE_P(Models, InJointCoordinates, ::testing::ValuesIn(model_references()), [](const auto& test) {
  std::string name = test.param.name;
  for (char& letter : name) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return name;
});

/// Positions at a tolerance of each family of methods, on a loop in the plane, a loop in space and a tree.
TEST(MethodsInJointCoordinates, MeetTheReference) {
  for (const char* name : {"four-bar-1", "bricard", "chain-bodies-10"}) {
    const auto all = model_references();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Reference& r) { return r.name == name; });
    ASSERT_NE(found, all.end()) << name;
    for (const auto& [method, tolerance, allowed] : {std::tuple{"mexx", 1e-8, 1e-5},
                                                     {"explicit-rk", 1e-8, 1e-5},
                                                     {"herk", 1e-8, 1e-5},
                                                     {"hht", 1e-6, 1e-2},
                                                     {"bdf-i3", 1e-6, 1e-2},
                                                     {"for-sdirk", 1e-6, 1e-3}}) {
      const Case c = build_case(*find_case(found->case_name), found->parameters);
      const Errors errors = run(*found, method, tolerance);
      for (const std::string& position : c.system->structure().position_names) {
        const auto error = errors.largest.find(position);
        if (error != errors.largest.end()) {
          EXPECT_LT(error->second, allowed) << name << ", " << method << ": " << position;
        }
      }
    }
  }
}

}  // namespace
}  // namespace trammel::cases
