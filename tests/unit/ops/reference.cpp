#include "ops/reference.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ops/define.h"

namespace nfx::testing {
namespace {

std::vector<int64_t> sizes_of(Node node, const Type& type) {
  std::vector<int64_t> sizes;
  for (SymExprId size : type.sizes) {
    sizes.push_back(constant_size(node.graph().context(), size));
  }
  return sizes;
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t total = 1;
  for (int64_t size : sizes) total *= size;
  return total;
}

std::vector<int64_t> unravel(int64_t position, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; position /= sizes[d]) index[d] = position % sizes[d];
  return index;
}

Expr constant(ExprPool& pool, const Value& value) {
  if (is_floating(value.dtype)) return {&pool, pool.constant(value.dtype, value.number)};
  return {&pool, pool.constant(value.dtype, value.integer)};
}

// The element at one known position.
class AtPosition final : public ElementContext {
 public:
  AtPosition(Reference& reference, Node node, const std::vector<int64_t>& index)
      : reference_(reference), node_(node) {
    for (int64_t i : index) index_.push_back({&pool_, pool_.constant(Dtype::kInt64, i)});
  }
  Node node() const override { return node_; }
  ExprPool& pool() override { return pool_; }
  std::span<const Expr> index() const override { return index_; }

  Expr aligned(Node operand) override {
    const std::vector<int64_t>& sizes = reference_.tensor(operand).sizes;
    std::vector<Expr> at;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const Expr own = index_[d + index_.size() - sizes.size()];
      at.push_back(sizes[d] == 1 ? Expr{&pool_, pool_.constant(Dtype::kInt64, int64_t{0})} : own);
    }
    return read(operand, at, {});
  }

  Expr read(Node input, std::span<const Expr> index, Expr guard) override {
    const Tensor& tensor = reference_.tensor(input);
    const Dtype dtype = input.type().dtype;
    if (guard.id != kNoExpr && !as_bool(value_of_expr(pool_, guard.id))) {
      return literal(pool_, dtype, 0);
    }
    EXPECT_EQ(index.size(), tensor.sizes.size()) << node_.target();
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t at = value_of_expr(pool_, index[d].id).integer;
      EXPECT_TRUE(at >= 0 && at < tensor.sizes[d]) << node_.target() << " reads outside";
      position = position * tensor.sizes[d] + at;
    }
    return constant(pool_, tensor.values.at(static_cast<size_t>(position)));
  }

  Expr size(SymExprId expr) override {
    return {&pool_, pool_.constant(Dtype::kInt64, constant_size(node_.graph().context(), expr))};
  }

  Expr number(ArgumentView view, Dtype dtype) override {
    if (view.is_node()) return cast(aligned(view.node()), dtype);
    if (const auto integer = view.as_int(); integer && !is_floating(dtype)) {
      return {&pool_, pool_.constant(dtype, *integer)};
    }
    return literal(pool_, dtype, view.as_number().value());
  }

 private:
  Reference& reference_;
  Node node_;
  ExprPool pool_;
  std::vector<Expr> index_;
};

// One running state of a fold.
class Running {
 public:
  explicit Running(const Fold& fold) : fold_(fold) {
    ExprPool pool;
    keep(pool, fold.init(pool));
  }
  void step(const Value& element, int64_t position) {
    ExprPool pool;
    const Expr x = cast(constant(pool, element), fold_.compute);
    keep(pool, fold_.step(exprs(pool), x, at(pool, position)));
  }
  void merge(const Running& other) {
    ExprPool pool;
    keep(pool, fold_.merge(exprs(pool), other.exprs(pool)));
  }
  std::vector<Value> finish(int64_t count) const {
    ExprPool pool;
    std::vector<Value> results;
    for (Expr e : fold_.finish(exprs(pool), at(pool, count))) {
      results.push_back(value_of_expr(pool, e.id));
    }
    return results;
  }

