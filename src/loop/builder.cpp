#include "loop/builder.h"

#include <cassert>

namespace nfx {

BufferId KernelBuilder::buffer(Dtype dtype, BufferUse use) {
  kernel_.buffers.push_back({dtype, use});
  return static_cast<BufferId>(kernel_.buffers.size() - 1);
}

Extent KernelBuilder::size() {
  kernel_.scalars.push_back(Dtype::kInt64);
  return {0, static_cast<int32_t>(kernel_.scalars.size() - 1)};
}

Expr KernelBuilder::number() {
  kernel_.scalars.push_back(Dtype::kFloat64);
  return wrap(kernel_.exprs.leaf(ExprOp::kScalar, Dtype::kFloat64, kernel_.scalars.size() - 1));
}

Expr KernelBuilder::value(Extent extent) {
  if (extent.scalar < 0) return wrap(kernel_.exprs.constant(Dtype::kInt64, extent.constant));
  const auto scalar = static_cast<uint64_t>(extent.scalar);
  return wrap(kernel_.exprs.leaf(ExprOp::kScalar, Dtype::kInt64, scalar));
}

DimId KernelBuilder::dense(Extent extent, std::string name) {
  Dim dim;
  dim.extent = extent;
  dim.name = std::move(name);
  kernel_.dims.push_back(std::move(dim));
  return static_cast<DimId>(kernel_.dims.size() - 1);
}

DimId KernelBuilder::ragged(DimId parent, BufferId offsets, std::string name) {
  Dim dim;
  dim.kind = Dim::Kind::kRagged;
  dim.parent = parent;
  dim.offsets = offsets;
  dim.name = std::move(name);
  kernel_.dims.push_back(std::move(dim));
  return static_cast<DimId>(kernel_.dims.size() - 1);
}

void KernelBuilder::stage(std::vector<DimId> map_dims, std::vector<DimId> reduce_dims) {
  Stage stage;
  stage.map_dims = std::move(map_dims);
  stage.reduce_dims = std::move(reduce_dims);
  kernel_.stages.push_back(std::move(stage));
}

Expr KernelBuilder::index(DimId dim) {
  return wrap(kernel_.exprs.leaf(ExprOp::kIndex, Dtype::kInt64, dim));
}

Expr KernelBuilder::load(BufferId buffer, Expr offset) {
  return wrap(kernel_.exprs.load(buffer, kernel_.buffers[buffer].dtype, offset.id));
}

Expr KernelBuilder::load(BufferId buffer, Expr offset, Expr guard) {
  return wrap(kernel_.exprs.load(buffer, kernel_.buffers[buffer].dtype, offset.id, guard.id));
}

Expr KernelBuilder::reduce(Reduction reduction) {
  assert(!kernel_.stages.empty() && "a reduction needs a stage");
  kernel_.stages.back().reductions.push_back(std::move(reduction));
  return reduced(first_reduction(kernel_, kernel_.stages.size()) - 1, 0);
}

Expr KernelBuilder::component(Expr reduced, uint32_t number) {
  return this->reduced(reduction_of(kernel_.exprs[reduced.id]), number);
}

Expr KernelBuilder::reduced(uint32_t number, uint32_t component) {
  uint32_t first = 0;
  for (const Stage& stage : kernel_.stages) {
    const auto count = static_cast<uint32_t>(stage.reductions.size());
    if (number < first + count) {
      const Dtype dtype = kernel_.exprs[stage.reductions[number - first].finish[component]].dtype;
      const uint64_t payload = reduced_payload(number, component);
      return wrap(kernel_.exprs.leaf(ExprOp::kReduced, dtype, payload));
    }
    first += count;
  }
  assert(false && "no such reduction");
  return {};
}

void KernelBuilder::store(BufferId buffer, Expr offset, Expr value) {
  kernel_.stages.back().stores.push_back({buffer, offset.id, value.id, kNoExpr});
}

void KernelBuilder::store(BufferId buffer, Expr offset, Expr value, Expr guard) {
  kernel_.stages.back().stores.push_back({buffer, offset.id, value.id, guard.id});
}

}  // namespace nfx
