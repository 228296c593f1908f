#include "trammel/system/tree_matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trammel::system {

using linalg::Entry;
using linalg::Pattern;

namespace {

using Sources = std::vector<const Pattern*>;

/// Adds an increasing list to another one.
void merge(std::vector<int>& into, const std::vector<int>& more) {
  if (std::includes(into.begin(), into.end(), more.begin(), more.end())) return;
  std::vector<int> both;
  both.reserve(into.size() + more.size());
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
  into = std::move(both);
}

}  // namespace

TreeMatrix::TreeMatrix(const JointTree& tree, Axis rows, Axis columns, const Sources& sources,
                       const std::vector<bool>& loaded, int row_count, int column_count)
    : tree_(&tree), rows_(rows), columns_(columns), width_(tree.width()) {
  const auto groups = rows == Axis::kVelocities ? tree.order().size() + 1 : static_cast<std::size_t>(row_count);
  Columns of_rows = collect_columns(groups, sources);
  std::vector<Entry> entries;
  if (rows == Axis::kVelocities) {
    place_velocities(of_rows, loaded, entries);
  } else {
    for (std::size_t row = 0; row < groups; ++row) {
      first_.push_back(static_cast<std::ptrdiff_t>(entries.size()));
      for (const int column : of_rows[row]) entries.push_back({static_cast<int>(row), column});
    }
    half_size_ = static_cast<std::ptrdiff_t>(entries.size());
  }
  for (const Pattern* source : sources) add_steps(*source, of_rows);
  pattern_ = Pattern(rows == Axis::kVelocities ? tree.n_v() : row_count,
                     columns == Axis::kVelocities ? tree.n_v() : column_count, std::move(entries));
}

int TreeMatrix::row_group(int row) const { return rows_ == Axis::kVelocities ? row / width_ + 1 : row; }
int TreeMatrix::column_group(int column) const { return columns_ == Axis::kVelocities ? column / width_ + 1 : column; }

/// The columns of X that a column of the A_k makes.
std::vector<int> TreeMatrix::columns_of_group(int group) const {
  return columns_ == Axis::kVelocities ? tree_->path(group) : std::vector<int>{group};
}

TreeMatrix::Columns TreeMatrix::collect_columns(std::size_t groups, const Sources& sources) const {
  std::vector<std::set<int>> touched(groups);
  for (const Pattern* source : sources) {
    for (const Entry& e : source->entries()) {
      touched[static_cast<std::size_t>(row_group(e.row))].insert(column_group(e.column));
    }
  }
  Columns columns(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    for (const int column : touched[group]) merge(columns[group], columns_of_group(column));
  }
  return columns;
}

void TreeMatrix::place_velocities(Columns& columns, const std::vector<bool>& loaded, std::vector<Entry>& entries) {
  const std::vector<int>& order = tree_->order();
  blocks_.resize(order.size() + 1);
  std::vector<bool> is_loaded = loaded;  // by bodies behind it, too
  is_loaded.resize(order.size() + 1, false);
  for (auto frame = order.rbegin(); frame != order.rend(); ++frame) {
    std::vector<int>& own = columns[static_cast<std::size_t>(*frame)];
    const bool has_load = is_loaded[static_cast<std::size_t>(*frame)];
    if (has_load) merge(own, tree_->path(*frame));
    const int parent = tree_->parent(*frame);
    if (parent <= 0) continue;
    merge(columns[static_cast<std::size_t>(parent)], own);
    if (has_load) is_loaded[static_cast<std::size_t>(parent)] = true;
  }
  for (const int frame : order) {
    const std::vector<int>& own = columns[static_cast<std::size_t>(frame)];
    Block& block = blocks_[static_cast<std::size_t>(frame)];
    block.columns = static_cast<int>(own.size());
    block.half = half_size_;
    block.X = static_cast<std::ptrdiff_t>(entries.size());
    half_size_ += static_cast<std::ptrdiff_t>(width_) * block.columns;
    for (int i = 0; i < tree_->velocity_count(frame); ++i) {
      for (const int column : own) entries.push_back({tree_->first_velocity(frame) + i, column});
    }
    const int parent = tree_->parent(frame);
    if (parent > 0) block.to_parent = find_run(own, columns[static_cast<std::size_t>(parent)]);
    if (is_loaded[static_cast<std::size_t>(frame)]) add_path_places(frame, columns);
  }
}

void TreeMatrix::add_path_places(int frame, const Columns& columns) {
  const auto place_in = [&](int of, int column) {
    const std::vector<int>& all = columns[static_cast<std::size_t>(of)];
    return std::lower_bound(all.begin(), all.end(), column) - all.begin();
  };
  blocks_[static_cast<std::size_t>(frame)].path = static_cast<std::ptrdiff_t>(path_places_.size());
  if (tree_->velocity_count(frame) == 0) return;
  for (const int velocity : tree_->path(frame)) {
    const int other = tree_->frame_of(velocity);
    const Block& block = blocks_[static_cast<std::size_t>(other)];
    path_places_.push_back({blocks_[static_cast<std::size_t>(frame)].X + place_in(frame, velocity),
                            block.X +
                                static_cast<std::ptrdiff_t>(velocity - tree_->first_velocity(other)) * block.columns +
                                place_in(other, tree_->first_velocity(frame))});
  }
}

