// Message passing over the edges of a graph. Edges stand in order of their
// destination: those of node i are offsets[i] .. offsets[i + 1] - 1, and src and
// dst name their ends.
#include <cmath>
#include <limits>

#include "ops/compose.h"
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

// Row `ends[e]` of x for each edge e.
Expr gathered(ElementContext& context, Node x, Node ends) {
  const Expr row[] = {cast(context.read(ends, context.index().first(1)), Dtype::kInt64)};
  std::vector<Expr> index(context.index().begin(), context.index().end());
  index[0] = row[0];
  return context.read(x, index);
}

Result<TypeId> edge_type(Node node, Node ends) {
  const Type& x = node.operand(0).type();
  std::vector<SymExprId> sizes(x.sizes.begin(), x.sizes.end());
  sizes[0] = ends.type().sizes[0];
  return dense_type(node, x.dtype, sizes);
}

Result<TypeId> node_type(Node node) {
  Context& context = node.graph().context();
  const Type& x = node.operand(0).type();
  std::vector<SymExprId> sizes(x.sizes.begin(), x.sizes.end());
  sizes[0] = sym_sub(context, node.operand(1).type().sizes[0], sym_int(context, 1));
  return dense_type(node, x.dtype, sizes);
}

Fold fold_edges(Node node) {
  Fold fold;
  fold.dims = {0};
  fold.input = node.operand(0);
  fold.offsets = node.operand(1);
  fold.compute = fold.input.type().dtype;
  fold.state = {fold.compute};
  fold.finish = [](std::span<const Expr> state, Expr) { return std::vector{state[0]}; };
  return fold;
}

Result<Fold> edge_sum(Node node) {
  Fold fold = fold_edges(node);
  fold.init = [dtype = fold.compute](ExprPool& pool) {
    return std::vector{literal(pool, dtype, 0)};
  };
  fold.step = [](std::span<const Expr> s, Expr x, Expr) { return std::vector{s[0] + x}; };
  fold.merge = [](std::span<const Expr> s, std::span<const Expr> o) {
    return std::vector{s[0] + o[0]};
  };
  return fold;
}

// The first value of a running maximum (or minimum): below (above) every other.
double lowest(Dtype dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  return dtype == Dtype::kBool || dtype == Dtype::kUInt8
             ? 0
             : -std::ldexp(1.0, static_cast<int>(8 * dtype_size(dtype)) - 1);
}

double highest(Dtype dtype) {
  if (is_floating(dtype)) return std::numeric_limits<double>::infinity();
  if (dtype == Dtype::kBool) return 1;
  const int bits = static_cast<int>(8 * dtype_size(dtype)) - (dtype == Dtype::kUInt8 ? 0 : 1);
  return std::ldexp(1.0, bits) - 1;
}

template <Expr (*kPick)(Expr, Expr), double (*kFirst)(Dtype)>
Result<Fold> edge_extremum(Node node) {
  Fold fold = fold_edges(node);
  fold.init = [dtype = fold.compute](ExprPool& pool) {
    return std::vector{literal(pool, dtype, kFirst(dtype))};
  };
  fold.step = [](std::span<const Expr> s, Expr x, Expr) { return std::vector{kPick(s[0], x)}; };
  fold.merge = [](std::span<const Expr> s, std::span<const Expr> o) {
    return std::vector{kPick(s[0], o[0])};
  };
  return fold;
}

// exp(x - max) / sum over the edges of each destination.
Result<std::vector<Node>> edge_softmax(Graph& graph, Node node) {
  const Node x = node.operand(0), offsets = node.operand(1), dst = node.operand(2);
  const Node largest = emit(graph, "mp.edge_max.default", {x, offsets});
  const Node shifted = emit(graph, "aten.sub.Tensor",
                            {x, emit(graph, "mp.from_dst.default", {largest, offsets, dst})});
  const Node e = emit(graph, "aten.exp.default", {shifted});
  const Node total = emit(graph, "mp.edge_sum.default", {e, offsets});
  const Node spread = emit(graph, "mp.from_dst.default", {total, offsets, dst});
  return std::vector{emit(graph, "aten.div.Tensor", {e, spread})};
}

// y * grad - y * sum(y * grad): each destination's gradients sum to zero.
Result<std::vector<Node>> edge_softmax_backward(Graph& graph, Node node) {
  const Node grad = node.operand(0), y = node.operand(1), offsets = node.operand(2),
             dst = node.operand(3);
  const Node product = emit(graph, "aten.mul.Tensor", {grad, y});
  const Node total = emit(graph, "mp.edge_sum.default", {product, offsets});
  const Node spread = emit(graph, "mp.from_dst.default", {total, offsets, dst});
  return std::vector{
      emit(graph, "aten.sub.Tensor", {product, emit(graph, "aten.mul.Tensor", {y, spread})})};
}

