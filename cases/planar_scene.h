#pragma once

// What to draw of equations in the plane, put together body by body. A body has the name that Case::bodies gives it and
// the frame of its pose there.

#include <string>
#include <vector>

#include "trammel/io/scene.h"

namespace trammel::cases {

class PlanarScene {
 public:
  /// A point of a body in its frame, or of the ground [m].
  struct At {
    int body = model::kGround;  ///< in the order in which bodies were added
    double x = 0, y = 0;
  };

  explicit PlanarScene(double gravity = 0);  ///< along -y [m/s^2]

  /// Returns the index of the body.
  int add_body(const std::string& name, double mass, std::vector<model::Shape> shapes = {});
  void add_pin(const std::string& name, const At& first, const At& second) {
    add_joint(name, "revolute", first, second);
  }
  void add_joint(const std::string& name, const std::string& type, const At& first, const At& second);
  void add_spring(const std::string& name, const At& first, const At& second);
  void add_point(const std::string& name, const At& at);
  void add_trail(const std::string& name) { scene_.trails.push_back(name); }

  const io::Scene& scene() const { return scene_; }

 private:
  io::Scene scene_;
};

/// Shapes around a point of a body [m].
model::Shape disc(double radius, double x = 0, double y = 0);
model::Shape box(double width, double height, double x = 0, double y = 0);

}  // namespace trammel::cases