/// Where some of an increasing list of numbers stand in it.
TreeMatrix::Run TreeMatrix::find_run(const std::vector<int>& some, const std::vector<int>& all) {
  Run run;
  if (some.empty()) return run;
  std::vector<std::ptrdiff_t> places;
  for (const int column : some) places.push_back(std::lower_bound(all.begin(), all.end(), column) - all.begin());
  run.first = places.front();
  if (places.back() - places.front() + 1 == static_cast<std::ptrdiff_t>(places.size())) return run;
  run.places = static_cast<std::ptrdiff_t>(places_.size());
  for (const std::ptrdiff_t place : places) places_.push_back(place - run.first);
  return run;
}

void TreeMatrix::add_steps(const Pattern& source, const Columns& columns) {
  std::map<std::pair<int, int>, Run> runs;
  std::vector<Step>& steps = sources_.emplace_back();
  steps.reserve(static_cast<std::size_t>(source.size()));
  for (int from = 0; from < source.size(); ++from) {
    const Entry& e = source[from];
    const int rows = row_group(e.row), group = column_group(e.column);
    const std::vector<int>& all = columns[static_cast<std::size_t>(rows)];
    const auto [run, is_new] = runs.try_emplace({rows, group});
    if (is_new) run->second = find_run(columns_of_group(group), all);
    Step step{from, 0, 0, run->second.first, run->second.places};
    if (rows_ == Axis::kVelocities) {
      step.to += blocks_[static_cast<std::size_t>(rows)].half +
                 static_cast<std::ptrdiff_t>(e.row % width_) * static_cast<std::ptrdiff_t>(all.size());
    } else {
      step.to += first_[static_cast<std::size_t>(rows)];
    }
    if (columns_ == Axis::kVelocities) {
      step.length = tree_->path_size(group);
      step.row = tree_->row(group, e.column % width_);
      if (step.length == 0) continue;  // welded to the ground
    }
    steps.push_back(step);
  }
}

void TreeMatrix::gather(int k, const double* values, const PathMatrix& P, double scale, double* half) const {
  for (const Step& step : sources_[static_cast<std::size_t>(k)]) {
    const double value = scale * values[step.from];
    double* out = half + step.to;
    if (columns_ == Axis::kOther) {
      *out += value;
      continue;
    }
    const double* row = P.data() + step.row;
    if (step.places < 0) {
      for (int n = 0; n < step.length; ++n) out[n] += value * row[n];
    } else {
      const std::ptrdiff_t* places = places_.data() + step.places;
      for (int n = 0; n < step.length; ++n) out[places[n]] += value * row[n];
    }
  }
}

void TreeMatrix::spread(const TreePlaces& at, double* half, double* X) const {
  if (rows_ == Axis::kOther) {
    for (std::ptrdiff_t k = 0; k < half_size_; ++k) X[k] += half[k];
    return;
  }
  if (width_ == 6) {
    for (const int frame : tree_->order()) turn_torques(frame, at, half);
  }
  const std::vector<int>& order = tree_->order();
  for (auto frame = order.rbegin(); frame != order.rend(); ++frame) {
    if (blocks_[static_cast<std::size_t>(*frame)].columns == 0) continue;
    project(*frame, at, half, X);
    if (tree_->parent(*frame) > 0) hand_on(*frame, at, half);
  }
}

/// From body axes, in which the inner system has them, to ground axes.
void TreeMatrix::turn_torques(int frame, const TreePlaces& at, double* half) const {
  const Block& block = blocks_[static_cast<std::size_t>(frame)];
  const Eigen::Matrix3d& R = at.frames[static_cast<std::size_t>(frame)].R;
  double* const N = half + block.half + 3 * static_cast<std::ptrdiff_t>(block.columns);
  for (std::ptrdiff_t c = 0, stride = block.columns; c < stride; ++c) {
    const double x = N[c], y = N[c + stride], z = N[c + 2 * stride];
    for (int k = 0; k < 3; ++k) N[c + k * stride] = R(k, 0) * x + R(k, 1) * y + R(k, 2) * z;
  }
}

