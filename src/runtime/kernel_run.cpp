#include "runtime/kernel_run.h"

#include <algorithm>

#include "runtime/index_bound.h"
#include "runtime/thread_pool.h"

namespace nfx {
namespace {

// Fewer elements than this in a chunk, and waking a thread costs more than it
// saves.
constexpr int64_t kElementsPerChunk = int64_t{1} << 15;
// Chunks a thread, so that one that starts late finds less to do.
constexpr int64_t kChunksPerThread = 4;

int64_t chunk_count(int64_t items, int64_t elements, int threads) {
  const int64_t worth = elements / kElementsPerChunk;
  return std::max<int64_t>(1, std::min({items, worth, threads * kChunksPerThread}));
}

}  // namespace

Status run_kernel(Frame& frame, const KernelStep& step) {
  for (const IndexBound& bound : step.bounds) NFX_TRY(check_index(frame, bound));
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    const KernelBufferRef& buffer = step.buffers[i];
    const int64_t offset = buffer.offset == kNoIndex ? 0 : frame.numbers[buffer.offset];
    frame.kernel_buffers[i] = frame.data[buffer.slot] + offset;
  }
  for (size_t i = 0; i < step.scalars.size(); ++i) {
    frame.kernel_scalars[i] = frame.numbers[step.scalars[i]];
  }
  void* const* buffers = frame.kernel_buffers.data();
  const int64_t* scalars = frame.kernel_scalars.data();
  const int64_t items = work_items(step.kernel, step.code->schedule, scalars);
  if (items <= 0) return success();
  const int64_t elements = frame.numbers[step.work];
  const int threads = elements < 2 * kElementsPerChunk ? 1 : aten_num_threads();
  const int64_t chunks = threads == 1 ? 1 : chunk_count(items, elements, threads);
  if (chunks == 1) {
    step.code->run(buffers, scalars, 0, items);
    return success();
  }
  ThreadPool::process().parallel_for(chunks, threads, [&](int64_t chunk) {
    step.code->run(buffers, scalars, chunk * items / chunks, (chunk + 1) * items / chunks);
  });
  return success();
}

}  // namespace nfx
