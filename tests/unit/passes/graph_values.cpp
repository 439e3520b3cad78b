#include "passes/graph_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "expr/evaluate.h"
#include "ops/op_row.h"

namespace nfx {
namespace {

struct Read {
  Node operand;
  std::vector<ExprId> index;  // of `operand`; empty with `aligned`
  bool aligned = false;
  ExprId guard = kNoExpr;
};

// Writes the element rule with a parameter for every read.
class ReadContext final : public ElementContext {
 public:
  explicit ReadContext(Node node) : node_(node) {
    for (uint32_t dim = 0; dim < node.type().rank(); ++dim) {
      index_.push_back({&pool_, pool_.leaf(ExprOp::kIndex, Dtype::kInt64, dim)});
    }
  }

  Node node() const override { return node_; }
  ExprPool& pool() override { return pool_; }
  std::span<const Expr> index() const override { return index_; }
  Expr aligned(Node operand) override { return parameter({.operand = operand, .aligned = true}); }

  Expr read(Node input, std::span<const Expr> index, Expr guard) override {
    Read read{.operand = input, .guard = guard.pool == nullptr ? kNoExpr : guard.id};
    for (const Expr position : index) read.index.push_back(position.id);
    return parameter(read);
  }

  Expr size(SymExprId expr) override {
    return {&pool_, pool_.constant(Dtype::kInt64, *as_int(node_.graph().context(), expr))};
  }

  Expr number(ArgumentView argument, Dtype dtype) override {
    if (const std::optional<int64_t> integer = argument.as_int()) {
      return cast({&pool_, pool_.constant(Dtype::kInt64, *integer)}, dtype);
    }
    return cast({&pool_, pool_.constant(Dtype::kFloat64, *argument.as_number())}, dtype);
  }

  const std::vector<Read>& reads() const { return reads_; }

 private:
  Expr parameter(const Read& read) {
    reads_.push_back(read);
    return {&pool_, pool_.leaf(ExprOp::kParam, read.operand.type().dtype, reads_.size() - 1)};
  }

  Node node_;
  ExprPool pool_;
  std::vector<Expr> index_;
  std::vector<Read> reads_;
};

class ElementRun {
 public:
  using Tensors = std::unordered_map<uint32_t, TensorValue>;
  ElementRun(ReadContext& context, const Tensors& tensors, const std::vector<int64_t>& position)
      : context_(context), tensors_(tensors), position_(position) {}

  Value value(ExprId id) {
    const ExprNode& node = context_.pool()[id];
    if (node.op == ExprOp::kConst) return constant_value(node);
    if (node.op == ExprOp::kIndex) return make_value(Dtype::kInt64, position_[node.payload]);
    if (node.op == ExprOp::kParam) return read(context_.reads()[node.payload]);
    Value operands[3];
    for (int i = 0; i < arity(node.op); ++i) operands[i] = value(node.operands[i]);
    return evaluate(node, operands);
  }

 private:
  Value read(const Read& read) {
    const TensorValue& tensor = tensors_.at(read.operand.id().value);
    const size_t rank = tensor.sizes.size();
    const Value zero = is_floating(tensor.dtype) ? make_value(tensor.dtype, 0.0)
                                                 : make_value(tensor.dtype, int64_t{0});
    if (read.guard != kNoExpr && !as_bool(value(read.guard))) return zero;
    int64_t offset = 0;
    for (size_t dim = 0; dim < rank; ++dim) {
      int64_t at =
          read.aligned ? position_[position_.size() - rank + dim] : value(read.index[dim]).integer;
      if (read.aligned && tensor.sizes[dim] == 1) at = 0;
      if (at < 0 || at >= tensor.sizes[dim]) return zero;  // a branch that is not taken
      offset = offset * tensor.sizes[dim] + at;
    }
    return tensor.elements[static_cast<size_t>(offset)];
  }

  ReadContext& context_;
  const Tensors& tensors_;
  const std::vector<int64_t>& position_;
};

// PyTorch refuses some dtypes that a rule would let through: `~x` of a float.
bool is_well_typed(const ExprPool& pool, ExprId root) {
  std::vector<bool> seen;
  std::vector<ExprId> order;
  append_post_order(pool, root, seen, order);
  return std::ranges::all_of(order, [&](ExprId id) {
    const ExprNode& node = pool[id];
    return is_leaf(node.op) || applies_to(node.op, pool[node.operands[0]].dtype);
  });
}

bool advance(std::vector<int64_t>& position, const std::vector<int64_t>& sizes) {
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (++position[dim] < sizes[dim]) return true;
    position[dim] = 0;
  }
  return false;
}

}  // namespace

bool same(const TensorValue& a, const TensorValue& b) {
  return a.dtype == b.dtype && a.sizes == b.sizes &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                    [](const Value& x, const Value& y) { return same(x, y); });
}

std::string text(const TensorValue& tensor) {
  std::string text(dtype_name(tensor.dtype));
  for (const Value& value : tensor.elements) {
    text += is_floating(value.dtype) ? fmt::format(" {}", value.number)
                                     : fmt::format(" {}", value.integer);
  }
  return text;
}

GraphValues::GraphValues(const Graph& graph, const std::vector<TensorValue>& inputs)
    : graph_(graph) {
  size_t next = 0;
  for (const Node node : graph.placeholders()) values_.emplace(node.id().value, inputs.at(next++));
  for (const Node node : graph.nodes()) {
    if (node.kind() == NodeKind::kCallFunction) run(node);
  }
}

bool has_value(Node node) {
  const OpRow* row = op_row(node);
  if (row == nullptr || !row->element || node.type().kind != TypeKind::kTensor) return false;
  ReadContext context(node);
  return is_well_typed(context.pool(), cast(row->element(context), node.type().dtype).id);
}

bool GraphValues::run(Node node) {
  if (!has_value(node)) return false;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (!values_.contains(node.operand(i).id().value)) return false;
  }
  ReadContext context(node);
  const ExprId element = cast(op_row(node)->element(context), node.type().dtype).id;
  TensorValue result{.dtype = node.type().dtype};
  bool is_empty = false;
  for (const SymExprId size : node.type().sizes) {
    result.sizes.push_back(*as_int(graph_.context(), size));
    is_empty |= result.sizes.back() == 0;
  }
  std::vector<int64_t> position(result.sizes.size());
  while (!is_empty) {
    const Value value = ElementRun(context, values_, position).value(element);
    result.elements.push_back(is_floating(result.dtype) ? make_value(result.dtype, value.number)
                                                        : value);
    if (!advance(position, result.sizes)) break;
  }
  values_[node.id().value] = std::move(result);
  return true;
}

std::vector<TensorValue> GraphValues::outputs() const {
  std::vector<TensorValue> results;
  const Node output = graph_.output();
  for (uint32_t i = 0; i < output.num_operands(); ++i) {
    const auto found = values_.find(output.operand(i).id().value);
    if (found == values_.end()) return {};
    results.push_back(found->second);
  }
  return results;
}

}  // namespace nfx
