#include "bench/peers/simbody_peer.h"

namespace trammel::bench {

Contender make_simbody(const Problem& problem, SimbodyIntegrator integrator) {
  const auto bodies = std::make_shared<SimbodyBodies>(SimbodyBodies::rods(*problem.rods));
  return {std::string("simbody ") + name_of(integrator), decades(3, problem.most_digits),
          [&problem, bodies, integrator](double tolerance) {
            const SimbodyBodies::Run run = bodies->integrate(problem.setup.t_end, tolerance, integrator);
            Outcome outcome{problem.setup.start.q, run.evaluations, run.steps, "articulated bodies"};
            const int size = problem.rods->is_planar ? 2 : 3, stride = problem.rods->is_planar ? 3 : 7;
            for (std::size_t k = 0; k < run.centres.size(); ++k) {
              outcome.q.segment(stride * static_cast<Eigen::Index>(k), size) =
                  Eigen::Map<const Eigen::VectorXd>(run.centres[k].data(), size);
            }
            return outcome;
          }};
}

}  // namespace trammel::bench
