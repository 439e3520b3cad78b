// Arguments without parts, and the handles of opaque objects.
#include "ir/parser.h"

namespace nfx {
namespace {

struct UnknownHandle {
  static constexpr std::string_view kCode = "unknown-handle";
  uint32_t number;
  std::string message() const {
    return "handle `#" + std::to_string(number) + "` names no object of this context";
  }
  std::string help() const {
    return "a text with Python objects is read in the process that printed it";
  }
};
NFX_DIAGNOSTIC(UnknownHandle);

struct HandleMismatch {
  static constexpr std::string_view kCode = "handle-mismatch";
  uint32_t number;
  std::string expected, found;
  std::string message() const {
    return "handle `#" + std::to_string(number) + "` is `" + found + "` here, not `" + expected +
           "`";
  }
  std::string help() const {
    return "a text with Python objects is read in the process that printed it";
  }
};
NFX_DIAGNOSTIC(HandleMismatch);

}  // namespace

bool Parser::label_matches(OpaqueId id, std::string_view label) {
  const auto [entry, is_new] = labels_.try_emplace(id.value);
  if (is_new) entry->second = context_->opaque_label(id);
  return entry->second == label;
}

// Without a label none is compared. A context without an owner of objects takes
// any handle, so that tools can work on what Python printed.
Result<OpaqueId> Parser::find_opaque(uint32_t number, std::string_view label, size_t position) {
  const OpaqueId id{number};
  const bool is_here = number <= context_->num_opaques() && context_->object(id) != nullptr;
  if (is_here) {
    if (label.empty() || label_matches(id, label)) return id;
    if (context_->has_opaque_owner()) {
      return diagnose(HandleMismatch{number, std::string(label), labels_[number]},
                      in_.place(position));
    }
  }
  if (context_->has_opaque_owner()) return diagnose(UnknownHandle{number}, in_.place(position));
  return context_->opaque_stand_in(number, label);
}

Result<OpaqueId> Parser::handle(std::string_view expected_label) {
  in_.peek();
  const size_t start = in_.position();
  if (!in_.take('#')) return OpaqueId{};
  const std::string expected(expected_label);
  NFX_ASSIGN(const uint32_t number, in_.number());
  if (in_.peek() != '"') return find_opaque(number, expected, start);
  NFX_ASSIGN(const std::string label, in_.string());
  return find_opaque(number, label, start);
}

// `opaque#7 "label"`, `none`
Result<OpaqueId> Parser::opaque() {
  if (in_.take_word("none")) return OpaqueId{};
  if (!in_.take_word("opaque")) return in_.expected("`opaque#`, `none` or `graph`");
  if (in_.here() != '#') return in_.expected("`#` and a number");
  return handle({});
}

// `dtype(float32)`
Result<ArgId> Parser::dtype_argument() {
  Arg arg{.kind = ArgKind::kDtype};
  NFX_TRY(in_.expect('('));
  NFX_ASSIGN(arg.dtype, dtype());
  NFX_TRY(in_.expect(')'));
  return context_->intern(arg);
}

// `device("cuda:0")`, `layout(strided)`, `memory_format(channels_last)`, `@subgraph`
Result<ArgId> Parser::text_argument(ArgKind kind) {
  if (kind != ArgKind::kGraph) NFX_TRY(in_.expect('('));
  NFX_ASSIGN(const std::string_view text, in_.name());
  const Arg arg{.kind = kind, .text = context_->intern(text)};
  if (kind != ArgKind::kGraph) NFX_TRY(in_.expect(')'));
  return context_->intern(arg);
}

// `complex(1.0, -2.5)`
Result<ArgId> Parser::complex() {
  Arg arg{.kind = ArgKind::kComplex};
  NFX_TRY(in_.expect('('));
  NFX_ASSIGN(arg.real, in_.real());
  NFX_TRY(in_.expect(','));
  NFX_ASSIGN(arg.imag, in_.real());
  NFX_TRY(in_.expect(')'));
  return context_->intern(arg);
}

// `sym(s0 + 1)`
Result<ArgId> Parser::symbolic() {
  Arg arg{.kind = ArgKind::kSym};
  NFX_TRY(in_.expect('('));
  NFX_ASSIGN(arg.sym, expression());
  NFX_TRY(in_.expect(')'));
  return context_->intern(arg);
}

// `op(aten.add.Tensor#3)`
Result<ArgId> Parser::op_value() {
  Arg arg{.kind = ArgKind::kOp};
  NFX_TRY(in_.expect('('));
  if (in_.peek() == '"') {
    NFX_ASSIGN(const std::string text, in_.string());
    arg.text = context_->intern(text);
  } else {
    NFX_ASSIGN(const std::string_view name, in_.name());
    arg.text = context_->intern(name);
  }
  NFX_ASSIGN(arg.opaque, handle(context_->text(arg.text)));
  NFX_TRY(in_.expect(')'));
  return context_->intern(arg);
}

// `named Point#7(1, 2)`, behind `named`
Result<ArgId> Parser::named_tuple(Graph& graph, int depth) {
  Arg arg{.kind = ArgKind::kNamedTuple};
  if (in_.peek() == '"') {
    NFX_ASSIGN(const std::string text, in_.string());
    arg.text = context_->intern(text);
  } else {
    NFX_ASSIGN(const std::string_view name, in_.name());
    arg.text = context_->intern(name);
  }
  NFX_ASSIGN(arg.opaque, handle(context_->text(arg.text)));
  NFX_TRY(in_.expect('('));
  return sequence(graph, arg, ')', depth);
}

}  // namespace nfx
