// The HMMWV14 with ideal joints, 11 degrees of freedom: the steering rack is held by a spring and a damper.

#include "cases/case.h"
#include "cases/hmmwv.h"
#include "trammel/io/model_reader.h"

namespace trammel::cases {

extern const CaseEntry hmmwv14_entry;
const CaseEntry hmmwv14_entry{
    .name = "hmmwv14",
    .summary = "a car of 14 bodies drives over a bump",
    .origin =
        "Negrut, thesis 1998, section 5.2; hardpoints and masses of the HMMWV after Aardema, US Army TACOM report "
        "13337, by way of Project Chrono",
    .parameters = hmmwv14_parameters(),
    .build = {},
    .model = [](const ParameterValues& v) {
      return io::read_model_text(write_hmmwv14(UpperHinge::kRevolute), "models/hmmwv14", {.parameters = v});
    }};

}  // namespace trammel::cases
