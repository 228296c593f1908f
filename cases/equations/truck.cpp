// A truck on an uneven road, in the plane and with vertical motion only: wheels, chassis with engine, cabin with the
// driver's seat, and a loading area that rests on a spring and is hinged to the chassis: 7 bodies, 11 coordinates, one
// constraint. With h = y + (x - x_body) sin(angle) + y_point cos(angle) the height of a point of a body, an element
// between points a and b that lie over each other has
//   L = h_b - h_a,   f = F(L) + d L',   work -f dL,
// f > 0 pulling the points together; elements stay upright, because bodies do not move along x. Tyres stand on the
// road, h_a = u(t), the rear one 0.3 s later. F is linear but for the air springs of both axles:
//   F = (F0 + p A) ((1 + s L0) / (1 + s L))^kappa - p A.
// F0, the force at rest, follows from the weights, so that the truck starts in equilibrium on a level road.
//
// Topology: Simeon, Grupp, Fuehrer, Rentrop 1994 (the parameters of their 11 coordinates were not at hand). Numbers of
// wheels, axles, cabin mounts and load: the truck of 9 coordinates of Eich-Soellner, Fuehrer 1998. OURS are: how
// chassis (1980 kg) and engine (1355 kg) share the 3335 kg of its chassis, and cabin (985 kg) and seat (115 kg) the
// 1100 kg of its cabin, with their inertias and centres; the mounts of the engine; the spring of the seat; both roads;
// the time. docs/studies/truck.md has the tables.

#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "cases/case.h"
#include "cases/planar_scene.h"
#include "cases/truck_road.h"

