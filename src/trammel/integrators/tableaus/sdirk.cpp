#include "trammel/integrators/tableaus/sdirk.h"

#include <array>

namespace trammel::integrators {
namespace {

constexpr std::array<double, 5> subtract(const std::array<double, 5>& x, const std::array<double, 5>& y) {
  std::array<double, 5> difference{};
  for (std::size_t i = 0; i < 5; ++i) difference[i] = x[i] - y[i];
  return difference;
}

// clang-format off
constexpr std::array<double, 25> kA16{
    1.0 / 4, 0, 0, 0, 0,
    1.0 / 2, 1.0 / 4, 0, 0, 0,
    17.0 / 50, -1.0 / 25, 1.0 / 4, 0, 0,
    371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4, 0,
    25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4,
};
constexpr std::array<double, 5> kB16{25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4};
constexpr std::array<double, 5> kC16{1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1};
constexpr std::array<double, 5> kE16 = subtract(kB16, {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0});
constexpr std::array<double, 20> kDense16{
    11.0 / 3, -463.0 / 72, 217.0 / 36, -20.0 / 9,
    11.0 / 2, -385.0 / 16, 661.0 / 24, -10,
    -125.0 / 18, 20125.0 / 432, -8875.0 / 216, 250.0 / 27,
    0, -85.0 / 4, 85.0 / 6, 0,
    -11.0 / 9, 557.0 / 108, -359.0 / 54, 80.0 / 27,
};

constexpr std::array<double, 25> kA15{
    4.0 / 15, 0, 0, 0, 0,
    1.0 / 2, 4.0 / 15, 0, 0, 0,
    51069.0 / 144200, -7809.0 / 144200, 4.0 / 15, 0, 0,
    12047244770625658.0 / 141474406359725325.0, -3057890203562191.0 / 47158135453241775.0,
        2239631894905804.0 / 28294881271945065.0, 4.0 / 15, 0,
    181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851, -69863904375173.0 / 23297141763930.0, 4.0 / 15,
};
constexpr std::array<double, 5> kB15{181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851,
                                     -69863904375173.0 / 23297141763930.0, 4.0 / 15};
constexpr std::array<double, 5> kC15{4.0 / 15, 23.0 / 30, 17.0 / 30, 707.0 / 1931, 1};
constexpr std::array<double, 5> kE15 = subtract(kB15, {33665407.0 / 11668050, -2284766.0 / 15662025,
                                                       11244716.0 / 4704885, -96203066666797.0 / 23297141763930.0, 0});
// The thesis has these as decimals, as weights of z_i and good to 1e-12. The fractions are the solution of the order
// conditions up to order 3 and of sum b_i(theta) c_i^3 = theta^4 / 4, which those decimals satisfy.
constexpr std::array<double, 20> kDense15{
    849539929.0 / 125366715, -7054050029.0 / 501466860, 4063087307.0 / 250733430, -75936575.0 / 11143708,
    1065780116.0 / 336559515, -66126791681.0 / 4711833210.0, 36510106373.0 / 2355916605.0, -1695466275.0 / 314122214,
    -2538044012.0 / 1314335763, 29300917481.0 / 2628671526.0, -697702121.0 / 101102751, 24861625.0 / 292074614,
    -91731306444602149.0 / 15018890723813540.0, 1565719960952002103.0 / 120151125790508320.0,
        -3556701507835682257.0 / 180226688685762480.0, 235790677266208875.0 / 24030225158101664.0,
    -227373.0 / 251420, 55235497.0 / 14079520, -8230811.0 / 1624560, 6517125.0 / 2815904,
};
// clang-format on

constexpr Sdirk kSdirk16{5, 4, 3, 3, 4, 4.0 / 16, kA16, kB16, kC16, kE16, kDense16};
constexpr Sdirk kSdirk15{5, 4, 3, 3, 4, 4.0 / 15, kA15, kB15, kC15, kE15, kDense15};

}  // namespace

const Sdirk& sdirk4_16() { return kSdirk16; }
const Sdirk& sdirk4_15() { return kSdirk15; }

}  // namespace trammel::integrators
