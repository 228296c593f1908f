#include "bench/simbody_chain.h"

#include <Simbody.h>

namespace trammel::bench {

using namespace SimTK;

struct SimbodyChain::System {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  State state;
  double angle = 0;
};

SimbodyChain::SimbodyChain(int n) : system_(new System) {
  const Force::UniformGravity gravity(system_->forces, system_->matter, Vec3(0, 0, -9.81));
  const Vec3 centre(0.5, 0, 0);
  const Body::Rigid rod(MassProperties(1, centre, Inertia(5e-5, 1.0 / 12, 1.0 / 12).shiftFromMassCenter(centre, 1)));
  MobilizedBodyIndex last = GroundIndex;
  for (int i = 1; i <= n; ++i) {
    const Rotation R(UnitVec3(0, 1, i % 2 == 1 ? 0.5 : -0.5), ZAxis);
    const MobilizedBody::Pin body(system_->matter.updMobilizedBody(last), Transform(R, Vec3(i == 1 ? 0 : 1, 0, 0)), rod,
                                  Transform(R, Vec3(0)));
    last = body.getMobilizedBodyIndex();
  }
  system_->system.realizeTopology();
  system_->state = system_->system.getDefaultState();
  system_->system.realizeModel(system_->state);
}

SimbodyChain::~SimbodyChain() = default;

double SimbodyChain::accelerate() {
  system_->state.updQ()[0] = system_->angle += 1e-12;  // whatever was computed before is void
  system_->system.realize(system_->state, Stage::Acceleration);
  return system_->state.getUDot()[0];
}

}  // namespace trammel::bench
