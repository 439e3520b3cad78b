#include "runtime/kernel_run.h"

#include "loop/work_chunks.h"
#include "runtime/index_bound.h"
#include "runtime/thread_pool.h"

namespace nfx {
namespace {

// Less than this in all runs on the calling thread.
constexpr int64_t kWorthThreads = int64_t{1} << 16;

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
  const int threads = elements < kWorthThreads ? 1 : aten_num_threads();
  if (threads == 1) {
    step.code->run(buffers, scalars, 0, items);
    return success();
  }
  const WorkChunks chunks(step.kernel, buffers, scalars, items, elements);
  ThreadPool::process().parallel_for(chunks.count(), threads, [&](int64_t chunk) {
    step.code->run(buffers, scalars, chunks.begin(chunk), chunks.begin(chunk + 1));
  });
  return success();
}

}  // namespace nfx
