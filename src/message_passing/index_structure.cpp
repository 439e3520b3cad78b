#include "message_passing/index_structure.h"

#include "ir/argument_view.h"
#include "ops/type_rules.h"
#include "rewrite/memory_facts.h"

namespace nfx {
namespace {

Graph::Operand number(Context& context, SymExprId value) {
  if (const auto constant = as_int(context, value)) return context.integer(*constant);
  return context.intern(Arg{.kind = ArgKind::kSym, .sym = value});
}

SymExprId start_of(Context& context, const Type& type) {
  return type.storage_offset ? type.storage_offset : sym_int(context, 0);
}

bool is_kept_check(Node node) {
  return node.target() == "mp.checked_index.default" && argument(node, "keep").as_int() == 1;
}

Node item(Graph& graph, Node tuple, int64_t index) {
  return graph.call("operator.getitem", {tuple, graph.context().integer(index)},
                    tuple.type().elements[static_cast<size_t>(index)]);
}

}  // namespace

IndexSource index_source(Node index, MemoryFacts& memory) {
  Context& context = index.graph().context();
  const Type& type = index.type();
  Node base = index;
  while (base.kind() == NodeKind::kCallFunction && base.has(Trait::kView)) base = base.operand(0);
  const bool is_input = base.kind() == NodeKind::kPlaceholder && !memory.is_written(base) &&
                        base.type().dtype == type.dtype;
  IndexSource source{index, type.sizes[0], type.strides[0], sym_int(context, 0), false};
  if (is_input) {
    source.base = base;
    source.offset = sym_sub(context, start_of(context, type), start_of(context, base.type()));
  }
  source.keep = is_input || is_kept_check(index);
  return source;
}

SortedEdges sort_edges(Graph& graph, const IndexSource& index, SymExprId n) {
  Context& context = graph.context();
  const Node sorted = emit(
      graph, "mp.sort_index.default",
      {index.base, number(context, n), number(context, index.length), number(context, index.stride),
       number(context, index.offset), context.boolean(index.keep)});
  SortedEdges edges;
  edges.offsets = item(graph, sorted, 0);
  edges.order = item(graph, sorted, 1);
  edges.ends = item(graph, sorted, 2);
  return edges;
}

Node sorted_index(Graph& graph, const IndexSource& index, SymExprId n, Node order) {
  Context& context = graph.context();
  return emit(
      graph, "mp.sorted_index.default",
      {index.base, order, number(context, n), number(context, index.length),
       number(context, index.stride), number(context, index.offset), context.boolean(index.keep)});
}

Node checked_index(Graph& graph, const IndexSource& index, SymExprId n, bool wrap) {
  Context& context = graph.context();
  return emit(
      graph, "mp.checked_index.default",
      {index.base, number(context, n), number(context, index.length), number(context, index.stride),
       number(context, index.offset), context.boolean(wrap), context.boolean(index.keep)});
}

}  // namespace nfx
