#include <optional>

#include "capi/handles.h"
#include "ir/argument_view.h"

namespace nfx::capi {
namespace {

struct KindPair {
  ArgKind native;
  nfx_argument_kind kind;
};
constexpr KindPair kArgumentKinds[] = {
    {ArgKind::kHole, NFX_ARG_NODE},
    {ArgKind::kNone, NFX_ARG_NONE},
    {ArgKind::kBool, NFX_ARG_BOOL},
    {ArgKind::kInt, NFX_ARG_INT},
    {ArgKind::kFloat, NFX_ARG_FLOAT},
    {ArgKind::kComplex, NFX_ARG_COMPLEX},
    {ArgKind::kString, NFX_ARG_STRING},
    {ArgKind::kEllipsis, NFX_ARG_ELLIPSIS},
    {ArgKind::kDtype, NFX_ARG_DTYPE},
    {ArgKind::kDevice, NFX_ARG_DEVICE},
    {ArgKind::kLayout, NFX_ARG_LAYOUT},
    {ArgKind::kMemoryFormat, NFX_ARG_MEMORY_FORMAT},
    {ArgKind::kSym, NFX_ARG_SYMBOLIC},
    {ArgKind::kTuple, NFX_ARG_TUPLE},
    {ArgKind::kList, NFX_ARG_LIST},
    {ArgKind::kSize, NFX_ARG_SIZE},
    {ArgKind::kNamedTuple, NFX_ARG_NAMED_TUPLE},
    {ArgKind::kDict, NFX_ARG_DICT},
    {ArgKind::kSlice, NFX_ARG_SLICE},
    {ArgKind::kRange, NFX_ARG_RANGE},
    {ArgKind::kOp, NFX_ARG_OP},
    {ArgKind::kGraph, NFX_ARG_GRAPH},
    {ArgKind::kOpaque, NFX_ARG_OPAQUE},
};

nfx_argument_kind kind_of(ArgKind kind) {
  for (const KindPair& pair : kArgumentKinds) {
    if (pair.native == kind) return pair.kind;
  }
  return NFX_ARG_OPAQUE;
}

// Text that must outlive the call is interned.
std::string_view text_of(Context& context, const Arg& arg) {
  if (arg.kind == ArgKind::kSym) return context.text(context.intern(print_sym(context, arg.sym)));
  if (arg.kind == ArgKind::kOpaque)
    return context.text(context.intern(context.opaque_label(arg.opaque)));
  return context.text(arg.text);
}

bool is_argument(const Graph& graph, nfx_argument argument) {
  if (!is_node(graph, argument.node) || argument.structure == 0) return false;
  const Context& context = graph.context();
  if (argument.structure >= context.tables().args.size()) return false;
  const uint32_t limit = node_of(graph, argument.node).num_operands();
  const uint32_t holes = context.arg(ArgId{argument.structure}).holes;
  return argument.first_operand <= limit && holes <= limit - argument.first_operand;
}

nfx_status give_view(ArgumentView view, nfx_argument* argument) {
  *argument = {view.owner().id().value, view.id().value, view.first_hole()};
  return NFX_OK;
}

// The keyword dict of a node; empty view for a node without arguments.
ArgumentView keywords_of(Node node) {
  return node.arguments() ? ArgumentView(node, node.arguments(), 0).child(1) : ArgumentView();
}

nfx_node_info describe(const Graph& graph, Node node) {
  const NodeMeta& meta = graph.meta(node);
  nfx_node_info made{};
  made.kind = static_cast<nfx_node_kind>(node.kind());
  made.name = give(node.name());
  made.target = give(node.target());
  made.type = node.type_id().value;
  made.prev = node.prev().id().value;
  made.next = node.next().id().value;
  made.num_operands = node.num_operands();
  made.num_positional = static_cast<uint32_t>(num_positional(node));
  made.num_keywords = static_cast<uint32_t>(keywords_of(node).size() / 2);
  made.source = give(graph.context().text(meta.source));
  made.module_path = give(graph.context().text(meta.module_path));
  return made;
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_node_read(const nfx_graph* graph, nfx_node node, nfx_node_info* info) {
  if (graph == nullptr || !is_node(*graph->graph, node)) return NFX_BAD_ARGUMENT;
  return give(describe(*graph->graph, node_of(*graph->graph, node)), info);
}

nfx_status nfx_node_operand(const nfx_graph* graph, nfx_node node, size_t index,
                            nfx_node* operand) {
  if (graph == nullptr || operand == nullptr || !is_node(*graph->graph, node))
    return NFX_BAD_ARGUMENT;
  const nfx::Node user = node_of(*graph->graph, node);
  if (index >= user.num_operands()) return NFX_OUT_OF_RANGE;
  *operand = user.operand(static_cast<uint32_t>(index)).id().value;
  return NFX_OK;
}

nfx_status nfx_node_users(const nfx_graph* graph, nfx_node node, nfx_node* users, size_t capacity,
                          size_t* count) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || count == nullptr || (users == nullptr && capacity != 0) ||
        !is_node(*graph->graph, node))
      return NFX_BAD_ARGUMENT;
    const auto found = distinct_users(node_of(*graph->graph, node));
    for (size_t i = 0; i < std::min(capacity, found.size()); ++i) users[i] = found[i].value;
    *count = found.size();
    return NFX_OK;
  });
}

