// check_derivatives() finds what is wrong, names it, and finds nothing else.

#include "trammel/dae/derivative_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/dae/general_system.h"
#include "trammel/math/quaternion.h"

namespace trammel::dae {
namespace {

using Kind = DerivativeFault::Kind;

std::vector<Derivative> all_derivatives() {
  std::vector<Derivative> all;
  for (int k = 0; k < kDerivativeCount; ++k) all.push_back(static_cast<Derivative>(k));
  return all;
}

/// GeneralSystem, with one entry of one derivative multiplied by a factor.
class WrongEntry final : public GeneralSystem {
 public:
  WrongEntry(Derivative wrong, int entry, double factor) : wrong_(wrong), entry_(entry), factor_(factor) {}
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    GeneralSystem::calc_derivative(which, at, s, values);
    if (which == wrong_) values[entry_] *= factor_;
    return true;
  }

 private:
  Derivative wrong_;
  int entry_;
  double factor_;
};

class EachDerivative : public ::testing::TestWithParam<Derivative> {
 protected:
  /// Plants the factor in every entry that is not zero, one at a time, and expects it to be the only one reported.
  static void expect_found(double factor) {
    const GeneralSystem right;
    const State at = right.general_state();
    Point point;
    static_cast<State&>(point) = at;
    const linalg::Pattern& pattern = right.structure().pattern(GetParam());
    Vector values = Vector::Zero(pattern.size());
    right.calc_derivative(GetParam(), point, Vector{{0.3, -0.8, 0.5}}, {pattern, values.data()});
    int planted = 0;
    for (int entry = 0; entry < pattern.size(); ++entry) {
      if (values[entry] == 0) continue;
      ++planted;
      const WrongEntry wrong(GetParam(), entry, factor);
      const DerivativeReport report = check_derivatives(wrong, at);
      ASSERT_EQ(report.faults.size(), 1u) << to_string(report);
      const DerivativeFault& fault = report.faults[0];
      EXPECT_EQ(fault.kind, Kind::kWrongValue);
      EXPECT_EQ(fault.quantity, to_string(GetParam()));
      EXPECT_EQ(fault.row, row_name(right.structure(), GetParam(), pattern[entry].row));
      EXPECT_EQ(fault.column, column_name(right.structure(), GetParam(), pattern[entry].column));
      EXPECT_NEAR(fault.given / fault.numerical, factor, 1e-6);
    }
    EXPECT_GT(planted, 0);
  }
};

TEST_P(EachDerivative, WithAWrongSignIsFoundAndNamed) { expect_found(-1); }
TEST_P(EachDerivative, WithAnErrorOfOneInTenThousandIsFoundAndNamed) { expect_found(1 + 1e-4); }

TEST_P(EachDerivative, WithAPlaceMissingInItsPatternIsFoundAndNamed) {
  // One nonzero place of each, in the order of the enumeration.
  const std::vector<linalg::Entry> places{{0, 1}, {1, 2}, {2, 0}, {1, 1}, {2, 1}, {0, 0}, {1, 2}, {0, 1},
                                          {1, 0}, {1, 1}, {1, 0}, {0, 0}, {1, 2}, {0, 2}, {1, 1}};
  const linalg::Entry place = places[static_cast<std::size_t>(GetParam())];
  Structure structure = GeneralSystem::make_structure();
  std::vector<linalg::Entry> entries;
  for (const linalg::Entry& e : structure.pattern(GetParam()).entries()) {
    if (e.row != place.row || e.column != place.column) entries.push_back(e);
  }
  linalg::Pattern& pattern = structure.pattern(GetParam());
  pattern = linalg::Pattern(pattern.rows(), pattern.columns(), std::move(entries));
  const GeneralSystem system(structure);
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_EQ(report.faults.size(), 1u) << to_string(report);
  EXPECT_EQ(report.faults[0].kind, Kind::kOutsidePattern);
  EXPECT_EQ(report.faults[0].quantity, to_string(GetParam()));
  EXPECT_EQ(report.faults[0].row, row_name(structure, GetParam(), place.row));
  EXPECT_EQ(report.faults[0].column, column_name(structure, GetParam(), place.column));
}

INSTANTIATE_TEST_SUITE_P(DerivativeCheck, EachDerivative, ::testing::ValuesIn(all_derivatives()),
                         [](const auto& tested) { return "kind" + std::to_string(static_cast<int>(tested.param)); });

TEST(DerivativeCheck, PassesARightSystemOfExplicitAndOfImplicitForm) {
  for (StateForm form : {StateForm::kExplicit, StateForm::kImplicit}) {
    const GeneralSystem system(form);
    const DerivativeReport report = check_derivatives(system, system.general_state());
    EXPECT_TRUE(report.is_right()) << to_string(report);
    EXPECT_EQ(report.checked.size(), 4u + kDerivativeCount);  // M, G, g_t, bias
    EXPECT_TRUE(report.not_given.empty());
  }
}

TEST(DerivativeCheck, DerivativesOfTheExplicitFormAreWrongForTheImplicitOne) {
  class TakenForExplicit final : public GeneralSystem {
   public:
    TakenForExplicit() : GeneralSystem(StateForm::kImplicit) {}
    bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
      if (which != Derivative::kStateByXRate) return GeneralSystem::calc_derivative(which, at, s, values);
      set(values, 0, 0, 1), set(values, 1, 1, 1);
      return true;
    }
  };
  const TakenForExplicit system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_EQ(report.faults.size(), 1u) << to_string(report);
  EXPECT_EQ(to_string(report), "dd/dx': row u, column u: given 1, differences give 2.44");
}

