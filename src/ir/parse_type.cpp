#include <algorithm>
#include <charconv>

#include "ir/parser.h"

namespace nfx {
namespace {

struct UnknownDtype {
  static constexpr std::string_view kCode = "unknown-dtype";
  std::string name;
  std::string message() const { return "`" + name + "` is no element type"; }
  std::string help() const { return "write PyTorch's name without `torch.`: `float32`, `bool`"; }
};
NFX_DIAGNOSTIC(UnknownDtype);

struct UnknownLayout {
  static constexpr std::string_view kCode = "unknown-layout";
  std::string name;
  std::string message() const { return "`" + name + "` is no layout"; }
  std::string help() const {
    return "there are strided, sparse_coo, sparse_csr, sparse_csc, "
           "sparse_bsr, sparse_bsc, mkldnn, jagged";
  }
};
NFX_DIAGNOSTIC(UnknownLayout);

}  // namespace

Result<Dtype> Parser::dtype() {
  in_.peek();
  const size_t start = in_.position();
  const std::string_view name = in_.word();
  if (const std::optional<Dtype> found = dtype_from_name(name)) return *found;
  if (name.empty()) return in_.expected("a type");
  return diagnose(UnknownDtype{std::string(name)}, in_.place(start));
}

Result<SymExprId> Parser::expression() {
  NFX_ASSIGN(const std::string_view text, in_.expression());
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return sym_int(*context_, value);
  return parse_sym(*context_, text);
}

Status Parser::expressions(char close, std::vector<SymExprId>& ids) {
  if (in_.take(close)) return success();
  while (true) {
    NFX_ASSIGN(const SymExprId id, expression());
    ids.push_back(id);
    if (in_.take(close)) return success();
    NFX_TRY(in_.expect(','));
  }
}

// Strides that are not written are those of a dense tensor; `{?}` has none.
Status Parser::strides(Type& type, std::vector<SymExprId>& ids) {
  if (!in_.take('{')) {
    if (type.layout == Layout::kStrided) ids = contiguous_strides(*context_, type.sizes);
    return success();
  }
  if (!in_.take('?')) return expressions('}', ids);
  return in_.expect('}');
}

Status Parser::device(Type& type) {
  if (in_.take('?')) return success();
  if (in_.peek() == '"') {
    NFX_ASSIGN(const std::string text, in_.string());
    type.device = context_->intern(text);
    return success();
  }
  const std::string_view plain = in_.raw(":");
  if (plain.empty()) return in_.expected("a device");
  type.device = context_->intern(plain);
  return success();
}

Status Parser::tensor_suffixes(Type& type) {
  type.device = context_->intern("cpu");
  if (in_.take('@')) {
    type.device = {};
    NFX_TRY(device(type));
  }
  if (in_.take_word("offset")) {
    NFX_TRY(in_.expect('('));
    NFX_ASSIGN(type.storage_offset, expression());
    NFX_TRY(in_.expect(')'));
  }
  if (in_.take_word("layout")) {
    in_.peek();
    const size_t start = in_.position();
    const std::string_view name = in_.word();
    const std::optional<Layout> layout = layout_from_name(name);
    if (!layout) return diagnose(UnknownLayout{std::string(name)}, in_.place(start));
    type.layout = *layout;
  }
  type.requires_grad = in_.take_word("grad");
  return success();
}

// `float32[2, s0]{s0, 1} @cuda:0 offset(3) layout strided grad`
Result<TypeId> Parser::tensor(Dtype dtype) {
  Type type{.kind = TypeKind::kTensor, .dtype = dtype};
  std::vector<SymExprId> sizes, strides;
  NFX_TRY(in_.expect('['));
  NFX_TRY(expressions(']', sizes));
  type.sizes = sizes;
  const bool given = in_.peek() == '{';
  if (given) NFX_TRY(this->strides(type, strides));
  NFX_TRY(tensor_suffixes(type));
  if (!given) NFX_TRY(this->strides(type, strides));
  type.strides = strides;
  return context_->intern(type);
}

// `sym(s0 + 1)`, `sym bool(s0 > 4)`
Result<TypeId> Parser::scalar() {
  Type type{.kind = TypeKind::kScalar, .dtype = Dtype::kInt64};
  if (in_.peek() != '(') {
    NFX_ASSIGN(type.dtype, dtype());
  }
  NFX_TRY(in_.expect('('));
  if (in_.peek() != ')') {
    NFX_ASSIGN(type.expr, expression());
  }
  NFX_TRY(in_.expect(')'));
  return context_->intern(type);
}

// Most nodes have a type that was read before, in the same words.
Result<TypeId> Parser::node_type() {
  const std::string_view text = in_.rest_of_type();
  if (const auto known = types_.find(text); known != types_.end()) {
    in_.skip(text.size());
    return known->second;
  }
  const size_t end = in_.position() + text.size();
  NFX_ASSIGN(const TypeId id, type(0));
  if (in_.only_blanks_since(end)) types_.emplace(text, id);
  return id;
}

Result<TypeId> Parser::type_list(TypeKind kind, char close, int depth) {
  std::vector<TypeId> elements;
  while (!in_.take(close)) {
    NFX_ASSIGN(const TypeId element, type(depth + 1));
    elements.push_back(element);
    if (in_.take(',')) continue;
    NFX_TRY(in_.expect(close));
    break;
  }
  return context_->intern(Type{.kind = kind, .elements = elements});
}

Result<TypeId> Parser::type(int depth) {
  NFX_TRY(too_deep(depth));
  if (in_.take('(')) return type_list(TypeKind::kTuple, ')', depth);
  if (in_.take('[')) return type_list(TypeKind::kList, ']', depth);
  if (in_.take('?')) return TypeId{};
  if (in_.take_word("sym")) return scalar();
  if (in_.take_word("none")) return context_->intern(Type{.kind = TypeKind::kNone});
  if (in_.take_word("opaque")) return context_->intern(Type{.kind = TypeKind::kOpaque});
  NFX_ASSIGN(const Dtype element, dtype());
  return tensor(element);
}

}  // namespace nfx
