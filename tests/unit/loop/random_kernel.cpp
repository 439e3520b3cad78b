#include "loop/random_kernel.h"

#include <algorithm>

#include "loop/random_kernel_builder.h"

namespace nfx {

RandomKernel RandomKernelBuilder::run() {
  for (int64_t n = below(4); n > 0; --n) rows_.push_back(new_dense());
  if (rows_.size() == 3) rows_.erase(rows_.begin() + below(3));
  for (int64_t n = below(3); n > 0; --n) inner_.push_back(new_dense());
  if (!rows_.empty() && chance(50)) inner_.push_back(new_ragged(pick(rows_)));
  std::vector<DimId> row_dims;
  for (const Reach& row : rows_) row_dims.push_back(row.dim);
  k_.rows(row_dims);
  for (int64_t n = 1 + below(3); n > 0; --n) add_stage();
  result_.kernel = std::move(k_).take();
  return std::move(result_);
}

void RandomKernelBuilder::add_stage() {
  Reaches dims = some(inner_, 60);
  shuffle(dims);
  const auto mapped = static_cast<size_t>(below(static_cast<int64_t>(dims.size()) + 1));
  std::vector<DimId> map_dims;
  std::vector<DimId> reduce_dims;
  for (size_t d = 0; d < dims.size(); ++d)
    (d < mapped ? map_dims : reduce_dims).push_back(dims[d].dim);
  k_.stage(map_dims, reduce_dims);

  stored_ = rows_;
  stored_.insert(stored_.end(), dims.begin(), dims.begin() + static_cast<int64_t>(mapped));
  visible_ = rows_;
  visible_.insert(visible_.end(), dims.begin(), dims.end());
  const std::vector<Expr> before = reduced_;
  std::vector<Expr> own;
  for (int64_t n = reduce_dims.empty() ? 0 : 1 + below(2); n > 0; --n) {
    own.push_back(k_.reduce(reduction()));
  }
  visible_ = stored_;
  reduced_.insert(reduced_.end(), own.begin(), own.end());
  for (int64_t n = map_dims.empty() && !own.empty() ? below(3) : 1 + below(2); n > 0; --n)
    add_store();
  if (!map_dims.empty()) reduced_ = before;
}

// Each element of a store has its own place.
void RandomKernelBuilder::add_store() {
  int64_t stride = 1;
  Expr offset = k_.constant(Dtype::kInt64, 0);
  const auto is_covered = [&](const Reach& row) {
    return std::any_of(stored_.begin(), stored_.end(), [&](const Reach& other) {
      return other.is_ragged && k_.kernel().dims[other.dim].parent == row.dim;
    });
  };
  for (size_t d = stored_.size(); d-- > 0;) {
    const Reach& reach = stored_[d];
    if (is_covered(reach)) continue;  // its segments are apart
    offset = offset + k_.index(reach.dim) * number(stride);
    stride *= reach.positions;
  }
  const Expr value =
      !reduced_.empty() && chance(40)
          ? pick(reduced_)
          : expression(pick(std::vector<Dtype>{Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat64,
                                               Dtype::kInt64, Dtype::kInt32, Dtype::kBool}),
                       static_cast<int>(below(4)));
  const BufferId out = new_buffer(value.dtype(), BufferUse::kOut, stride);
  if (chance(15)) return k_.store(out, offset, value, condition(1));
  k_.store(out, offset, value);
}

RandomKernel random_kernel(uint64_t seed) { return RandomKernelBuilder(seed).run(); }

}  // namespace nfx
