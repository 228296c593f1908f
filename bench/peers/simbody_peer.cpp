#include "bench/peers/simbody_peer.h"

#include "bench/simbody_bodies.h"

namespace trammel::bench {

Contender make_simbody(const Problem& problem) {
  return {"simbody", decades(3, 11), [&problem](double tolerance) {
            const SimbodyBodies::Run run = SimbodyBodies::rods(*problem.rods).integrate(problem.setup.t_end, tolerance);
            Outcome outcome{problem.setup.start.q, run.evaluations, run.steps};
            for (std::size_t k = 0; k < run.centres.size(); ++k) {
              outcome.q.segment<3>(7 * static_cast<Eigen::Index>(k)) = Eigen::Vector3d(run.centres[k].data());
            }
            return outcome;
          }};
}

}  // namespace trammel::bench
