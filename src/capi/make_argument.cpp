#include "capi/make_argument.h"

#include "ir/spelling.h"

namespace nfx::capi {
namespace {

struct BadArgumentValue {
  static constexpr std::string_view kCode = "bad-argument-value";
  int kind;
  std::string why;
  std::string message() const {
    return "an argument value of kind " + std::to_string(kind) + " cannot be made: " + why;
  }
  std::string help() const { return "nativefx/types.h says which fields each kind reads"; }
};
NFX_DIAGNOSTIC(BadArgumentValue);

Diagnostic bad(const nfx_value& value, std::string why) {
  return diagnose(BadArgumentValue{value.kind, std::move(why)});
}

std::optional<ArgKind> text_kind(nfx_argument_kind kind) {
  switch (kind) {
    case NFX_ARG_STRING: return ArgKind::kString;
    case NFX_ARG_DEVICE: return ArgKind::kDevice;
    case NFX_ARG_LAYOUT: return ArgKind::kLayout;
    case NFX_ARG_MEMORY_FORMAT: return ArgKind::kMemoryFormat;
    case NFX_ARG_OP: return ArgKind::kOp;
    case NFX_ARG_GRAPH: return ArgKind::kGraph;
    default: return std::nullopt;
  }
}

std::optional<ArgKind> container_kind(nfx_argument_kind kind) {
  switch (kind) {
    case NFX_ARG_TUPLE: return ArgKind::kTuple;
    case NFX_ARG_LIST: return ArgKind::kList;
    case NFX_ARG_SIZE: return ArgKind::kSize;
    case NFX_ARG_DICT: return ArgKind::kDict;
    case NFX_ARG_SLICE: return ArgKind::kSlice;
    case NFX_ARG_RANGE: return ArgKind::kRange;
    default: return std::nullopt;
  }
}

bool has_children_that_fit(const nfx_value& value) {
  if (value.kind == NFX_ARG_SLICE || value.kind == NFX_ARG_RANGE) return value.num_children == 3;
  return value.kind != NFX_ARG_DICT || value.num_children % 2 == 0;
}

}  // namespace

Result<ArgId> ArgumentMaker::make(const nfx_value& value, int depth) {
  if (depth > kMaxNesting) return bad(value, "it is nested too deeply");
  if (!readable(value.text)) return bad(value, "its text is null");
  if (value.kind == NFX_ARG_NODE) {
    if (!is_node(graph_, value.node)) return bad(value, "it is no node of the graph");
    operands_.push_back(node_of(graph_, value.node));
    return context_.hole();
  }
  return container_kind(value.kind) ? container(value, depth) : constant(value);
}

Result<ArgId> ArgumentMaker::container(const nfx_value& value, int depth) {
  if (value.children == nullptr && value.num_children != 0) return bad(value, "children are null");
  if (!has_children_that_fit(value)) return bad(value, "it has a wrong number of children");
  std::vector<ArgId> children;
  for (size_t i = 0; i < value.num_children; ++i) {
    NFX_ASSIGN(const ArgId child, make(value.children[i], depth + 1));
    children.push_back(child);
  }
  const bool may_be_mutable = value.kind == NFX_ARG_LIST || value.kind == NFX_ARG_DICT;
  return context_.intern(Arg{.kind = *container_kind(value.kind),
                             .is_mutable = may_be_mutable && value.is_mutable != 0,
                             .children = children});
}

Result<ArgId> ArgumentMaker::constant(const nfx_value& value) {
  if (const std::optional<ArgKind> kind = text_kind(value.kind))
    return context_.intern(Arg{.kind = *kind, .text = context_.intern(take(value.text))});
  switch (value.kind) {
    case NFX_ARG_NONE: return context_.none();
    case NFX_ARG_BOOL: return context_.boolean(value.integer != 0);
    case NFX_ARG_INT: return context_.integer(value.integer);
    case NFX_ARG_FLOAT: return context_.real(value.real);
    case NFX_ARG_COMPLEX:
      return context_.intern(
          Arg{.kind = ArgKind::kComplex, .real = value.real, .imag = value.imag});
    case NFX_ARG_ELLIPSIS: return context_.intern(Arg{.kind = ArgKind::kEllipsis});
    case NFX_ARG_DTYPE:
      if (nfx_dtype_name(value.dtype).size == 0) return bad(value, "no such dtype");
      return context_.intern(
          Arg{.kind = ArgKind::kDtype, .dtype = static_cast<Dtype>(value.dtype)});
    case NFX_ARG_SYMBOLIC:
      if (value.text.size == 0) return bad(value, "its text is empty");
      return context_.intern(
          Arg{.kind = ArgKind::kSym, .sym = parse_sym(context_, take(value.text))});
    case NFX_ARG_NAMED_TUPLE:
    case NFX_ARG_OPAQUE: return bad(value, "only Python makes such objects");
    default: return bad(value, "no such kind");
  }
}

Result<ArgId> ArgumentMaker::call(const nfx_node_spec& spec) {
  std::vector<ArgId> positional, keywords;
  for (size_t i = 0; i < spec.num_positional; ++i) {
    NFX_ASSIGN(const ArgId made, make(spec.positional[i]));
    positional.push_back(made);
  }
  for (size_t i = 0; i < spec.num_keywords; ++i) {
    const nfx_keyword& keyword = spec.keywords[i];
    if (!readable(keyword.name) || keyword.name.size == 0)
      return bad(keyword.value, "its keyword has no name");
    keywords.push_back(context_.string(take(keyword.name)));
    NFX_ASSIGN(const ArgId made, make(keyword.value));
    keywords.push_back(made);
  }
  return context_.call(positional, context_.sequence(ArgKind::kDict, keywords));
}

}  // namespace nfx::capi