namespace trammel::cases {
namespace {

constexpr double kGravity = 9.81, kWheelBase = 4.5;

// x is fixed [m], from the common centre of chassis and engine; y is the height at rest.
struct Body {
  const char* name;
  double mass, inertia, x, y;
  int column;       // of y
  bool is_turning;  // then the angle follows y
};
enum BodyIndex { kRearWheel, kFrontWheel, kChassis, kEngine, kCabin, kSeat, kLoad, kBodies, kRoad };
constexpr std::array<Body, kBodies> kBody{{{"rear_wheel", 1450, 0, -2.06, 0.5, 0, false},
                                           {"front_wheel", 600, 0, 2.44, 0.5, 1, false},
                                           {"chassis", 1980, 7990.3, -1.094949, 2.0, 2, true},
                                           {"engine", 1355, 480, 1.6, 2.05, 4, true},
                                           {"cabin", 985, 948, 2.756345, 2.9, 6, true},
                                           {"seat", 115, 0, 2.6, 3.3, 8, false},
                                           {"load", 11515, 33000, -1.46, 2.9, 9, true}}};
constexpr int kCoordinates = 11;

/// Two points over each other at x: y above the centre of each body, or the road.
struct Span {
  int a, b;
  double x, y_a, y_b;
};
constexpr Span kHinge{kChassis, kLoad, -3.07, 0.15, -0.75};

enum class Law { kLinear, kAir };
struct Element {
  const char* name;
  Span span;
  double stiffness, damping;  // [N/m], [N s/m]
  Law law = Law::kLinear;
};
enum ElementIndex {
  kRearTyre,
  kFrontTyre,
  kRearAxle,
  kFrontAxle,
  kRearMount,
  kFrontMount,
  kRearCabin,
  kFrontCabin,
  kSeatSpring,
  kLoadSpring,
  kElements
};
constexpr std::array<Element, kElements> kElement{
    {{"rear tyre", {kRoad, kRearWheel, -2.06, 0, 0}, 4.4e6, 600},
     {"front tyre", {kRoad, kFrontWheel, 2.44, 0, 0}, 2.2e6, 300},
     {"rear air spring", {kRearWheel, kChassis, -2.06, 0, -1.34}, 0, 21593, Law::kAir},
     {"front air spring", {kFrontWheel, kChassis, 2.44, 0, -1.34}, 0, 38537, Law::kAir},
     {"rear engine mount", {kChassis, kEngine, 1.05, -0.25, 0}, 3.2e6, 9400},
     {"front engine mount", {kChassis, kEngine, 2.15, -0.25, 0}, 3.2e6, 9400},
     {"rear cabin mount", {kChassis, kCabin, 1.94, 0, 0}, 135700, 12218},
     {"front cabin mount", {kChassis, kCabin, 3.64, 0, 0}, 135700, 12218},
     {"seat spring", {kCabin, kSeat, 2.6, 0, 0}, 10200, 650},
     {"load spring", {kChassis, kLoad, 0.98, 0, 0}, 9e5, 38500}}};

// The gas of the air springs: s = piston area over volume at L = 0, p = pressure of the air around, A = piston area.
constexpr double kAirSlope = 39.13228, kAirForce = 1e5 * 0.0562, kAirExponent = 1.4;

struct Weight {
  double force, x;
};
Weight weigh(std::initializer_list<BodyIndex> bodies) {
  Weight sum{0, 0};
  for (const BodyIndex i : bodies) {
    sum.force += kBody[i].mass * kGravity;
    sum.x += kBody[i].mass * kGravity * kBody[i].x;
  }
  sum.x /= sum.force;
  return sum;
}

/// Forces of all elements at rest; two supports share a weight by their distances from it.
std::array<double, kElements> calc_rest_forces() {
  std::array<double, kElements> rest{};
  const auto share = [](const Weight& w, double x1, double x2) {
    const double second = w.force * (w.x - x1) / (x2 - x1);
    return std::pair{-(w.force - second), -second};
  };
  const auto support = [&](const Weight& w, ElementIndex first, ElementIndex second) {
    std::tie(rest[first], rest[second]) = share(w, kElement[first].span.x, kElement[second].span.x);
  };
  support(weigh({kChassis, kEngine, kCabin, kSeat, kLoad}), kRearAxle, kFrontAxle);
  rest[kRearTyre] = rest[kRearAxle] - weigh({kRearWheel}).force;
  rest[kFrontTyre] = rest[kFrontAxle] - weigh({kFrontWheel}).force;
  support(weigh({kEngine}), kRearMount, kFrontMount);
  support(weigh({kCabin, kSeat}), kRearCabin, kFrontCabin);
  rest[kSeatSpring] = -weigh({kSeat}).force;
  rest[kLoadSpring] = share(weigh({kLoad}), kHinge.x, kElement[kLoadSpring].span.x).second;
  return rest;
}

double calc_rest_length(const Span& span) {
  const double lower = span.a == kRoad ? 0 : kBody[static_cast<std::size_t>(span.a)].y + span.y_a;
  return kBody[static_cast<std::size_t>(span.b)].y + span.y_b - lower;
}

Structure make_structure() {
  std::vector<std::string> positions;
  for (const Body& body : kBody) {
    positions.push_back(std::string(body.name) + ".y");
    if (body.is_turning) positions.push_back(std::string(body.name) + ".angle");
  }
  Structure s = Structure::full(std::move(positions), {"hinge"});
  s.mass = linalg::Pattern::diagonal(kCoordinates);
  std::vector<linalg::Entry> hinge;  // in the order of the terms of locate()
  for (const int body : {kHinge.a, kHinge.b}) {
    const int column = kBody[static_cast<std::size_t>(body)].column;
    hinge.insert(hinge.end(), {{0, column}, {0, column + 1}});
  }
  s.jacobian = linalg::Pattern(1, kCoordinates, std::move(hinge));
  s.pattern(Derivative::kInertiaByQ) = linalg::Pattern(kCoordinates, kCoordinates);
  return s;
}

/// A span at a position, with its derivatives by the coordinates that move it. Mixed ones vanish.
struct SpanAt {
  struct Term {
    int column;
    double first, second, third;  // derivatives of L
  };
  double length = 0;
  int count = 0;
  std::array<Term, 4> terms;

  const Term* begin() const { return terms.data(); }
  const Term* end() const { return terms.data() + count; }
  void add(const Term& term) { terms[static_cast<std::size_t>(count++)] = term; }
  /// The derivative of L in a direction.
  double along(VectorIn direction) const {
    double sum = 0;
    for (const Term& i : *this) sum += i.first * direction[i.column];
    return sum;
  }
};

SpanAt locate(const Span& span, VectorIn q) {
  SpanAt at;
  const auto add_end = [&](int index, double y, double sign) {
    if (index == kRoad) return;
    const Body& body = kBody[static_cast<std::size_t>(index)];
    at.length += sign * q[body.column];
    at.add({body.column, sign, 0, 0});
    if (!body.is_turning) {
      at.length += sign * y;
      return;
    }
    const double x = span.x - body.x, c = std::cos(q[body.column + 1]), s = std::sin(q[body.column + 1]);
    const double height = sign * (x * s + y * c), lever = sign * (x * c - y * s);
    at.length += height;
    at.add({body.column + 1, lever, -height, -lever});
  };
  add_end(span.a, span.y_a, -1);
  add_end(span.b, span.y_b, 1);
  return at;
}

class Truck final : public dae::ConstrainedSystem {
 public:
  explicit Truck(TruckRoad road) : ConstrainedSystem(make_structure()), road_(road) {}

