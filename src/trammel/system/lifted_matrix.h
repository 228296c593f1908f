#pragma once

// Matrices of the plain form, made of matrices of the quasi-velocity form (plain_form.h):
//
//   X = S^T (c_1 A_1 R_1 + c_2 A_2 R_2 + ...) + further places
//
// The A_k are matrices of the inner system. Along velocities, R_k has one 3 x 4 block a rotation, which turns its
// three columns into four, and is the identity elsewhere (or zero); S is made of such blocks, too. Along constraints
// and extra states S and R_k only renumber. The work is done in two passes: gather() sums A_k R_k into an array
// "half", whose rows are still those of the inner system, and spread() applies S^T. Neither takes memory.

#include <vector>

#include "trammel/linalg/pattern.h"
#include "trammel/math/quaternion.h"

namespace trammel::system {

/// The 3 x 4 blocks of a matrix that is block diagonal over rotations.
using RotationBlocks = std::vector<math::Matrix34<double>>;

/// How the indices of the inner system become indices of the plain form, along rows or columns.
struct LiftedAxis {
  struct Index {
    int place;          ///< in the plain form; of the first of four where the index belongs to a rotation
    int rotation = -1;  ///< whose angular velocity this is a component of; -1: of none, the index is renumbered only
    int component = 0;  ///< 0, 1, 2
  };
  std::vector<Index> indices;  ///< one for each index of the inner system
  int size = 0;                ///< of the plain form
};

class LiftedMatrix {
 public:
  /// One A_k R_k.
  struct Source {
    const linalg::Pattern* pattern;  ///< of A_k; used by the constructor only
    /// Whether R_k is zero outside of its rotation blocks.
    bool rotations_only = false;
  };

  LiftedMatrix() = default;
  LiftedMatrix(const LiftedAxis& rows, const LiftedAxis& columns, const std::vector<Source>& sources,
               const std::vector<linalg::Entry>& further = {});

  /// Of X, column by column, each place once; full() where every place is taken.
  const linalg::Pattern& pattern() const { return pattern_; }
  /// Numbers that the array "half" has.
  int half_size() const { return static_cast<int>(half_.size()); }

  /// half += scale * A_k R_k, with the values of A_k in the order of its pattern.
  void gather(int k, const double* values, const RotationBlocks& R, double scale, double* half) const;
  /// X += S^T half.
  void spread(const double* half, const RotationBlocks& S, double* X) const;
  /// The k-th of the further places, as an entry of pattern().
  int further(int k) const { return further_[k]; }

 private:
  struct Step {
    int from;
    int to;  ///< the first of four consecutive ones where there is a rotation
    int rotation;
    int component;
  };

  linalg::Pattern pattern_;
  std::vector<std::vector<Step>> sources_;  ///< from values of A_k to half
  std::vector<Step> half_;                  ///< from half to X
  std::vector<int> further_;
};

}  // namespace trammel::system
