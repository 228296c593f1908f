#include "compare_reference.h"

#include <fmt/format.h>

#include <cmath>

#include "commands.h"
#include "trammel/io/result_file.h"

namespace trammel::cli {
namespace {

Eigen::MatrixXd read_rows(const io::ResultFile& file, const std::vector<std::string>& names,
                          const std::vector<long>& rows) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto column = file.find_column(name);
    if (!column) {
      throw InputError(fmt::format("'{}' has no column '{}', so that it cannot be the reference of this problem",
                                   file.path(), name));
    }
    columns.push_back(*column);
  }
  Eigen::MatrixXd values(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    values.row(static_cast<Eigen::Index>(k)) = file.read(columns, rows[k], 1);
  }
  if (!values.allFinite()) throw InputError(fmt::format("'{}' holds values that are not numbers", file.path()));
  return values;
}

/// Files of models have the frames of bodies where coordinates are those of their centres of mass.
void read_bodies(const io::ResultFile& file, const system::Mechanism& mechanism, const std::vector<long>& rows,
                 analyses::Trajectory& trajectory) {
  using Eigen::Vector3d;
  const system::BodyTable& bodies = mechanism.bodies();
  const bool is_planar = bodies.is_planar();
  std::vector<std::string> names;
  for (const model::Body& body : mechanism.model().bodies) {
    for (const char* c : {"x", "y", "angle", "vx", "vy", "angle_rate"}) {
      if (is_planar) names.push_back(body.name + "." + c);
    }
    for (const char* c : {"x", "y", "z", "e0", "e1", "e2", "e3", "vx", "vy", "vz", "wx", "wy", "wz"}) {
      if (!is_planar) names.push_back(body.name + "." + c);
    }
  }
  const Eigen::MatrixXd values = read_rows(file, names, rows);
  const Eigen::Index width = is_planar ? 6 : 13;
  trajectory.q.resize(values.rows(), bodies.n_q());
  trajectory.v.resize(values.rows(), bodies.n_v());
  std::vector<model::BodyFrame> frames(static_cast<std::size_t>(bodies.frames()));
  linalg::Vector q = linalg::Vector::Zero(bodies.n_q()), v = linalg::Vector::Zero(bodies.n_v());
  for (Eigen::Index k = 0; k < values.rows(); ++k) {
    const auto of_body = [&](int frame) {
      return values.row(k).segment((frame - 1) * width, width).transpose().eval();
    };
    for (int frame = 1; frame < bodies.frames(); ++frame) {
      const Eigen::VectorXd b = of_body(frame);
      if (is_planar) {
        bodies.set_pose(frame, {b[0], b[1], 0}, {std::cos(b[2] / 2), 0, 0, std::sin(b[2] / 2)}, b[2], q);
      } else {
        bodies.set_pose(frame, b.head<3>(), b.segment<4>(3), 0, q);
      }
    }
    bodies.calc_frames(q.data(), frames);
    for (int frame = 1; frame < bodies.frames(); ++frame) {
      const Eigen::VectorXd b = of_body(frame);
      const Vector3d velocity = is_planar ? Vector3d(b[3], b[4], 0) : Vector3d(b.segment<3>(7));
      const Vector3d angular = is_planar ? Vector3d(0, 0, b[5]) : Vector3d(b.segment<3>(10));
      bodies.set_velocity(frame, velocity, angular, frames[static_cast<std::size_t>(frame)], v);
    }
    trajectory.q.row(k) = q.transpose();
    trajectory.v.row(k) = v.transpose();
  }
}

io::ResultFile open_file(const std::string& path) {
  try {
    return io::ResultFile::open(path);
  } catch (const io::ResultFileError& error) {
    throw InputError(error.what());
  }
}

}  // namespace

analyses::ReferenceSolution load_reference_file(const std::string& path, const analyses::CompareProblem& problem,
                                                int samples) {
  const io::ResultFile file = open_file(path);
  const std::vector<double>& time = file.time();
  std::vector<long> usable;
  for (std::size_t k = 0; k < time.size(); ++k) {
    const bool increases = usable.empty() || time[k] > time[static_cast<std::size_t>(usable.back())];
    if (time[k] > problem.start.t && time[k] <= problem.t_end && increases) usable.push_back(static_cast<long>(k));
  }
  if (usable.empty()) {
    throw InputError(fmt::format("'{}' has no time between the start {:g} s and the end {:g} s of the runs", path,
                                 problem.start.t, problem.t_end));
  }
  std::vector<long> rows;
  const auto wanted = static_cast<std::size_t>(samples), all = usable.size();
  for (std::size_t k = 0; k < all; ++k) {
    if (all <= wanted || (k + 1) * wanted / all > k * wanted / all) rows.push_back(usable[k]);
  }
  analyses::ReferenceSolution reference;
  for (const long row : rows) reference.trajectory.t.push_back(time[static_cast<std::size_t>(row)]);
  if (problem.mechanism) {
    read_bodies(file, *problem.mechanism, rows, reference.trajectory);
  } else {
    const dae::Structure& s = problem.system->structure();
    reference.trajectory.q = read_rows(file, s.position_names, rows);
    reference.trajectory.v = read_rows(file, s.velocity_names, rows);
  }
  reference.method = file.header().method;
  reference.tolerance = file.header().tolerance;
  reference.origin = path;  // .csv files hold no more
  if (!reference.method.empty()) {
    reference.origin += fmt::format(" ({}, tolerance {:g})", reference.method, reference.tolerance);
  }
  if (time[static_cast<std::size_t>(usable.back())] < problem.t_end * (1 - 1e-9)) {
    reference.warnings.push_back(fmt::format("it ends at t = {:g} s: errors are measured up to there",
                                             time[static_cast<std::size_t>(usable.back())]));
  }
  return reference;
}

}  // namespace trammel::cli