  void calc_mass(const Point&, MatrixValues M) const override {
    for (const Body& body : kBody) {
      M[body.column] = body.mass;
      if (body.is_turning) M[body.column + 1] = body.inertia;
    }
  }
  void calc_force(const Point& at, VectorOut f) const override {
    for (const Body& body : kBody) f[body.column] = -body.mass * kGravity;
    for (const ElementAt& e : at.workspace_as<Shared>().elements) {
      for (const Term& i : e.span) f[i.column] -= e.force * i.first;
    }
  }
  void calc_constraint(const Point& at, VectorOut g) const override { g[0] = hinge(at).length; }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    int k = 0;
    for (const Term& i : hinge(at)) G[k++] = i.first;
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    for (const Term& i : hinge(at)) bias[0] -= i.second * at.v[i.column] * at.v[i.column];
    return true;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    switch (which) {
      case Derivative::kForceByQ: write_force_by_q(at, values); return true;
      case Derivative::kForceByV: write_force_by_v(at, values); return true;
      case Derivative::kReactionByQ:
        for (const Term& i : hinge(at)) values(i.column, i.column) = s[0] * i.second;
        return true;
      case Derivative::kVelocityByQ:
        for (const Term& i : hinge(at)) values(0, i.column) = i.second * at.v[i.column];
        return true;
      case Derivative::kAccelerationByQ:
        for (const Term& i : hinge(at)) {
          values(0, i.column) = i.second * s[i.column] + i.third * at.v[i.column] * at.v[i.column];
        }
        return true;
      case Derivative::kBiasByV:
        for (const Term& i : hinge(at)) values(0, i.column) = -2 * i.second * at.v[i.column];
        return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    double energy = 0;
    for (const Body& body : kBody) energy += body.mass * kGravity * at.q[body.column];
    const auto& shared = at.workspace_as<Shared>();
    for (std::size_t k = 0; k < kElements; ++k) energy += calc_stored(k, shared.elements[k].span.length);
    return energy;
  }
  std::string find_trouble(const Point& at) const override {
    for (std::size_t k = 0; k < kElements; ++k) {
      if (kElement[k].law == Law::kAir && !(1 + kAirSlope * at.workspace_as<Shared>().elements[k].span.length > 0)) {
        return std::string("the ") + kElement[k].name + " is compressed beyond its volume";
      }
    }
    return {};
  }

  std::unique_ptr<dae::Workspace> make_workspace() const override { return std::make_unique<Shared>(); }
  void prepare_position(Point& at) const override {
    auto& shared = at.workspace_as<Shared>();
    shared.hinge = locate(kHinge, at.q);
    for (std::size_t k = 0; k < kElements; ++k) {
      ElementAt& e = shared.elements[k];
      e.span = locate(kElement[k].span, at.q);
      e.road_rate = 0;
      if (kElement[k].span.a == kRoad) {
        const TruckRoad::Height road = road_.at(k == kRearTyre ? at.t - kWheelBase / TruckRoad::kSpeed : at.t);
        e.span.length -= road.value;
        e.road_rate = road.rate;
      }
      std::tie(e.spring, e.tangent) = calc_spring(k, e.span.length);
    }
  }
  void prepare_velocity(Point& at) const override {
    auto& shared = at.workspace_as<Shared>();
    for (std::size_t k = 0; k < kElements; ++k) {
      ElementAt& e = shared.elements[k];
      e.force = e.spring + kElement[k].damping * (e.span.along(at.v) - e.road_rate);
    }
  }

 private:
  using Term = SpanAt::Term;
  struct ElementAt {
    SpanAt span;
    double road_rate = 0;            // [m/s]
    double spring = 0, tangent = 0;  // F and dF/dL
    double force = 0;
  };
  struct Shared final : dae::Workspace {
    SpanAt hinge;
    std::array<ElementAt, kElements> elements;
  };
  static const SpanAt& hinge(const Point& at) { return at.workspace_as<Shared>().hinge; }

  /// F and dF/dL of an element.
  std::pair<double, double> calc_spring(std::size_t k, double length) const {
    const double k_lin = kElement[k].stiffness;
    if (kElement[k].law == Law::kLinear) return {rest_forces_[k] + k_lin * (length - rest_lengths_[k]), k_lin};
    const double gas = calc_gas_force(k, length);
    return {gas - kAirForce, -kAirExponent * kAirSlope * gas / (1 + kAirSlope * length)};
  }
  double calc_gas_force(std::size_t k, double length) const {
    const double ratio = (1 + kAirSlope * rest_lengths_[k]) / (1 + kAirSlope * length);
    return (rest_forces_[k] + kAirForce) * std::pow(ratio, kAirExponent);
  }
  /// The integral of F over L.
  double calc_stored(std::size_t k, double length) const {
    const double change = length - rest_lengths_[k];
    if (kElement[k].law == Law::kLinear) return (rest_forces_[k] + 0.5 * kElement[k].stiffness * change) * change;
    const double gas = calc_gas_force(k, length);
    return gas * (1 + kAirSlope * length) / (kAirSlope * (1 - kAirExponent)) - kAirForce * change;
  }