 private:
  static Expr at(ExprPool& pool, int64_t position) {
    return {&pool, pool.constant(Dtype::kInt64, position)};
  }
  std::vector<Expr> exprs(ExprPool& pool) const {
    std::vector<Expr> result;
    for (const Value& value : state_) result.push_back(constant(pool, value));
    return result;
  }
  void keep(const ExprPool& pool, const std::vector<Expr>& state) {
    state_.clear();
    for (Expr e : state) state_.push_back(value_of_expr(pool, e.id));
  }
  const Fold& fold_;
  std::vector<Value> state_;
};

}  // namespace

int64_t constant_size(Context& context, SymExprId size) { return as_int(context, size).value(); }

Value value_of_expr(const ExprPool& pool, ExprId id) {
  const ExprNode& node = pool[id];
  if (node.op == ExprOp::kConst) return constant_value(node);
  Value operands[3];
  for (int i = 0; i < 3; ++i) {
    if (node.operands[i] != kNoExpr) operands[i] = value_of_expr(pool, node.operands[i]);
  }
  return evaluate(node, operands);
}

const Tensor& Reference::tensor(Node node) {
  const auto known = known_.find(node.id().value);
  if (known == known_.end() && node.target() == "_operator.getitem") {
    const auto which = static_cast<size_t>(positional(node, 1).as_int().value());
    return results(node.operand(0)).at(which);
  }
  return results(node).at(0);
}

const std::vector<Tensor>& Reference::results(Node node) {
  const auto known = known_.find(node.id().value);
  if (known != known_.end()) return known->second;
  const OpRow* row = op_row(node);
  if (row == nullptr) {
    ADD_FAILURE() << "no row: " << node.target();
    return known_[node.id().value] = {Tensor{}};
  }
  std::vector<Tensor> made;
  if (row->fold) {
    made = folded(node, *row);
  } else {
    made = {elements(node, *row)};
  }
  return known_[node.id().value] = std::move(made);
}

Tensor Reference::elements(Node node, const OpRow& row) {
  Tensor result{sizes_of(node, node.type()), {}};
  for (int64_t i = 0; i < product(result.sizes); ++i) {
    AtPosition context(*this, node, unravel(i, result.sizes));
    const Expr element = cast(row.element(context), node.type().dtype);
    result.values.push_back(value_of_expr(context.pool(), element.id));
  }
  return result;
}

// Even and odd positions fold apart, so that every merge is tested as well.
std::vector<Tensor> Reference::folded(Node node, const OpRow& row) {
  const Result<Fold> fold = row.fold(node);
  const Tensor input = tensor(fold->input);
  std::vector<int64_t> kept = input.sizes, lengths;
  for (int64_t d : fold->dims) {
    lengths.push_back(input.sizes[static_cast<size_t>(d)]);
    kept[static_cast<size_t>(d)] = 1;
  }
  std::vector<Tensor> results;
  for (int64_t out = 0; out < product(kept); ++out) {
    Running even(*fold), odd(*fold);
    const std::vector<int64_t> base = unravel(out, kept);
    for (int64_t p = 0; p < product(lengths); ++p) {
      const std::vector<int64_t> inner = unravel(p, lengths);
      std::vector<int64_t> at = base;
      for (size_t i = 0; i < inner.size(); ++i) at[static_cast<size_t>(fold->dims[i])] = inner[i];
      int64_t position = 0;
      for (size_t d = 0; d < at.size(); ++d) position = position * input.sizes[d] + at[d];
      (p % 2 == 0 ? even : odd).step(input.values[static_cast<size_t>(position)], p);
    }
    odd.merge(even);
    const std::vector<Value> finished = odd.finish(product(lengths));
    results.resize(finished.size());
    for (size_t r = 0; r < finished.size(); ++r) results[r].values.push_back(finished[r]);
  }
  const auto elements = node.type().elements;
  for (size_t r = 0; r < results.size(); ++r) {
    const Type& type = elements.empty() ? node.type() : node.graph().context().type(elements[r]);
    results[r].sizes = sizes_of(node, type);
  }
  return results;
}

}  // namespace nfx::testing
