// An Evaluation asks the system for each quantity once per stage.

#include "trammel/dae/evaluation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/dae/general_system.h"
#include "tests/support/allocation_counter.h"

namespace trammel::dae {
namespace {

/// GeneralSystem that notes its calls.
class Counted final : public GeneralSystem {
 public:
  using GeneralSystem::GeneralSystem;
  mutable std::map<std::string, int> calls;

  void calc_mass(const Point& at, MatrixValues M) const override {
    ++calls["mass"];
    GeneralSystem::calc_mass(at, M);
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    ++calls["constraint"];
    GeneralSystem::calc_constraint(at, g);
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    ++calls["jacobian"];
    GeneralSystem::calc_jacobian(at, G);
  }
  void calc_velocity_offset(const Point& at, VectorOut g_t) const override {
    ++calls["offset"];
    GeneralSystem::calc_velocity_offset(at, g_t);
  }
  void calc_force(const Point& at, VectorOut f) const override {
    ++calls["force"];
    GeneralSystem::calc_force(at, f);
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    ++calls["bias"];
    return GeneralSystem::calc_acceleration_bias(at, bias);
  }
  void calc_state_rate(const Point& at, VectorOut rate) const override {
    ++calls["rate"];
    GeneralSystem::calc_state_rate(at, rate);
  }
  void prepare_position(Point&) const override { ++calls["prepare position"]; }
  void prepare_velocity(Point&) const override { ++calls["prepare velocity"]; }
};

using Calls = std::map<std::string, int>;

class EvaluationStages : public ::testing::Test {
 protected:
  EvaluationStages() : state_(system_.general_state()), evaluation_(system_) { evaluation_.set(state_); }

  /// What the system_ was asked for while everything is read twice.
  Calls calls_while_reading_everything() {
    system_.calls.clear();
    for (int i = 0; i < 2; ++i) {
      evaluation_.mass();
      evaluation_.jacobian();
      evaluation_.constraint();
      evaluation_.velocity_offset();
      evaluation_.force();
      evaluation_.acceleration_bias();
      evaluation_.state_rate();
    }
    return system_.calls;
  }