nfx_status nfx_node_positional(const nfx_graph* graph, nfx_node node, size_t index,
                               nfx_argument* argument) {
  if (graph == nullptr || argument == nullptr || !is_node(*graph->graph, node))
    return NFX_BAD_ARGUMENT;
  const nfx::Node owner = node_of(*graph->graph, node);
  if (index >= num_positional(owner)) return NFX_OUT_OF_RANGE;
  return give_view(positional(owner, index), argument);
}

nfx_status nfx_node_keyword(const nfx_graph* graph, nfx_node node, size_t index, nfx_string* name,
                            nfx_argument* argument) {
  if (graph == nullptr || name == nullptr || argument == nullptr || !is_node(*graph->graph, node))
    return NFX_BAD_ARGUMENT;
  const nfx::ArgumentView keywords = keywords_of(node_of(*graph->graph, node));
  if (index >= keywords.size() / 2) return NFX_OUT_OF_RANGE;
  *name = give(graph->graph->context().text(keywords.child(2 * index).arg().text));
  return give_view(keywords.child(2 * index + 1), argument);
}

nfx_status nfx_node_argument(const nfx_graph* graph, nfx_node node, nfx_string name,
                             nfx_argument* argument) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || argument == nullptr || !readable(name) || !is_node(*graph->graph, node))
      return NFX_BAD_ARGUMENT;
    const nfx::ArgumentView found = nfx::argument(node_of(*graph->graph, node), take(name));
    return found ? give_view(found, argument) : NFX_NOT_FOUND;
  });
}

nfx_status nfx_argument_read(const nfx_graph* graph, nfx_argument argument,
                             nfx_argument_info* info) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_argument(*graph->graph, argument)) return NFX_BAD_ARGUMENT;
    nfx::Context& context = graph->graph->context();
    const nfx::Arg& arg = context.arg(nfx::ArgId{argument.structure});
    nfx_argument_info made{};
    made.kind = kind_of(arg.kind);
    made.integer = arg.integer;
    made.real = arg.real;
    made.imag = arg.imag;
    made.dtype = static_cast<nfx_dtype>(arg.dtype);
    made.is_mutable = arg.is_mutable;
    made.text = give(text_of(context, arg));
    made.num_children = arg.children.size();
    if (arg.kind == nfx::ArgKind::kHole) {
      const nfx::Node owner = node_of(*graph->graph, argument.node);
      made.node = owner.operand(argument.first_operand).id().value;
    }
    return give(made, info);
  });
}

nfx_status nfx_argument_child(const nfx_graph* graph, nfx_argument argument, size_t index,
                              nfx_argument* child) {
  if (graph == nullptr || child == nullptr || !is_argument(*graph->graph, argument))
    return NFX_BAD_ARGUMENT;
  const nfx::ArgumentView view(node_of(*graph->graph, argument.node),
                               nfx::ArgId{argument.structure}, argument.first_operand);
  if (index >= view.size()) return NFX_OUT_OF_RANGE;
  return give_view(view.child(index), child);
}
