#include <algorithm>
#include <functional>
#include <optional>

#include "loop/fuse.h"
#include "loop/rebuild.h"
#include "loop/strides.h"

namespace nfx {
namespace {

// One attempt to simplify the dimensions of a kernel; stale after a merge.
class Accesses {
 public:
  Accesses(Context& context, const FusedKernel& fused) : context_(context), fused_(fused) {
    const Kernel& kernel = fused.kernel;
    for (DimId d = 0; d < kernel.dims.size(); ++d) strides_.emplace_back(kernel, d);
    used_directly_.assign(kernel.dims.size(), false);
    visited_.assign(kernel.exprs.size(), false);
    for (const Stage& stage : kernel.stages) {
      for (const Store& store : stage.stores) add_store(store);
    }
    for (const Stage& stage : kernel.stages) {
      for (const Store& store : stage.stores) visit_value(store.value);
      for (const Reduction& reduction : stage.reductions) {
        for (const auto* exprs :
             {&reduction.init, &reduction.step, &reduction.merge, &reduction.finish}) {
          for (ExprId id : *exprs) visit_value(id);
        }
      }
    }
  }

  // Whether `outer` steps through memory in larger strides than `inner`, by the
  // first access that tells.
  bool is_larger(DimId outer, DimId inner) const {
    // Edges stand in order of their rows: a step of the row skips all of its edges.
    if (has_edges(outer) != has_edges(inner)) return has_edges(outer);
    for (ExprId offset : offsets_) {
      const SymExprId a = step(outer, offset), b = step(inner, offset);
      if (!a || !b || a == b) continue;
      if (compare(context_, SymOp::kLt, b, a) == Truth::kYes) return true;
      if (compare(context_, SymOp::kLt, a, b) == Truth::kYes) return false;
    }
    return false;
  }

  bool can_merge(DimId outer, DimId inner) const {
    const std::vector<Dim>& dims = fused_.kernel.dims;
    for (DimId d : {outer, inner}) {
      if (dims[d].kind == Dim::Kind::kRagged || used_directly_[d] || has_edges(d)) return false;
    }
    const SymExprId inner_size = size(dims[inner].extent);
    return std::all_of(offsets_.begin(), offsets_.end(), [&](ExprId offset) {
      const LinearTerm& a = strides_[outer][offset];
      const LinearTerm& b = strides_[inner][offset];
      if (a.is_uniform() && b.is_uniform()) return true;
      const SymExprId outer_step = step(outer, offset), inner_step = step(inner, offset);
      if (!outer_step || !inner_step) return false;
      return known_equal(context_, outer_step, sym_mul(context_, inner_step, inner_size));
    });
  }

  SymExprId size(const Extent& extent) const {
    if (extent.scalar < 0) return sym_int(context_, extent.constant);
    return fused_.scalars[static_cast<size_t>(extent.scalar)].expr;
  }

 private:
  void add_store(const Store& store) {
    offsets_.push_back(store.offset);
    visit_offset(store.offset);
    if (store.guard != kNoExpr) visit_value(store.guard);
  }

  // Values may depend on a merged dimension through loads only.
  void visit_value(ExprId id) {
    if (visited_[id]) return;
    visited_[id] = true;
    const ExprNode& node = fused_.kernel.exprs[id];
    if (node.op == ExprOp::kIndex) used_directly_[node.payload] = true;
    if (node.op == ExprOp::kLoad) {
      offsets_.push_back(node.operands[0]);
      visit_offset(node.operands[0]);
      if (node.operands[1] != kNoExpr) visit_value(node.operands[1]);
      return;
    }
    for_each_operand(node, [&](ExprId operand) { visit_value(operand); });
  }

  // Inside an offset indices are what merging is about; loads have offsets too.
  void visit_offset(ExprId id) {
    const ExprNode& node = fused_.kernel.exprs[id];
    if (node.op == ExprOp::kLoad) return visit_value(id);
    for_each_operand(node, [&](ExprId operand) { visit_offset(operand); });
  }

  bool has_edges(DimId row) const {
    return std::any_of(fused_.kernel.dims.begin(), fused_.kernel.dims.end(), [&](const Dim& dim) {
      return dim.kind == Dim::Kind::kRagged && dim.parent == row;
    });
  }

  // The stride of an access along a dimension; none if it is not a linear one.
  SymExprId step(DimId dim, ExprId offset) const {
    const LinearTerm& term = strides_[dim][offset];
    if (term.kind != LinearTerm::Kind::kLinear) return {};
    const SymExprId factor = sym_int(context_, term.multiplier);
    return term.scalar < 0 ? factor : sym_mul(context_, factor, size({0, term.scalar}));
  }