// The weights with as many dimensions as the messages that they scale.
Node aligned_weights(Graph& graph, Node weights, size_t rank) {
  for (size_t d = weights.type().rank(); d < rank; ++d) {
    weights = emit(graph, "aten.unsqueeze.default", {weights, graph.context().integer(-1)});
  }
  return weights;
}

Result<std::vector<Node>> weighted_sum(Graph& graph, Node node) {
  const Node x = node.operand(0), weights = node.operand(1), offsets = node.operand(2),
             src = node.operand(3);
  const Node messages = emit(graph, "mp.from_src.default", {x, src});
  const Node aligned = aligned_weights(graph, weights, x.type().rank());
  const Node scaled = emit(graph, "aten.mul.Tensor", {messages, aligned});
  return std::vector{emit(graph, "mp.edge_sum.default", {scaled, offsets})};
}

Result<TypeId> weighted_sum_type(Node node) {
  Context& context = node.graph().context();
  const Type& x = node.operand(0).type();
  std::vector<SymExprId> sizes(x.sizes.begin(), x.sizes.end());
  sizes[0] = sym_sub(context, node.operand(2).type().sizes[0], sym_int(context, 1));
  return dense_type(node, x.dtype, sizes);
}

// Sum over the trailing dimensions of x[src] * y[dst]: the gradient of weights.
Result<std::vector<Node>> edge_dot(Graph& graph, Node node) {
  Context& context = node.graph().context();
  const Node x = node.operand(0), y = node.operand(1), src = node.operand(2), dst = node.operand(3);
  const Node product = emit(
      graph, "aten.mul.Tensor",
      {emit(graph, "mp.from_src.default", {x, src}), emit(graph, "mp.from_src.default", {y, dst})});
  std::vector<ArgId> dims;
  for (size_t d = node.type().rank(); d < product.type().rank(); ++d) {
    dims.push_back(context.integer(static_cast<int64_t>(d)));
  }
  if (dims.empty()) return std::vector{product};
  return std::vector{
      emit(graph, "aten.sum.dim_IntList", {product, context.sequence(ArgKind::kList, dims)})};
}

Result<TypeId> edge_dot_type(Node node) {
  const Type& x = node.operand(0).type();
  std::vector<SymExprId> sizes(x.sizes.begin(), x.sizes.begin() + int_argument(node, "rank"));
  sizes[0] = node.operand(2).type().sizes[0];
  return dense_type(node, x.dtype, sizes);
}

}  // namespace

NFX_OPS(message_passing) {
  op("mp::from_src(Tensor x, Tensor src) -> Tensor")
      .reads(
          [](ElementContext& c) { return gathered(c, c.node().operand(0), c.node().operand(1)); })
      .type([](Node node) { return edge_type(node, node.operand(1)); })
      .along_edges();
  op("mp::from_dst(Tensor x, Tensor offsets, Tensor dst) -> Tensor")
      .reads(
          [](ElementContext& c) { return gathered(c, c.node().operand(0), c.node().operand(2)); })
      .type([](Node node) { return edge_type(node, node.operand(2)); })
      .spreads([](Node node) { return node.operand(1); })
      .along_edges();
  op("mp::edge_sum(Tensor x, Tensor offsets) -> Tensor").fold(edge_sum, node_type);
  op("mp::edge_max(Tensor x, Tensor offsets) -> Tensor")
      .fold(edge_extremum<max_nan, lowest>, node_type);
  op("mp::edge_min(Tensor x, Tensor offsets) -> Tensor")
      .fold(edge_extremum<min_nan, highest>, node_type);
}

NFX_OPS(message_passing_composites) {
  op("mp::edge_softmax(Tensor x, Tensor offsets, Tensor dst) -> Tensor")
      .expand(edge_softmax)
      .type(like_first);
  op("mp::edge_softmax_backward(Tensor grad, Tensor y, Tensor offsets, Tensor dst) -> Tensor")
      .expand(edge_softmax_backward)
      .type(like_first);
  // The same function; the first one has a gradient, for which it knows the
  // edges in order of source too.
  op("mp::weighted_sum(Tensor x, Tensor weight, Tensor offsets, Tensor src, Tensor dst, Tensor "
     "t_offsets, Tensor t_dst, Tensor t_order) -> Tensor")
      .expand(weighted_sum)
      .type(weighted_sum_type);
  op("mp::sum_messages(Tensor x, Tensor weight, Tensor offsets, Tensor src) -> Tensor")
      .expand(weighted_sum)
      .type(weighted_sum_type);
  op("mp::edge_dot(Tensor x, Tensor y, Tensor src, Tensor dst, int rank) -> Tensor")
      .expand(edge_dot)
      .type(edge_dot_type);
}

}  // namespace nfx
