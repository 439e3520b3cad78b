#include "loop/lowering.h"

#include <algorithm>

#include "expr/expr_math.h"
#include "loop/element.h"

namespace nfx {
namespace {

// What walks dimensions beside the inner ones comes last: nothing else needs it.
constexpr int32_t kLastStage = std::numeric_limits<int32_t>::max();

void add_dims(std::vector<DimId>& dims, const std::vector<uint32_t>& more) {
  for (uint32_t dim : more) {
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
  }
}

}  // namespace

Lowering::Lowering(const Graph& graph, const Grouping& grouping, int32_t group)
    : graph_(graph), grouping_(grouping), group_(group), context_(graph.context()) {
  for (NodeId id : grouping.groups()[static_cast<size_t>(group)].members)
    members_.push_back(graph.node(id));
  std::sort(members_.begin(), members_.end(), [](Node a, Node b) { return a.before(b); });
  fused_.ops = members_;
}

Status Lowering::run(const std::vector<KernelOperand>& stored) {
  const Domain& domain = grouping_.groups()[static_cast<size_t>(group_)].domain;
  for (uint32_t d = 0; d < domain.dims().size(); ++d) {
    Dim dim;
    if (domain.dims()[d].parent >= 0) {
      dim.kind = Dim::Kind::kRagged;
      dim.parent = static_cast<DimId>(domain.dims()[d].parent);
      dim.offsets = buffer({domain.dims()[d].offsets, -1}, Dtype::kInt64, BufferUse::kIn);
    } else {
      dim.extent = extent(domain.dims()[d].size);
    }
    fused_.kernel.dims.push_back(dim);
    if (!domain.dims()[d].inner && !domain.dims()[d].beside) fused_.kernel.row_dims.push_back(d);
  }
  find_stages();
  return write_stages(stored);
}

std::pair<Node, int32_t> Lowering::member_behind(Node value) const {
  int32_t result = 0;
  while (!after_.contains(value.id().value)) {
    if (const NodeValue projected = nfx::value_of(value); projected.index >= 0)
      result = projected.index;
    value = value.operand(0);
  }
  return {value, result};
}

int32_t Lowering::stage_after(Node value) const {
  return is_local(value) ? after_.at(member_behind(value).first.id().value) : 0;
}

void Lowering::find_stages() {
  for (Node node : members_) {
    int32_t after = 0;
    for (uint32_t i = 0; i < node.num_operands(); ++i)
      after = std::max(after, stage_after(node.operand(i)));
    const Located& located = grouping_.located(node);
    if (located.fold_map) folds_.emplace_back(located.last ? kLastStage : after++, node);
    after_[node.id().value] = after;
  }
  std::stable_sort(folds_.begin(), folds_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void Lowering::add_stage(int32_t number) {
  const Domain& domain = grouping_.groups()[static_cast<size_t>(group_)].domain;
  Stage& stage = fused_.kernel.stages.emplace_back();
  stage.reduce_dims = domain.inner_dims();
  if (number == kLastStage) stage.map_dims = domain.beside_dims();
}

Status Lowering::write_stages(const std::vector<KernelOperand>& stored) {
  int32_t last = -1;
  for (uint32_t number = 0; number < folds_.size(); ++number) {
    if (folds_[number].first != last) add_stage(folds_[number].first);
    last = folds_[number].first;
    NFX_TRY(write_fold(folds_[number].second, number));
  }
  write_stores(stored);
  return success();
}

const Type& Lowering::result_type(Node node, size_t result) const {
  const Type& type = node.type();
  return type.kind == TypeKind::kTensor ? type : context_.type(type.elements[result]);
}

// Where what a row has once is stored: before the stage that walks dimensions
// beside the inner ones, which all reductions that others use precede.
Stage& Lowering::last_unmapped_stage() {
  std::vector<Stage>& stages = fused_.kernel.stages;
  auto place = stages.end();
  while (place != stages.begin() && !(place - 1)->map_dims.empty()) --place;
  if (place == stages.begin()) place = stages.emplace(place) + 1;
  return *(place - 1);
}

void Lowering::write_stores(const std::vector<KernelOperand>& stored) {
  const Domain& domain = grouping_.groups()[static_cast<size_t>(group_)].domain;
  Stage each;
  each.map_dims = domain.inner_dims();
  std::vector<Store> once;
  for (const KernelOperand& operand : stored) {
    const Located& located = grouping_.located(operand.node);
    const Store store = store_of(operand);
    if (located.last) {
      fused_.kernel.stages.back().stores.push_back(store);
    } else if (domain.walks_inner(located.map)) {
      if (domain.walks_beside(located.map)) add_dims(each.map_dims, domain.beside_dims());
      each.stores.push_back(store);
    } else {
      once.push_back(store);
    }
  }
  if (!once.empty()) last_unmapped_stage().stores = std::move(once);
  if (!each.stores.empty()) fused_.kernel.stages.push_back(std::move(each));
}

Status Lowering::write_fold(Node node, uint32_t number) {
  NFX_ASSIGN(const Fold fold, op_row(node)->fold(node));
  const std::vector<Expr> index = index_of(*grouping_.located(node).fold_map);
  Expr element = cast(
      is_local(fold.input) ? value_of_member(fold.input) : at(fold.input, index, {}), fold.compute);
  Expr position = wrap(pool().constant(Dtype::kInt64, int64_t{0}));
  Expr count = wrap(pool().constant(Dtype::kInt64, int64_t{1}));
  for (int64_t d : fold.dims) {
    const Expr length = size(fold.input.type().sizes[static_cast<size_t>(d)]);
    position = position * length + index[static_cast<size_t>(d)];
    count = count * length;
  }
  std::vector<Expr> state, other;
  for (size_t c = 0; c < fold.state.size(); ++c) {
    state.push_back(wrap(pool().leaf(ExprOp::kState, fold.state[c], c)));
    other.push_back(wrap(pool().leaf(ExprOp::kOther, fold.state[c], c)));
  }
  auto ids = [](const std::vector<Expr>& exprs) {
    std::vector<ExprId> out;
    for (const Expr& e : exprs) out.push_back(e.id);
    return out;
  };
  Reduction reduction;
  reduction.init = ids(fold.init(pool()));
  reduction.step = ids(fold.step(state, element, position));
  reduction.merge = ids(fold.merge(state, other));
  std::vector<Expr> results = fold.finish(state, count);
  for (size_t c = 0; c < results.size(); ++c) {
    results[c] = cast(results[c], result_type(node, c).dtype);  // rounds 16-bit floats
  }
  reduction.finish = ids(results);
  fused_.kernel.stages.back().reductions.push_back(std::move(reduction));
  std::vector<Expr>& values = values_[node.id().value];
  for (size_t c = 0; c < results.size(); ++c) {
    values.push_back(
        wrap(pool().leaf(ExprOp::kReduced, results[c].dtype(), uint64_t{number} << 8 | c)));
  }
  return success();
}

Expr Lowering::value_of_member(Node value) {
  const auto [member, result] = member_behind(value);
  std::vector<Expr>& known = values_[member.id().value];
  if (known.empty()) {
    const std::vector<Expr> index = index_of(grouping_.located(member).map);
    Element element(*this, member, index, true);
    known.push_back(cast(op_row(member)->element(element), member.type().dtype));
  }
  return values_[member.id().value][static_cast<size_t>(result)];
}

Store Lowering::store_of(const KernelOperand& operand) {
  const Type* type = &operand.node.type();
  if (operand.result >= 0)
    type = &context_.type(type->elements[static_cast<size_t>(operand.result)]);
  if (values_[operand.node.id().value].empty()) value_of_member(operand.node);
  const Expr value =
      values_[operand.node.id().value][static_cast<size_t>(std::max(operand.result, 0))];
  const std::vector<Expr> index = index_of(grouping_.located(operand.node).map);
  Store store;
  store.buffer = buffer(operand, type->dtype, BufferUse::kOut);
  store.offset = offset(*type, index).id;
  store.value = cast(value, type->dtype).id;
  return store;
}

std::vector<Expr> Lowering::index_of(const DimMap& map) {
  const Domain& domain = grouping_.groups()[static_cast<size_t>(group_)].domain;
  std::vector<Expr> index;
  for (const DimProduct& product : map) {
    Expr position = wrap(pool().constant(Dtype::kInt64, int64_t{0}));
    for (uint32_t d : product) {
      position = position * size(domain.dims()[d].size) +
                 wrap(pool().leaf(ExprOp::kIndex, Dtype::kInt64, d));
    }
    index.push_back(position);
  }
  return index;
}

Expr Lowering::at(Node value, std::span<const Expr> index, Expr guard) {
  // A row's value given to its edges is in memory once a row.
  const OpRow* row = op_row(value);
  const bool is_spread = row != nullptr && row->spread_over && !grouping_.is_inline(value) &&
                         grouping_.group_of(value) >= 0;
  if (!grouping_.is_inline_in(value, group_) && !is_spread) return load(value, index, guard);
  if (const std::optional<Expr> at_row = at_row_of_edge(value, index, guard)) return *at_row;
  Element element(*this, value, {index.begin(), index.end()}, false, guard);
  return cast(op_row(value)->element(element), value.type().dtype);
}

// What the edges of a row share is read at the row where the kernel walks them.
std::optional<Expr> Lowering::at_row_of_edge(Node value, std::span<const Expr> index, Expr guard) {
  const OpRow& row = *op_row(value);
  if (!row.spread_over || index.empty()) return std::nullopt;
  const ExprNode& position = pool()[index[0].id];
  if (position.op != ExprOp::kIndex) return std::nullopt;
  const Domain& domain = grouping_.groups()[static_cast<size_t>(group_)].domain;
  const DomainDim& edges = domain.dims()[position.payload];
  if (edges.parent < 0 || edges.offsets != row.spread_over(value)) return std::nullopt;
  std::vector<Expr> at_row(index.begin(), index.end());
  at_row[0] = wrap(pool().leaf(ExprOp::kIndex, Dtype::kInt64, static_cast<uint64_t>(edges.parent)));
  return cast(at(value.operand(0), at_row, guard), value.type().dtype);
}

Expr Lowering::load(Node value, std::span<const Expr> index, Expr guard) {
  const NodeValue projected = nfx::value_of(value);
  KernelOperand operand{value, -1};
  if (projected.index >= 0 && grouping_.group_of(projected.node) >= 0)
    operand = {projected.node, projected.index};
  const Type& type = value.type();
  const BufferId id = buffer(operand, type.dtype, BufferUse::kIn);
  return wrap(pool().load(id, type.dtype, offset(type, index).id, guard.id));
}

bool Lowering::bounded(Node index, SymExprId size, bool negative, Node reader) {
  Node base = index;
  while (grouping_.is_inline(base) && base.has(Trait::kView)) base = base.operand(0);
  if (grouping_.is_inline(base) || is_local(base)) return false;
  const FusedKernel::Bound bound{index, size, negative, reader};
  if (std::find(fused_.bounds.begin(), fused_.bounds.end(), bound) == fused_.bounds.end()) {
    fused_.bounds.push_back(bound);
  }
  return true;
}

Expr Lowering::offset(const Type& type, std::span<const Expr> index) {
  Expr sum = wrap(pool().constant(Dtype::kInt64, int64_t{0}));
  for (size_t d = 0; d < index.size(); ++d) {
    if (as_int(context_, type.sizes[d]) == 1) continue;
    sum = sum + index[d] * size(type.strides[d]);
  }
  return sum;
}

BufferId Lowering::buffer(KernelOperand operand, Dtype dtype, BufferUse use) {
  const auto [it, fresh] = buffers_.try_emplace({operand.node.id().value, operand.result},
                                                static_cast<BufferId>(fused_.buffers.size()));
  if (fresh) {
    fused_.buffers.push_back(operand);
    fused_.kernel.buffers.push_back({dtype, use});
  }
  return it->second;
}

Extent Lowering::extent(SymExprId expr) {
  if (const std::optional<int64_t> value = as_int(context_, expr)) return {*value, -1};
  const auto [it, fresh] =
      sizes_.try_emplace(expr.value, static_cast<int32_t>(fused_.scalars.size()));
  if (fresh) {
    fused_.scalars.push_back({expr, {}});
    fused_.kernel.scalars.push_back(Dtype::kInt64);
  }
  return {0, it->second};
}

Expr Lowering::size(SymExprId expr) {
  const Extent value = extent(expr);
  if (value.scalar < 0) return wrap(pool().constant(Dtype::kInt64, value.constant));
  return wrap(pool().leaf(ExprOp::kScalar, Dtype::kInt64, static_cast<uint64_t>(value.scalar)));
}

Expr Lowering::scalar(Node node, Dtype dtype) {
  const Type& type = node.type();
  if (type.expr && type.dtype == Dtype::kInt64) return cast(size(type.expr), dtype);
  const Dtype slot = type.dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kInt64;
  const auto [it, fresh] =
      scalars_.try_emplace(node.id().value, static_cast<int32_t>(fused_.scalars.size()));
  if (fresh) {
    fused_.scalars.push_back({{}, node});
    fused_.kernel.scalars.push_back(slot);
  }
  return cast(wrap(pool().leaf(ExprOp::kScalar, slot, static_cast<uint64_t>(it->second))), dtype);
}

Expr Lowering::number(ArgumentView argument, Dtype dtype) {
  if (argument.is_node()) {
    const Node node = argument.node();
    if (node.type().kind == TypeKind::kScalar) return scalar(node, dtype);
    return cast(at(node, {}, {}), dtype);
  }
  const Arg& arg = argument.arg();
  if (arg.kind == ArgKind::kSym) return cast(size(arg.sym), dtype);
  if (is_floating(dtype)) return literal(pool(), dtype, argument.as_number().value_or(0));
  if (const std::optional<int64_t> value = argument.as_int())
    return wrap(pool().constant(dtype, *value));
  return wrap(pool().constant(dtype, static_cast<int64_t>(argument.as_number().value_or(0))));
}

}  // namespace nfx
