#pragma once

// A function that is compiled twice: for every x86-64 processor, and for those with 256-bit vectors and fused
// multiply-add (all since about 2015), where its numbers need a tenth to a fifth less time. The program chooses once,
// when it is loaded. Results of the two differ by rounding, those of one machine never do. What the function calls is
// inlined into it (flatten), since templates cannot be compiled twice themselves; it must not throw through what is
// inlined.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TRAMMEL_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define TRAMMEL_WIDE_VECTORS
#endif
