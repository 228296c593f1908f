#pragma once

// Loops whose items threads may share, by oneTBB.
//
// Every item is done once, by one thread, and writes only what is its own: then the bits do not depend on how many
// threads there are. Sums over items are formed afterwards, in order, by the caller.

#include <algorithm>

namespace trammel::linalg {

/// The most threads of a loop, in the whole process; >= 0, 0: as many as the machine has, or the tbb::task_arena that
/// the caller works in. With 1 nothing of TBB is touched.
void set_thread_limit(int limit);
int thread_limit();
/// How many threads a loop may have here, at least 1.
int thread_count();

/// Calls work(context, piece) for all pieces, on several threads.
void run_pieces(int pieces, void (*work)(const void* context, int piece), const void* context);

/// Calls f(begin, end) for ranges that make up [0, count), none shorter than `grain` unless it is the only one. On the
/// caller's thread, at once, while there are less than two grains.
template <class F>
void parallel_for_ranges(int count, int grain, const F& f) {
  const int pieces = count < 2 * grain ? 1 : std::min(thread_count(), count / grain);
  if (pieces <= 1) {
    f(0, count);
    return;
  }
  struct Context {
    const F& f;
    int count, pieces;
    int first(int piece) const { return static_cast<int>(static_cast<long>(count) * piece / pieces); }
  };
  const Context context{f, count, pieces};
  run_pieces(
      pieces,
      [](const void* given, int piece) {
        const auto& c = *static_cast<const Context*>(given);
        c.f(c.first(piece), c.first(piece + 1));
      },
      &context);
}

}  // namespace trammel::linalg