TEST(DerivativeCheck, ReadsLikeASentence) {
  const WrongEntry wrong(Derivative::kForceByV, 4, -1);
  const DerivativeReport report = check_derivatives(wrong, wrong.general_state());
  EXPECT_EQ(to_string(report), "df/dv: row b', column b': given 1.6, differences give -1.6");
}

TEST(DerivativeCheck, PutsTheWorstFirst) {
  class TwoWrong final : public GeneralSystem {
   public:
    bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
      GeneralSystem::calc_derivative(which, at, s, values);
      if (which == Derivative::kForceByQ) values[0] *= 1.01;
      if (which == Derivative::kStateByLambda) values[3] *= -1;
      return true;
    }
  };
  const TwoWrong system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_EQ(report.faults.size(), 2u) << to_string(report);
  EXPECT_EQ(report.faults[0].quantity, "dd/dlambda");
  EXPECT_NEAR(report.faults[0].error, 2, 1e-6);
  EXPECT_EQ(report.faults[1].quantity, "df/dq");
  EXPECT_NEAR(report.faults[1].error, 0.01 / 1.01, 1e-6);
}

TEST(DerivativeCheck, FindsAWrongBias) {
  class WrongBias final : public GeneralSystem {
   public:
    bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
      GeneralSystem::calc_acceleration_bias(at, bias);
      bias[1] += at.t * at.v[2];  // the author forgot that the offset t c moves with c
      return true;
    }
  };
  const WrongBias system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_FALSE(report.is_right());
  int of_bias = 0;
  for (const DerivativeFault& fault : report.faults) {
    if (fault.quantity != "bias") continue;
    ++of_bias;
    EXPECT_EQ(fault.row, "rolling");
    EXPECT_EQ(fault.column, "");
    EXPECT_NEAR(fault.given - fault.numerical, 0.7 * 0.9, 1e-6);
    EXPECT_TRUE(to_string(fault).starts_with("bias: row rolling: given ")) << to_string(fault);
  }
  EXPECT_EQ(of_bias, 1);
}

TEST(DerivativeCheck, FindsAWrongTimeDerivativeOfAConstraint) {
  class WrongOffset final : public GeneralSystem {
   public:
    void calc_velocity_offset(const Point& at, VectorOut g_t) const override { g_t << 2 * at.t, at.t * at.q[2]; }
  };
  const WrongOffset system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_EQ(report.faults.size(), 2u) << to_string(report);  // and the bias no longer fits to it
  EXPECT_EQ(to_string(report.faults[0]), "g_t: row surface: given 1.4, differences give -1.4");
  EXPECT_EQ(report.faults[1].quantity, "bias");
  EXPECT_EQ(report.faults[1].row, "surface");
}

TEST(DerivativeCheck, FindsAWrongConstraintJacobian) {
  class WrongJacobian final : public GeneralSystem {
   public:
    void calc_jacobian(const Point& at, MatrixValues G) const override {
      GeneralSystem::calc_jacobian(at, G);
      G(0, 2) *= -1;
    }
  };
  const WrongJacobian system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_FALSE(report.is_right());
  int of_jacobian = 0;
  for (const DerivativeFault& fault : report.faults) {
    if (fault.quantity != "G") continue;
    ++of_jacobian;
    EXPECT_EQ(to_string(fault), "G: row surface, column c': given 1.3, differences give -1.3");
  }
  EXPECT_EQ(of_jacobian, 1);
}

