#pragma once

// Functions that are compiled twice: for every x86-64 processor, and for those with 256-bit vectors and fused
// multiply-add (nearly all since 2015), where block kernels take a tenth to a quarter less time. The program chooses
// when it starts. Results of the two differ by rounding, those of one machine never do.
//
// TRAMMEL_WIDE_VECTORS before a function does both. Templates cannot have it: there TRAMMEL_WIDE_ONLY stands before a
// function of its own that calls the plain one, for a table of functions that asks has_wide_vectors(). All that such
// functions call is inlined into them (flatten), since it must be compiled anew. The choice of TRAMMEL_WIDE_VECTORS is
// made before the address and thread sanitizers are up: with them there is only the plain function.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TRAMMEL_HAS_WIDE_VECTORS 1
#define TRAMMEL_WIDE_ONLY __attribute__((target("arch=x86-64-v3"), flatten))
#else
#define TRAMMEL_HAS_WIDE_VECTORS 0
#define TRAMMEL_WIDE_ONLY
#endif

#if TRAMMEL_HAS_WIDE_VECTORS && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRAMMEL_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define TRAMMEL_WIDE_VECTORS
#endif

namespace trammel::linalg {

inline bool has_wide_vectors() {
#if TRAMMEL_HAS_WIDE_VECTORS
  return __builtin_cpu_supports("x86-64-v3");
#else
  return false;
#endif
}

}  // namespace trammel::linalg