  Context& context_;
  const FusedKernel& fused_;
  std::vector<Strides> strides_;
  std::vector<ExprId> offsets_;  // stores first
  std::vector<bool> used_directly_, visited_;
};

void sort_by_stride(std::vector<DimId>& dims, const Accesses& accesses) {
  for (size_t i = 1; i < dims.size(); ++i) {
    for (size_t j = i; j > 0 && accesses.is_larger(dims[j], dims[j - 1]); --j) {
      std::swap(dims[j], dims[j - 1]);
    }
  }
}

// The first mergeable pair of neighbours, innermost first.
std::optional<size_t> mergeable(const std::vector<DimId>& dims, const Accesses& accesses) {
  for (size_t i = dims.size(); i-- > 1;) {
    if (accesses.can_merge(dims[i - 1], dims[i])) return i - 1;
  }
  return std::nullopt;
}

Extent product(Context& context, FusedKernel& fused, const Accesses& accesses, Extent a, Extent b) {
  const SymExprId size = sym_mul(context, accesses.size(a), accesses.size(b));
  if (const std::optional<int64_t> value = as_int(context, size)) return {*value, -1};
  for (size_t s = 0; s < fused.scalars.size(); ++s) {
    if (fused.scalars[s].expr == size) return {0, static_cast<int32_t>(s)};
  }
  fused.scalars.push_back({size, {}});
  fused.kernel.scalars.push_back(Dtype::kInt64);
  return {0, static_cast<int32_t>(fused.scalars.size() - 1)};
}

// Dimensions that stages walk inside a row: what they reduce over or map, and what
// they map beside a reduction.
struct InnerDims {
  std::vector<DimId> inner, beside;
};

bool overlap(const std::vector<DimId>& a, const std::vector<DimId>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](DimId dim) { return std::find(b.begin(), b.end(), dim) != b.end(); });
}

InnerDims inner_dims(const Kernel& kernel) {
  InnerDims dims;
  for (const Stage& stage : kernel.stages) {
    if (!stage.reduce_dims.empty()) {
      dims.inner = stage.reduce_dims;
      if (!stage.map_dims.empty()) dims.beside = stage.map_dims;
    } else if (dims.inner.empty()) {
      dims.inner = stage.map_dims;
    }
  }
  return dims;
}

// Each stage walks the new dimensions in place of those that it walked.
void set_inner_dims(Kernel& kernel, const InnerDims& old, const InnerDims& dims) {
  for (Stage& stage : kernel.stages) {
    for (std::vector<DimId>* walked : {&stage.map_dims, &stage.reduce_dims}) {
      const std::vector<DimId> before = std::move(*walked);
      walked->clear();
      if (overlap(before, old.inner)) *walked = dims.inner;
      if (overlap(before, old.beside)) {
        walked->insert(walked->end(), dims.beside.begin(), dims.beside.end());
      }
    }
  }
}

// Merges one pair among `dims`; false if there is none.
bool merge_one(Context& context, FusedKernel& fused, std::vector<DimId>& dims) {
  const Accesses accesses(context, fused);
  const std::optional<size_t> pair = mergeable(dims, accesses);
  if (!pair) return false;
  const DimId outer = dims[*pair], inner = dims[*pair + 1];
  Kernel& kernel = fused.kernel;
  kernel.dims[inner].extent =
      product(context, fused, accesses, kernel.dims[outer].extent, kernel.dims[inner].extent);
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(*pair));
  hold_at_zero(kernel, outer);
  return true;
}

}  // namespace

void coalesce(Context& context, FusedKernel& fused) {
  const InnerDims old = inner_dims(fused.kernel);
  InnerDims dims = old;
  {
    const Accesses accesses(context, fused);
    sort_by_stride(fused.kernel.row_dims, accesses);
    sort_by_stride(dims.inner, accesses);
    sort_by_stride(dims.beside, accesses);
  }
  set_inner_dims(fused.kernel, old, dims);
  InnerDims merged = dims;
  for (std::vector<DimId>* list : {&fused.kernel.row_dims, &merged.inner, &merged.beside}) {
    while (merge_one(context, fused, *list)) {
    }
  }
  set_inner_dims(fused.kernel, dims, merged);
  drop_unused(fused);
}

}  // namespace nfx
