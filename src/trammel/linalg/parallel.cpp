#include "trammel/linalg/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <stdexcept>

namespace trammel::linalg {

namespace {
std::atomic<int> limit_of_process{0};
}  // namespace

void set_thread_limit(int limit) {
  if (limit < 0) throw std::invalid_argument("a limit of threads is 0, for none, or more");
  limit_of_process = limit;
}

int thread_limit() { return limit_of_process; }

int thread_count() {
  const int limit = limit_of_process;
  if (limit == 1) return 1;
  const int available = std::max(1, tbb::this_task_arena::max_concurrency());
  return limit == 0 ? available : std::min(limit, available);
}

void run_pieces(int pieces, void (*work)(const void* context, int piece), const void* context) {
  tbb::parallel_for(
      0, pieces, [=](int piece) { work(context, piece); }, tbb::simple_partitioner{});
}

}  // namespace trammel::linalg
