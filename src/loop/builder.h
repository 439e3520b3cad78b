// Writes a kernel statement by statement:
//
//   KernelBuilder k("row_sum");
//   BufferId in = k.buffer(Dtype::kFloat32, BufferUse::kIn);
//   BufferId out = k.buffer(Dtype::kFloat32, BufferUse::kOut);
//   Extent rows = k.size(), columns = k.size();
//   DimId i = k.dense(rows, "i"), j = k.dense(columns, "j");
//   k.rows({i});
//   k.stage({}, {j});
//   Expr sum = k.reduce(reduce_sum(k.load(in, k.index(i) * k.value(columns) + k.index(j))));
//   k.store(out, k.index(i), sum);
//   Kernel kernel = std::move(k).take();
//
// Every Expr made here points into the builder: it stays where it is.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "expr/expr_math.h"
#include "loop/kernel.h"
#include "loop/monoids.h"

namespace nfx {

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  BufferId buffer(Dtype dtype, BufferUse use);
  Extent size();              // a new int64 scalar
  Expr number();              // a new float64 scalar
  Expr value(Extent extent);  // as an int64 expression

  DimId dense(Extent extent, std::string name = "");
  DimId dense(int64_t extent, std::string name = "") { return dense(Extent{extent}, name); }
  DimId ragged(DimId parent, BufferId offsets, std::string name = "");

  void rows(std::vector<DimId> dims) { kernel_.row_dims = std::move(dims); }
  void stage(std::vector<DimId> map_dims, std::vector<DimId> reduce_dims);

  Expr index(DimId dim);
  Expr constant(Dtype dtype, double value) { return literal(kernel_.exprs, dtype, value); }
  Expr load(BufferId buffer, Expr offset);
  Expr load(BufferId buffer, Expr offset, Expr guard);

  // Into the current stage. The result is the reduction's first component.
  Expr reduce(Reduction reduction);
  Expr component(Expr reduced, uint32_t number);  // another one of the same reduction
  void store(BufferId buffer, Expr offset, Expr value);
  void store(BufferId buffer, Expr offset, Expr value, Expr guard);

  ExprPool& exprs() { return kernel_.exprs; }
  const Kernel& kernel() const { return kernel_; }
  Kernel take() && { return std::move(kernel_); }

 private:
  Expr wrap(ExprId id) { return {&kernel_.exprs, id}; }
  Expr reduced(uint32_t number, uint32_t component);

  Kernel kernel_;
};

}  // namespace nfx
