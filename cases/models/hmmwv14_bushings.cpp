// The HMMWV14 with stiff bushings, 18 degrees of freedom: the upper arms are held by ball joints and springs and
// dampers of 2e7 N/m and 2e6 N s/m, which makes the equations stiff, with eigenvalues of order -1e5. The steering rack
// is locked.

#include "cases/case.h"
#include "cases/hmmwv.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {

extern const CaseEntry hmmwv14_bushings_entry;
const CaseEntry hmmwv14_bushings_entry{
    .name = "hmmwv14-bushings",
    .summary = "a car of 14 bodies with stiff bushings drives over a bump",
    .origin =
        "Negrut, thesis 1998, section 5.2; hardpoints and masses of the HMMWV after Aardema, US Army TACOM report "
        "13337, by way of Project Chrono; geometry of the bushings our own",
    .parameters = hmmwv14_parameters(),
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_hmmwv14(UpperHinge::kBushing), "models/hmmwv14-bushings", {.parameters = v});
    }};

}  // namespace trammel::cases