void TreeMatrix::project(int frame, const TreePlaces& at, const double* half, double* X) const {
  const Block& block = blocks_[static_cast<std::size_t>(frame)];
  const std::ptrdiff_t stride = block.columns;
  const double* const H = half + block.half;
  for (int i = 0; i < tree_->velocity_count(frame); ++i) {
    const Screw& S = at.screws[static_cast<std::size_t>(tree_->first_velocity(frame) + i)];
    double* const row = X + block.X + i * stride;
    const auto add = [&](int component, double factor) {
      if (factor == 0) return;
      const double* const from = H + component * stride;
      for (std::ptrdiff_t c = 0; c < stride; ++c) row[c] += factor * from[c];
    };
    if (width_ == 3) {
      add(0, S.v[0]);
      add(1, S.v[1]);
      add(2, S.w[2]);
      continue;
    }
    for (int k = 0; k < 3; ++k) add(k, S.v[k]);
    for (int k = 0; k < 3; ++k) add(3 + k, S.w[k]);
  }
}

/// Adds the wrenches of a body to those of its parent.
void TreeMatrix::hand_on(int frame, const TreePlaces& at, double* half) const {
  const int parent = tree_->parent(frame);
  const Block &block = blocks_[static_cast<std::size_t>(frame)], &above = blocks_[static_cast<std::size_t>(parent)];
  const Eigen::Vector3d d =
      at.frames[static_cast<std::size_t>(frame)].r - at.frames[static_cast<std::size_t>(parent)].r;
  const std::ptrdiff_t s = block.columns, t = above.columns;
  const double* const H = half + block.half;
  double* const P = half + above.half + block.to_parent.first;
  const std::ptrdiff_t* const places = block.to_parent.places < 0 ? nullptr : places_.data() + block.to_parent.places;
  for (std::ptrdiff_t c = 0; c < s; ++c) {
    double* const out = P + (places ? places[c] : c);
    const double fx = H[c], fy = H[c + s];
    out[0] += fx;
    out[t] += fy;
    if (width_ == 3) {
      out[2 * t] += H[c + 2 * s] + d[0] * fy - d[1] * fx;
      continue;
    }
    const double fz = H[c + 2 * s];
    out[2 * t] += fz;
    out[3 * t] += H[c + 3 * s] + d[1] * fz - d[2] * fy;
    out[4 * t] += H[c + 4 * s] + d[2] * fx - d[0] * fz;
    out[5 * t] += H[c + 5 * s] + d[0] * fy - d[1] * fx;
  }
}

// With F, N and P of the bodies behind the later one of i and j, at the centre of its body:
//   i moves j:   X_ji = -S_j.v . (a_i x F) - (a_i . a_j) tr P + a_i^T P a_j
//   otherwise:   X_ji = -S_i.v . (a_j x F) - (a_i . a_j) tr P + a_j^T P a_i + a_j . (a_i x N)
void TreeMatrix::add_projected_by_q(const TreePlaces& at, const std::vector<Screw>& wrenches,
                                    std::vector<TreeLoad>& loads, double* X) const {
  for (TreeLoad& load : loads) load = TreeLoad();
  const std::vector<int>& order = tree_->order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const int frame = *it;
    const auto k = static_cast<std::size_t>(frame);
    if (blocks_[k].path < 0) continue;
    TreeLoad& load = loads[k];
    load.F += wrenches[k].v;
    load.N += wrenches[k].w;
    const double trace = load.P.trace();
    const std::vector<int>& path = tree_->path(frame);
    for (int i = 0; i < tree_->velocity_count(frame); ++i) {
      const int late = tree_->first_velocity(frame) + i;
      const Screw& S = at.screws[static_cast<std::size_t>(late)];
      const Eigen::Vector3d Pa = load.P * S.w, torque = S.w.cross(load.N), lever = load.F.cross(S.v);
      for (int n = 0; n < tree_->path_size(frame) && path[static_cast<std::size_t>(n)] <= late; ++n) {
        const int early = path[static_cast<std::size_t>(n)];
        const Screw& S_e = at.screws[static_cast<std::size_t>(early)];
        const Eigen::Vector3d& a = S_e.w;
        // S.v . (a x F) = a . (F x S.v)
        const double common = -a.dot(lever) - a.dot(S.w) * trace + a.dot(Pa);
        X[lower(frame, i, n)] += common;
        if (early == late) continue;
        if (tree_->step_of(early) == tree_->step_of(late)) {
          // Both move each other: the roles change.
          X[upper(frame, i, n)] += -S.w.dot(load.F.cross(S_e.v)) - a.dot(S.w) * trace + S.w.dot(load.P * a);
        } else {
          X[upper(frame, i, n)] += common + a.dot(torque);
        }
      }
    }
    const int parent = tree_->parent(frame);
    if (parent <= 0) continue;
    TreeLoad& above = loads[static_cast<std::size_t>(parent)];
    const Eigen::Vector3d d = at.frames[k].r - at.frames[static_cast<std::size_t>(parent)].r;
    above.F += load.F;
    above.N += load.N;
    above.P += load.P + d * load.F.transpose();
  }
}

}  // namespace trammel::system
