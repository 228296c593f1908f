#pragma once

// Counts every allocation of the program it is linked into (malloc and its relatives, and so operator new).

namespace trammel::testing {

/// Whether allocations are counted: not under sanitizers, which bring an allocator of their own.
#ifdef TRAMMEL_SANITIZED
inline constexpr bool kCountsAllocations = false;
#else
inline constexpr bool kCountsAllocations = true;
#endif

/// Since the start of the program, in all threads.
long allocation_count();

}  // namespace trammel::testing