  static void write_force_by_q(const Point& at, MatrixValues values) {
    const auto& shared = at.workspace_as<Shared>();
    for (std::size_t k = 0; k < kElements; ++k) {
      const ElementAt& e = shared.elements[k];
      for (const Term& j : e.span) {
        const double force_j = e.tangent * j.first + kElement[k].damping * j.second * at.v[j.column];
        for (const Term& i : e.span) values(i.column, j.column) -= i.first * force_j;
        values(j.column, j.column) -= e.force * j.second;
      }
    }
  }
  static void write_force_by_v(const Point& at, MatrixValues values) {
    const auto& shared = at.workspace_as<Shared>();
    for (std::size_t k = 0; k < kElements; ++k) {
      const SpanAt& span = shared.elements[k].span;
      for (const Term& j : span) {
        for (const Term& i : span) values(i.column, j.column) -= kElement[k].damping * i.first * j.first;
      }
    }
  }

  TruckRoad road_;
  std::array<double, kElements> rest_forces_ = calc_rest_forces();
  std::array<double, kElements> rest_lengths_ = [] {
    std::array<double, kElements> lengths{};
    for (std::size_t k = 0; k < kElements; ++k) lengths[k] = calc_rest_length(kElement[k].span);
    return lengths;
  }();
};

std::vector<BodyPose> calc_poses(const dae::State& s) {
  std::vector<BodyPose> poses;
  for (const Body& body : kBody) {
    BodyPose pose{body.name, Eigen::Vector2d(body.x, s.q[body.column]), 0, Eigen::Vector2d(0, s.v[body.column])};
    if (body.is_turning) {
      pose.angle = s.q[body.column + 1];
      pose.angular_velocity = s.v[body.column + 1];
    }
    poses.push_back(std::move(pose));
  }
  return poses;
}

io::Scene draw() {
  const std::array<std::vector<model::Shape>, kBodies> shapes{
      {{disc(0.5)},
       {disc(0.5)},
       {box(8.4, 0.25, 0.7, -0.1), box(0.3, 1.14, -0.965, -0.77), box(0.3, 1.14, 3.535, -0.77)},
       {box(1.3, 0.6, 0, 0.25)},
       {box(2.1, 1.7, 0, 0.45)},
       {box(0.5, 0.12), box(0.12, 0.7, -0.25, 0.35)},
       {box(6.4, 1.6, -0.6, 0.3), box(0.3, 0.4, -1.61, -0.6)}}};
  PlanarScene scene(kGravity);
  for (std::size_t i = 0; i < kBodies; ++i) scene.add_body(kBody[i].name, kBody[i].mass, shapes[i]);
  const auto end = [](const Span& span, int body, double y) {
    return PlanarScene::At{body, span.x - kBody[static_cast<std::size_t>(body)].x, y};
  };
  for (const Element& e : kElement) {
    if (e.span.a == kRoad) continue;
    scene.add_spring(e.name, end(e.span, e.span.a, e.span.y_a), end(e.span, e.span.b, e.span.y_b));
  }
  scene.add_pin("hinge", end(kHinge, kHinge.a, kHinge.y_a), end(kHinge, kHinge.b, kHinge.y_b));
  return scene.scene();
}

Case build(const ParameterValues& p) {
  Case c;
  c.system = std::make_unique<Truck>(TruckRoad(p.at("road") == 0 ? TruckRoad::Kind::kSine : TruckRoad::Kind::kUneven));
  c.start = dae::State::zero(c.system->structure());
  for (const Body& body : kBody) c.start.q[body.column] = body.y;
  c.t_end = 20;
  c.bodies = calc_poses;
  c.scene = draw();
  return c;
}

}  // namespace

extern const CaseEntry truck_entry;
const CaseEntry truck_entry{
    "truck",
    "a planar truck with air springs on an uneven road: mildly stiff, 11 coordinates and one constraint",
    "model of Lubich, Nowak, Poehle, Engstler 1992 (MEXX), section 5.3, after Simeon et al. 1994; numbers of "
    "Eich-Soellner, "
    "Fuehrer 1998, but engine, seat, how they share the masses, the roads and the time are ours",
    {{"road", 0, "0 = sine; 1 = uneven like a measured one: class C of ISO 8608, fades from 8 s to 12 s, then level", 0,
      1, true}},
    build};

}  // namespace trammel::cases
