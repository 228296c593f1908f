#pragma once

// The routines of LAPACK that are used, as declared by its Fortran interface (32-bit integers, column-major matrices).
// The trailing length of each character argument is what gfortran passes; C callers that leave it out rely on luck.

#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming): names as the Fortran compiler makes them
extern "C" {
/// P A = L U with partial pivoting; info = k > 0: pivot k (from 1) is exactly zero.
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);

/// A = Q R by Householder's reflections, and the first k columns of Q from them.
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);

/// P A P^T = L D L^T (Bunch and Kaufman) with blocks of D of size 1 and 2.
void dsytrf_(const char* uplo, const int* n, double* a, const int* lda, int* ipiv, double* work, const int* lwork,
             int* info, std::size_t uplo_length);
void dsytrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, const int* ipiv,
             double* b, const int* ldb, int* info, std::size_t uplo_length);
/// Reciprocal 1-norm condition estimate from the factors of dsytrf and the norm of the matrix.
void dsycon_(const char* uplo, const int* n, const double* a, const int* lda, const int* ipiv, const double* anorm,
             double* rcond, double* work, int* iwork, int* info, std::size_t uplo_length);
/// Changes the factors of dsytrf to plain triangular L, with the off-diagonal of D in e (way 'C'), or back (way 'R').
void dsyconv_(const char* uplo, const char* way, const int* n, double* a, const int* lda, const int* ipiv, double* e,
              int* info, std::size_t uplo_length, std::size_t way_length);
}
// NOLINTEND(readability-identifier-naming)