  Counted system_;
  State state_;
  Evaluation evaluation_;
};

TEST_F(EvaluationStages, NothingIsEvaluatedBeforeItIsAskedFor) {
  EXPECT_TRUE(system_.calls.empty());
  evaluation_.mass();
  EXPECT_EQ(system_.calls, (Calls{{"mass", 1}, {"prepare position", 1}}));
}

TEST_F(EvaluationStages, EachQuantityIsEvaluatedOnce) {
  EXPECT_EQ(calls_while_reading_everything(), (Calls{{"mass", 1},
                                                     {"jacobian", 1},
                                                     {"constraint", 1},
                                                     {"offset", 1},
                                                     {"force", 1},
                                                     {"bias", 1},
                                                     {"rate", 1},
                                                     {"prepare position", 1},
                                                     {"prepare velocity", 1}}));
  EXPECT_TRUE(calls_while_reading_everything().empty());
}

TEST_F(EvaluationStages, ANewVelocityKeepsWhatDependsOnThePosition) {
  calls_while_reading_everything();
  evaluation_.set_velocity(2 * state_.v);
  EXPECT_EQ(calls_while_reading_everything(), (Calls{{"force", 1}, {"bias", 1}, {"rate", 1}, {"prepare velocity", 1}}));
}

TEST_F(EvaluationStages, ANewPositionOrTimeForgetsAll) {
  calls_while_reading_everything();
  evaluation_.set_position(state_.t, 2 * state_.q);
  EXPECT_EQ(calls_while_reading_everything().size(), 9u);
  evaluation_.set_position(2 * state_.t, 2 * state_.q);
  EXPECT_EQ(calls_while_reading_everything().size(), 9u);
}

TEST_F(EvaluationStages, TheSamePositionAndVelocityForgetNothing) {
  calls_while_reading_everything();
  evaluation_.set_position(state_.t, state_.q);
  evaluation_.set_velocity(state_.v);
  EXPECT_TRUE(calls_while_reading_everything().empty());
}

TEST_F(EvaluationStages, StatesMultipliersAndAccelerationsForgetWhatReadsThem) {
  calls_while_reading_everything();
  evaluation_.set_x(2 * state_.x);
  EXPECT_EQ(calls_while_reading_everything(), (Calls{{"constraint", 1}, {"force", 1}, {"rate", 1}}));
  evaluation_.set_lambda(2 * state_.lambda);
  EXPECT_EQ(calls_while_reading_everything(), (Calls{{"force", 1}, {"rate", 1}}));
  evaluation_.set_acceleration(2 * state_.a);
  EXPECT_EQ(calls_while_reading_everything(), (Calls{{"rate", 1}}));
  evaluation_.set_x_rate(2 * state_.x_rate);
  EXPECT_TRUE(calls_while_reading_everything().empty());
}

TEST_F(EvaluationStages, MultipliersDoNotConcernForcesThatDoNotDependOnThem) {
  Structure structure = GeneralSystem::make_structure();
  structure.pattern(Derivative::kForceByLambda) = linalg::Pattern(3, 2);
  const Counted independent(structure);
  Evaluation other(independent);
  other.set(state_);
  other.force();
  other.set_lambda(2 * state_.lambda);
  other.force();
  EXPECT_EQ(independent.calls["force"], 1);
}

TEST_F(EvaluationStages, CountsTellWhatWasEvaluated) {
  calls_while_reading_everything();
  evaluation_.set_velocity(2 * state_.v);
  calls_while_reading_everything();
  evaluation_.derivative(Derivative::kForceByQ);
  const EvaluationCounts& counts = evaluation_.counts();
  EXPECT_EQ(counts.mass, 1);
  EXPECT_EQ(counts.jacobian, 1);
  EXPECT_EQ(counts.constraint, 1);
  EXPECT_EQ(counts.force, 2);
  EXPECT_EQ(counts.bias, 2);
  EXPECT_EQ(counts.state, 2);
  EXPECT_EQ(counts.derivative, 1);
}

TEST_F(EvaluationStages, ValuesAreThoseOfTheSystemAtThePresentPoint) {
  calls_while_reading_everything();
  evaluation_.set_velocity(2 * state_.v);
  State doubled = state_;
  doubled.v *= 2;
  Evaluation anew(system_);
  anew.set(doubled);
  EXPECT_EQ(evaluation_.force(), anew.force());
  EXPECT_EQ(evaluation_.acceleration_bias(), anew.acceleration_bias());
  Vector residual(2);
  evaluation_.calc_velocity_residual(residual);
  // 2 a a' + c b' + b c' - 2 t and b a' + b' + a c' + t c at twice the velocity.
  EXPECT_NEAR(residual[0], 2 * (2 * 0.6 * 1.4 - 2.1 * 0.8 - 1.3 * 0.9) - 1.4, 1e-15);
  EXPECT_NEAR(residual[1], 2 * (-1.3 * 1.4 - 0.8 + 0.6 * 0.9) + 0.7 * 2.1, 1e-15);
}

TEST_F(EvaluationStages, NothingIsAllocatedOnceEverythingHasBeenAskedFor) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring their own allocator";
  const GeneralSystem plain;
  Evaluation steady(plain);
  const Vector s = Vector::Ones(3), r = Vector::Ones(2);
  const auto read_all = [&](const State& at) {
    steady.set(at);
    steady.mass(), steady.jacobian(), steady.constraint(), steady.velocity_offset(), steady.force();
    steady.acceleration_bias(), steady.state_rate(), steady.state_residual();
    for (int k = 0; k < kDerivativeCount; ++k) {
      const auto which = static_cast<Derivative>(k);
      steady.derivative(which, which == Derivative::kReactionByQ ? r : s);
    }
  };
  State other = state_;
  other.q *= 1.5;
  other.v *= 0.5;
  read_all(state_);
  const long before = testing::allocation_count();
  read_all(other);
  EXPECT_EQ(testing::allocation_count(), before);
}

TEST(Evaluation, DerivativesWithoutEntriesAreNeverEvaluated) {
  class Strict final : public ConstrainedSystem {
   public:
    Strict() : ConstrainedSystem(make_structure()) {}
    void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
    void calc_force(const Point&, VectorOut) const override {}
    bool calc_derivative(Derivative, const Point&, VectorIn, MatrixValues) const override {
      ADD_FAILURE() << "asked for a derivative without entries";
      return true;
    }
    static Structure make_structure() {
      Structure s = Structure::full({"x"});
      for (auto& pattern : s.derivatives) pattern = linalg::Pattern(pattern.rows(), pattern.columns());
      return s;
    }
  };
  const Strict system;
  Evaluation evaluation(system);
  evaluation.set(State::zero(system.structure()));
  for (int k = 0; k < kDerivativeCount; ++k) evaluation.derivative(static_cast<Derivative>(k));
  EXPECT_EQ(evaluation.counts().derivative, 0);
}

}  // namespace
}  // namespace trammel::dae
