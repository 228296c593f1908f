#pragma once

// Matrices in joint coordinates, made of matrices in body coordinates (joint_form.h):
//
//   X = J^T (c_1 A_1 P_1 + c_2 A_2 P_2 + ...) + C
//
// The A_k are matrices of the inner system and the P_k path matrices of the tree; along constraints and extra states
// J and P_k are the identity. C has entries between velocities of a common path only. The work is done in two passes:
// gather() sums A_k P_k into an array "half", whose rows are still those of the inner system, and spread() applies J^T
// by sums from the leaves to the root: what arrives at a body, as a wrench for every column, is projected on the
// velocities of its own joint and handed on to its parent. Neither takes memory.
//
// The rows of all velocities of one body have the same columns, so that they are a full block. X is the sequence of
// these blocks, in the order of the tree, each by rows.

#include <vector>

#include "trammel/linalg/pattern.h"
#include "trammel/system/joint_tree.h"

namespace trammel::system {

/// Of a body and those behind it: force, torque and sum of (r_k - r) f_k^T about its centre r.
struct TreeLoad {
  Eigen::Vector3d F = Eigen::Vector3d::Zero(), N = Eigen::Vector3d::Zero();
  Eigen::Matrix3d P = Eigen::Matrix3d::Zero();
};

class TreeMatrix {
 public:
  enum class Axis {
    kVelocities,  ///< of bodies in A_k, of the tree in X
    kOther        ///< the same in both
  };

  TreeMatrix() = default;
  /// The patterns of the A_k; for rows that are velocities the frames whose loads make C, none if this is empty; and
  /// the number of rows and columns that are no velocities. Keeps a reference to the tree.
  TreeMatrix(const JointTree& tree, Axis rows, Axis columns, const std::vector<const linalg::Pattern*>& sources,
             const std::vector<bool>& loaded = {}, int row_count = 0, int column_count = 0);

  const linalg::Pattern& pattern() const { return pattern_; }
  /// Numbers that the array "half" has; where the rows are not velocities, it is X itself.
  std::ptrdiff_t half_size() const { return half_size_; }

  /// half += scale * A_k P, with the values of A_k in the order of its pattern.
  void gather(int k, const double* values, const PathMatrix& P, double scale, double* half) const;
  /// X += J^T half, where half is used up.
  void spread(const TreePlaces& at, double* half, double* X) const;

  /// Of C: the places in X of the velocity i of a frame's own and the n-th of its path, ...
  std::ptrdiff_t lower(int frame, int i, int n) const {
    const Block& block = blocks_[static_cast<std::size_t>(frame)];
    return path_places_[static_cast<std::size_t>(block.path + n)].lower +
           static_cast<std::ptrdiff_t>(i) * block.columns;
  }
  /// ... and the other way round.
  std::ptrdiff_t upper(int frame, int i, int n) const {
    return path_places_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(frame)].path + n)].upper + i;
  }
  /// X += d(J^T z)/dq at fixed z, which is given by its wrenches (force and torque in ground axes; the torque turns
  /// along with its body). C has its places.
  void add_projected_by_q(const TreePlaces& at, const std::vector<Screw>& wrenches, std::vector<TreeLoad>& loads,
                          double* X) const;

 private:
  /// Where the numbers of a row go.
  struct Run {
    std::ptrdiff_t first = 0;    ///< place of the first
    std::ptrdiff_t places = -1;  ///< in places_, of those of all counted from the first; -1: they are consecutive
  };
  struct Step {
    int from;               ///< value of A_k
    int length;             ///< of the row of P
    std::ptrdiff_t row;     ///< in P
    std::ptrdiff_t to;      ///< in half, of the first
    std::ptrdiff_t places;  ///< as in Run
  };
  /// The rows of one body.
  struct Block {
    int columns = 0;
    std::ptrdiff_t half = 0, X = 0;
    Run to_parent;             ///< of its columns among those of its parent
    std::ptrdiff_t path = -1;  ///< in path_places_; -1: it has no part of C
  };
  struct PathPlace {
    std::ptrdiff_t lower;
    std::ptrdiff_t upper;
  };
  using Columns = std::vector<std::vector<int>>;

  /// Rows and columns of the A_k belong to a body or stand for themselves.
  int row_group(int row) const;
  int column_group(int column) const;
  std::vector<int> columns_of_group(int group) const;
  Columns collect_columns(std::size_t groups, const std::vector<const linalg::Pattern*>& sources) const;
  void place_velocities(Columns& columns, const std::vector<bool>& loaded, std::vector<linalg::Entry>& entries);
  void add_path_places(int frame, const Columns& columns);
  Run find_run(const std::vector<int>& some, const std::vector<int>& all);
  void add_steps(const linalg::Pattern& source, const Columns& columns);
  void turn_torques(int frame, const TreePlaces& at, double* half) const;
  void project(int frame, const TreePlaces& at, const double* half, double* X) const;
  void hand_on(int frame, const TreePlaces& at, double* half) const;

  const JointTree* tree_ = nullptr;
  Axis rows_ = Axis::kOther, columns_ = Axis::kOther;
  int width_ = 0;
  linalg::Pattern pattern_;
  std::ptrdiff_t half_size_ = 0;
  std::vector<std::vector<Step>> sources_;
  std::vector<std::ptrdiff_t> places_;
  std::vector<Block> blocks_;          // by frame, of velocities
  std::vector<std::ptrdiff_t> first_;  // in half of each row, of others
  std::vector<PathPlace> path_places_;
};

}  // namespace trammel::system