TEST(DerivativeCheck, FindsAPlaceMissingInThePatternOfTheConstraintJacobian) {
  Structure structure = GeneralSystem::make_structure();
  structure.jacobian = linalg::Pattern(2, 3, {{0, 0}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  const GeneralSystem system(structure);
  const DerivativeReport report = check_derivatives(system, system.general_state());
  int of_jacobian = 0;
  for (const DerivativeFault& fault : report.faults) {
    if (fault.quantity != "G") continue;
    ++of_jacobian;
    EXPECT_EQ(to_string(fault), "G: row surface, column b': not in the pattern, differences give 2.1");
  }
  EXPECT_EQ(of_jacobian, 1);
}

TEST(DerivativeCheck, FindsAnAsymmetricMassMatrix) {
  class Asymmetric final : public GeneralSystem {
   public:
    void calc_mass(const Point& at, MatrixValues M) const override {
      GeneralSystem::calc_mass(at, M);
      M(2, 1) += 1e-3;
    }
  };
  const Asymmetric system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  ASSERT_EQ(report.faults.size(), 1u) << to_string(report);
  EXPECT_EQ(to_string(report), "M: row b', column c': 1.26, but 1.261 on the other side of the diagonal");
}

TEST(DerivativeCheck, FindsAValueThatIsNotANumber) {
  const WrongEntry wrong(Derivative::kForceByQ, 0, std::nan(""));
  const DerivativeReport report = check_derivatives(wrong, wrong.general_state());
  ASSERT_EQ(report.faults.size(), 1u) << to_string(report);
  EXPECT_EQ(report.faults[0].row, "a'");
}

TEST(DerivativeCheck, LeavesOutWhatIsNotGiven) {
  class GivesNothing final : public GeneralSystem {
   public:
    bool calc_acceleration_bias(const Point&, VectorOut) const override { return false; }
    bool calc_derivative(Derivative, const Point&, VectorIn, MatrixValues) const override { return false; }
  };
  const GivesNothing system;
  const DerivativeReport report = check_derivatives(system, system.general_state());
  EXPECT_TRUE(report.is_right()) << to_string(report);
  EXPECT_EQ(report.checked, (std::vector<std::string>{"M", "G", "g_t"}));
  EXPECT_EQ(report.not_given.size(), 1u + kDerivativeCount);
}

TEST(DerivativeCheck, RefusesStatesAndOptionsThatDoNotFit) {
  const GeneralSystem system;
  State at = system.general_state();
  DerivativeCheckOptions options;
  options.tolerance = 0;
  EXPECT_THROW(check_derivatives(system, at, options), std::invalid_argument);
  at.lambda.resize(0);
  EXPECT_THROW(check_derivatives(system, at), std::invalid_argument);
}

// --- systems whose scales are far from one

/// A mass on a spring of stiffness k and natural length l, with quadratic friction, in any units.
class BadlyScaled final : public ConstrainedSystem {
 public:
  BadlyScaled(double k, double l, double factor)
      : ConstrainedSystem(Structure::full({"x", "y"})), k_(k), l_(l), factor_(factor) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const Point& at, VectorOut f) const override {
    const double r = at.q.norm();
    f = -k_ * (r - l_) / r * at.q - at.v.norm() * at.v;
    f[0] += 1e3 * k_ * l_;  // a load that dwarfs the rest
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn, MatrixValues values) const override {
    const double r = at.q.norm(), speed = at.v.norm();
    switch (which) {
      case Derivative::kForceByQ:
        values.dense() =
            -k_ * ((1 - l_ / r) * Eigen::Matrix2d::Identity() + l_ / (r * r * r) * at.q * at.q.transpose());
        values(1, 0) *= factor_;
        return true;
      case Derivative::kForceByV:
        values.dense() = -speed * Eigen::Matrix2d::Identity() - at.v * at.v.transpose() / speed;
        values(1, 0) *= factor_;
        return true;
      case Derivative::kInertiaByQ: return true;
      default: return false;
    }
  }

 private:
  double k_, l_, factor_;
};

TEST(DerivativeCheck, NeitherAlarmsFalselyNorMissesAnErrorInBadlyScaledSystems) {
  for (double k : {1e-6, 1.0, 1e6, 1e12}) {
    for (double l : {1e-3, 1.0, 1e3}) {
      const double speed = std::sqrt(k * l);  // friction as large as the spring force
      State at = State::zero(BadlyScaled(k, l, 1).structure());
      at.q << 0.7 * l, 0.8 * l;
      at.v << 0.6 * speed, -0.9 * speed;
      const DerivativeReport right = check_derivatives(BadlyScaled(k, l, 1), at);
      EXPECT_TRUE(right.is_right()) << "k = " << k << ", l = " << l << "\n" << to_string(right);
      const DerivativeReport wrong = check_derivatives(BadlyScaled(k, l, 1 + 1e-4), at);
      EXPECT_EQ(wrong.faults.size(), 2u) << "k = " << k << ", l = " << l << "\n" << to_string(wrong);
      for (const DerivativeFault& fault : wrong.faults) {
        EXPECT_EQ(fault.row, "y'");
        EXPECT_EQ(fault.column, "x'");
      }
    }
  }
}

// --- positions that are no vector space

/// A heavy body with a fixed point, Euler parameters and body-frame angular velocity w. The component of one of its
/// axes, b, along the fixed direction e, is made to follow sin(t)/2. With e' = R^T e and k' = R^T (0, 0, 1):
///   J w' + (b x e') lambda = -w x J w - c x k',   0 = e . R b - sin(t)/2.
/// A turn by delta (in the body) changes e' by e' x delta.
class GuidedTop final : public ConstrainedSystem {
 public:
  explicit GuidedTop(double rate_factor = 1)
      : ConstrainedSystem(Structure::full({"e0", "e1", "e2", "e3"}, {"guide"}, {}, {"wx", "wy", "wz"})),
        rate_factor_(rate_factor) {}
  void calc_mass(const Point&, MatrixValues M) const override { M.dense() = J_; }
  void calc_force(const Point& at, VectorOut f) const override {
    const Eigen::Vector3d w = at.v;
    f = -w.cross(J_ * w) - c_.cross(in_body(at, Eigen::Vector3d::UnitZ()));
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    g[0] = in_body(at, e_).dot(b_) - 0.5 * std::sin(at.t);
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G.dense() = b_.cross(in_body(at, e_)).transpose();
  }
  void calc_velocity_offset(const Point& at, VectorOut g_t) const override { g_t[0] = -0.5 * std::cos(at.t); }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    const Eigen::Vector3d w = at.v;
    bias[0] = w.dot(b_.cross(w.cross(in_body(at, e_)))) - 0.5 * std::sin(at.t);
    return true;
  }
  void calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const override {
    q_rate = rate_factor_ * 0.5 * math::body_rate_matrix(q).transpose() * Eigen::Vector3d(v);
  }
  void retract(VectorIn q, VectorIn delta, VectorOut result) const override {
    result = math::retract(Eigen::Vector4d(q), Eigen::Vector3d(delta));
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    using math::skew;
    const Eigen::Vector3d w = at.v, e = in_body(at, e_), k = in_body(at, Eigen::Vector3d::UnitZ());
    const Eigen::Matrix3d turned = skew(b_) * skew(e);
    switch (which) {
      case Derivative::kInertiaByQ: return true;
      case Derivative::kReactionByQ: values.dense() = s[0] * turned; return true;
      case Derivative::kForceByQ: values.dense() = -skew(c_) * skew(k); return true;
      case Derivative::kForceByV: values.dense() = skew(J_ * w) - skew(w) * J_; return true;
      case Derivative::kVelocityByQ: values.dense() = w.transpose() * turned; return true;
      case Derivative::kAccelerationByQ:
        values.dense() = s.transpose() * turned - w.transpose() * skew(b_) * skew(w) * skew(e);
        return true;
      case Derivative::kBiasByV:
        values.dense() = b_.cross(w.cross(e)).transpose() - w.transpose() * turned;
        return true;
      default: return false;
    }
  }
  State general_state() const {
    State s = State::zero(structure());
    s.t = 0.4;
    s.q = Eigen::Vector4d(0.5, -0.1, 0.7, 0.3).normalized();
    s.v << 1.2, -0.7, 2.3;
    return s;
  }

 private:
  static Eigen::Vector3d in_body(const Point& at, const Eigen::Vector3d& direction) {
    return math::rotation_from_quaternion(at.q).transpose() * direction;
  }
  Eigen::Matrix3d J_ = Eigen::Vector3d(1, 2, 2.5).asDiagonal();
  Eigen::Vector3d c_{0.1, -0.2, 0.8}, b_{0.6, 0, 0.8}, e_{0, 0.6, -0.8};
  double rate_factor_;
};

TEST(DerivativeCheck, PassesASpatialSystemWithEulerParameters) {
  const GuidedTop top;
  const DerivativeReport report = check_derivatives(top, top.general_state());
  EXPECT_TRUE(report.is_right()) << to_string(report);
  EXPECT_TRUE(report.not_given.empty()) << to_string(report);
  EXPECT_EQ(report.checked[1], "T");
}

TEST(DerivativeCheck, FindsAPositionRateThatDoesNotGoWithRetract) {
  const GuidedTop top(2);  // the author forgot the half in p' = L^T w / 2
  const DerivativeReport report = check_derivatives(top, top.general_state());
  EXPECT_EQ(report.faults.size(), 12u) << to_string(report);
  for (const DerivativeFault& fault : report.faults) {
    EXPECT_EQ(fault.quantity, "T");
    EXPECT_NEAR(fault.given, 2 * fault.numerical, 1e-9);
  }
}

}  // namespace
}  // namespace trammel::dae
