#include "loop/rebuild.h"

#include <algorithm>
#include <functional>
#include <set>

namespace nfx {
namespace {

using Replace = std::function<ExprNode(const ExprNode&)>;

// All expression ids that a kernel's statements hold.
template <class Visit>
void for_each_root(Kernel& kernel, Visit visit) {
  for (Stage& stage : kernel.stages) {
    for (Reduction& reduction : stage.reductions) {
      for (auto* exprs : {&reduction.init, &reduction.step, &reduction.merge, &reduction.finish}) {
        for (ExprId& id : *exprs) visit(id);
      }
    }
    for (Store& store : stage.stores) {
      visit(store.offset);
      visit(store.value);
      if (store.guard != kNoExpr) visit(store.guard);
    }
  }
}

// Copies what the statements need into a fresh pool, each node through `replace`.
void rebuild(Kernel& kernel, const Replace& replace) {
  ExprPool pool;
  std::vector<ExprId> copies(kernel.exprs.size(), kNoExpr);
  std::vector<bool> seen(kernel.exprs.size(), false);
  for_each_root(kernel, [&](ExprId& root) {
    std::vector<ExprId> order;
    append_post_order(kernel.exprs, root, seen, order);
    for (ExprId id : order) {
      ExprNode node = replace(kernel.exprs[id]);
      for (ExprId& operand : node.operands) {
        if (operand != kNoExpr) operand = copies[operand];
      }
      copies[id] = pool.add(node);
    }
    root = copies[root];
  });
  kernel.exprs = std::move(pool);
}

// New numbers for what is in use, in the order given.
template <class Used>
std::vector<uint32_t> renumbered(const Used& used, size_t size) {
  std::vector<uint32_t> numbers(size, 0);
  uint32_t next = 0;
  for (uint32_t old : used) numbers[old] = next++;
  return numbers;
}

// Rows first, since edges refer to theirs; each in the order of the loops.
std::vector<DimId> walked_dims(const Kernel& kernel) {
  std::vector<DimId> dims = kernel.row_dims;
  const auto add = [&](const std::vector<DimId>& more) {
    for (DimId dim : more) {
      if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
    }
  };
  for (const Stage& stage : kernel.stages) {
    add(stage.map_dims);
    add(stage.reduce_dims);
  }
  return dims;
}

std::set<uint32_t> read_scalars(Kernel& kernel) {
  std::set<uint32_t> used;
  for (const Dim& dim : kernel.dims) {
    if (dim.kind == Dim::Kind::kDense && dim.extent.scalar >= 0) {
      used.insert(static_cast<uint32_t>(dim.extent.scalar));
    }
  }
  std::vector<bool> seen;
  std::vector<ExprId> order;
  for_each_root(kernel, [&](ExprId& root) { append_post_order(kernel.exprs, root, seen, order); });
  for (ExprId id : order) {
    const ExprNode& node = kernel.exprs[id];
    if (node.op == ExprOp::kScalar) used.insert(static_cast<uint32_t>(node.payload));
  }
  return used;
}

void renumber_dims(Kernel& kernel) {
  const std::vector<DimId> used = walked_dims(kernel);
  const std::vector<uint32_t> numbers = renumbered(used, kernel.dims.size());
  std::vector<Dim> dims;
  for (uint32_t old : used) {
    dims.push_back(kernel.dims[old]);
    if (dims.back().kind == Dim::Kind::kRagged) dims.back().parent = numbers[dims.back().parent];
  }
  kernel.dims = std::move(dims);
  auto rename = [&](std::vector<DimId>& list) {
    for (DimId& dim : list) dim = numbers[dim];
  };
  rename(kernel.row_dims);
  for (Stage& stage : kernel.stages) {
    rename(stage.map_dims);
    rename(stage.reduce_dims);
  }
  rebuild(kernel, [&](const ExprNode& node) {
    ExprNode copy = node;
    if (node.op == ExprOp::kIndex) copy.payload = numbers[node.payload];
    return copy;
  });
}

}  // namespace

void hold_at_zero(Kernel& kernel, DimId dim) {
  rebuild(kernel, [&](const ExprNode& node) {
    if (node.op != ExprOp::kIndex || node.payload != dim) return node;
    ExprNode zero{ExprOp::kConst, Dtype::kInt64};
    return zero;
  });
}

void drop_unused(FusedKernel& fused) {
  Kernel& kernel = fused.kernel;
  renumber_dims(kernel);
  const std::set<uint32_t> used = read_scalars(kernel);
  const std::vector<uint32_t> numbers = renumbered(used, kernel.scalars.size());
  std::vector<Dtype> dtypes;
  std::vector<FusedKernel::Scalar> scalars;
  for (uint32_t old : used) {
    dtypes.push_back(kernel.scalars[old]);
    scalars.push_back(fused.scalars[old]);
  }
  kernel.scalars = std::move(dtypes);
  fused.scalars = std::move(scalars);
  for (Dim& dim : kernel.dims) {
    if (dim.extent.scalar >= 0) {
      dim.extent.scalar = static_cast<int32_t>(numbers[static_cast<size_t>(dim.extent.scalar)]);
    }
  }
  rebuild(kernel, [&](const ExprNode& node) {
    ExprNode copy = node;
    if (node.op == ExprOp::kScalar) copy.payload = numbers[node.payload];
    return copy;
  });
}

}  // namespace nfx
