// Every item of a shared loop is done once, in ranges that are worth a thread, and the limit of threads is kept.

#include "trammel/linalg/parallel.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace trammel::linalg {
namespace {

struct Range {
  int begin, end;
};

/// Ranges of a loop in an arena of so many threads, in their order.
std::vector<Range> ranges_of(int threads, int count, int grain) {
  std::vector<Range> ranges;
  std::mutex mutex;
  tbb::task_arena(threads).execute([&] {
    parallel_for_ranges(count, grain, [&](int begin, int end) {
      const std::lock_guard lock(mutex);
      ranges.push_back({begin, end});
    });
  });
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return ranges;
}

class Parallel : public ::testing::Test {
 protected:
  ~Parallel() override { set_thread_limit(0); }
};

TEST_F(Parallel, RangesMakeUpTheWhole) {
  for (const int threads : {1, 2, 3, 4}) {
    for (const int count : {0, 1, 7, 100, 101, 103}) {
      for (const int grain : {1, 10, 50}) {
        int next = 0;
        const std::vector<Range> ranges = ranges_of(threads, count, grain);
        for (const Range& range : ranges) {
          EXPECT_EQ(range.begin, next);
          if (ranges.size() > 1) {
            EXPECT_GE(range.end - range.begin, grain);
          }
          next = range.end;
        }
        EXPECT_EQ(next, count);
        EXPECT_LE(ranges.size(), static_cast<std::size_t>(threads));
      }
    }
  }
}

TEST_F(Parallel, ShortLoopsAndALimitOfOneStayInOnePiece) {
  EXPECT_EQ(ranges_of(4, 19, 10).size(), 1u);
  EXPECT_EQ(ranges_of(4, 20, 10).size(), 2u);
  EXPECT_EQ(ranges_of(4, 1000, 10).size(), 4u);
  set_thread_limit(2);
  EXPECT_EQ(thread_limit(), 2);
  EXPECT_EQ(ranges_of(4, 1000, 10).size(), 2u);
  set_thread_limit(1);
  EXPECT_EQ(ranges_of(4, 1000, 10).size(), 1u);
  EXPECT_THROW(set_thread_limit(-1), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::linalg
