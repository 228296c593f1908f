#include "bench/simbody_bodies.h"

#include <Simbody.h>

namespace trammel::bench {

using namespace SimTK;  // NOLINT(google-build-using-namespace): nearly all names here are its

namespace {
const Vec3 kCentre(0.5, 0, 0), kEnd(1, 0, 0);

Body::Rigid make_rod() {
  return Body::Rigid(MassProperties(1, kCentre, Inertia(5e-5, 1.0 / 12, 1.0 / 12).shiftFromMassCenter(kCentre, 1)));
}

std::array<double, 3> to_array(const Vec3& v) { return {v[0], v[1], v[2]}; }
}  // namespace

struct SimbodyBodies::System {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  State state;
  double change = 0;

  void set_gravity(const Vec3& gravity) { const Force::UniformGravity force(forces, matter, gravity); }
  /// The frames of both bodies have the same axes where the angle is zero.
  MobilizedBodyIndex add_rod(MobilizedBodyIndex parent, const Vec3& at, const Vec3& axis) {
    const Rotation R(UnitVec3(axis), ZAxis);
    return MobilizedBody::Pin(matter.updMobilizedBody(parent), Transform(R, at), make_rod(), Transform(R, Vec3(0)))
        .getMobilizedBodyIndex();
  }
  void finish() {
    system.realizeTopology();
    state = system.getDefaultState();
    system.realizeModel(state);
  }
};

SimbodyBodies::SimbodyBodies() : system_(new System) {}
SimbodyBodies::~SimbodyBodies() = default;
SimbodyBodies::SimbodyBodies(SimbodyBodies&&) noexcept = default;
SimbodyBodies& SimbodyBodies::operator=(SimbodyBodies&&) noexcept = default;

SimbodyBodies SimbodyBodies::rods(const RodTree& tree) {
  SimbodyBodies bodies;
  System& s = *bodies.system_;
  s.set_gravity(tree.is_planar ? Vec3(0, -9.81, 0) : Vec3(0, 0, -9.81));
  std::vector<MobilizedBodyIndex> rods;
  for (int k = 0; k < tree.size(); ++k) {
    const int parent = tree.parents[static_cast<std::size_t>(k)];
    const std::array<double, 3> axis = tree.axis(k);
    rods.push_back(s.add_rod(parent < 0 ? GroundIndex : rods[static_cast<std::size_t>(parent)],
                             parent < 0 ? Vec3(0) : kEnd, Vec3(axis[0], axis[1], axis[2])));
  }
  s.finish();
  for (int k = 0; k < tree.size(); ++k) {
    const MobilizedBody& rod = s.matter.getMobilizedBody(rods[static_cast<std::size_t>(k)]);
    rod.setOneQ(s.state, 0, tree.angle(k));
    rod.setOneU(s.state, 0, tree.rate(k));
  }
  return bodies;
}

SimbodyBodies SimbodyBodies::four_bars(int loops) {
  SimbodyBodies bodies;
  System& s = *bodies.system_;
  s.set_gravity(Vec3(0, -9.81, 0));
  const Vec3 z(0, 0, 1);
  std::vector<MobilizedBodyIndex> cranks, couplers;
  for (int k = 0; k <= loops; ++k) cranks.push_back(s.add_rod(GroundIndex, Vec3(k, 0, 0), z));
  for (int k = 0; k < loops; ++k) couplers.push_back(s.add_rod(cranks[static_cast<std::size_t>(k)], kEnd, z));
  for (std::size_t k = 0; k < couplers.size(); ++k) {
    MobilizedBody& coupler = s.matter.updMobilizedBody(couplers[k]);
    MobilizedBody& crank = s.matter.updMobilizedBody(cranks[k + 1]);
    // The tip of the crank lies in two planes of the coupler: in the plane no row is redundant. Constraints are
    // handles.
    const Constraint::PointInPlane x(coupler, UnitVec3(XAxis), 1, crank, kEnd),
        y(coupler, UnitVec3(YAxis), 0, crank, kEnd);
  }
  s.finish();
  for (const MobilizedBodyIndex k : cranks) {
    s.matter.getMobilizedBody(k).setOneQ(s.state, 0, Pi / 2);
    s.matter.getMobilizedBody(k).setOneU(s.state, 0, -1);
  }
  for (const MobilizedBodyIndex k : couplers) {
    s.matter.getMobilizedBody(k).setOneQ(s.state, 0, -Pi / 2);
    s.matter.getMobilizedBody(k).setOneU(s.state, 0, 1);
  }
  return bodies;
}

void SimbodyBodies::accelerate() {
  system_->change = system_->change > 0 ? -1e-12 : 1e-12;
  system_->state.updQ()[0] += system_->change;  // whatever was computed before is void
  system_->system.realize(system_->state, Stage::Acceleration);
}

std::vector<std::array<double, 3>> SimbodyBodies::accelerations() const {
  std::vector<std::array<double, 3>> result;
  for (MobilizedBodyIndex k(1); k < system_->matter.getNumBodies(); ++k) {
    result.push_back(
        to_array(system_->matter.getMobilizedBody(k).findStationAccelerationInGround(system_->state, kCentre)));
  }
  return result;
}

namespace {
std::unique_ptr<Integrator> make_integrator(SimbodyIntegrator which, const SimTK::System& system) {
  if (which == SimbodyIntegrator::kMerson) return std::make_unique<RungeKuttaMersonIntegrator>(system);
  return std::make_unique<RungeKuttaFeldbergIntegrator>(system);
}
}  // namespace

const char* name_of(SimbodyIntegrator integrator) {
  return integrator == SimbodyIntegrator::kMerson ? "rk-merson" : "rk-feldberg";
}

SimbodyBodies::Run SimbodyBodies::integrate(double t_end, double accuracy, SimbodyIntegrator which) const {
  const std::unique_ptr<Integrator> owner = make_integrator(which, system_->system);
  Integrator& integrator = *owner;
  integrator.setAccuracy(accuracy);
  integrator.setFinalTime(t_end);
  integrator.initialize(system_->state);
  while (integrator.getTime() < t_end) {
    if (integrator.stepTo(t_end) == Integrator::EndOfSimulation) break;
  }
  Run run;
  const State& end = integrator.getState();
  system_->system.realize(end, Stage::Position);
  for (MobilizedBodyIndex k(1); k < system_->matter.getNumBodies(); ++k) {
    run.centres.push_back(to_array(system_->matter.getMobilizedBody(k).findStationLocationInGround(end, kCentre)));
  }
  run.steps = integrator.getNumStepsTaken();
  run.evaluations = integrator.getNumRealizations();
  return run;
}

}  // namespace trammel::bench
