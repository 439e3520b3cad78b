#include <optional>

#include "ir/parser.h"

namespace nfx {
namespace {

struct DuplicateName {
  static constexpr std::string_view kCode = "duplicate-name";
  std::string name;
  std::string message() const { return "node `%" + name + "` is defined twice"; }
  std::string help() const { return "names are unique within a graph; rename one of them"; }
};
NFX_DIAGNOSTIC(DuplicateName);

struct KindWord {
  std::string_view word;
  NodeKind kind;
};
constexpr KindWord kKindWords[] = {
    {"call", NodeKind::kCallFunction}, {"placeholder", NodeKind::kPlaceholder},
    {"get_attr", NodeKind::kGetAttr},  {"method", NodeKind::kCallMethod},
    {"module", NodeKind::kCallModule}, {"output", NodeKind::kOutput},
};

std::optional<NodeKind> node_kind(std::string_view word) {
  for (const KindWord& known : kKindWords) {
    if (known.word == word) return known.kind;
  }
  return std::nullopt;
}

}  // namespace

Result<StringId> Parser::node_name(Graph& graph) {
  if (!in_.take('%')) return StringId{};
  const size_t start = in_.position();
  NFX_ASSIGN(const std::string_view name, in_.name());
  const StringId id = context_->intern(name);
  if (graph.find(id)) return diagnose(DuplicateName{std::string(name)}, in_.place(start));
  NFX_TRY(in_.expect('='));
  return id;
}

// A placeholder may leave its target out if it is its name, an output if it is
// `output`. Theirs is always quoted.
Result<StringId> Parser::target(NodeKind kind, StringId name) {
  const bool optional = kind == NodeKind::kPlaceholder || kind == NodeKind::kOutput;
  if (optional && in_.peek() != '"') {
    return kind == NodeKind::kPlaceholder && name ? name : context_->intern("output");
  }
  if (in_.peek() != '"') {
    const std::string_view bare = in_.word();
    if (bare.empty()) return in_.expected("a target");
    return context_->intern(bare);
  }
  NFX_ASSIGN(const std::string quoted, in_.string());
  return context_->intern(quoted);
}

// `%name = kind target(arguments) : type meta(...) users(...)`
Status Parser::node(Graph& graph) {
  NFX_ASSIGN(StringId name, node_name(graph));
  in_.peek();
  const size_t start = in_.position();
  const std::optional<NodeKind> kind = node_kind(in_.word());
  if (!kind) {
    in_.rewind(start);
    return in_.expected("a node, `attribute`, `property` or `}`");
  }
  if (*kind == NodeKind::kOutput && !name && !graph.find("output"))
    name = context_->intern("output");
  if (*kind == NodeKind::kPlaceholder && !name && in_.peek() != '"') {
    return in_.expected("the target of the placeholder");
  }
  NFX_ASSIGN(const StringId target, this->target(*kind, name));
  NFX_ASSIGN(const OpaqueId object, handle(context_->text(target)));
  operands_.clear();
  NFX_ASSIGN(const ArgId arguments, call(graph));
  TypeId type_id;
  if (in_.take(':')) {
    NFX_ASSIGN(type_id, node_type());
  }
  const Node node =
      graph.add(*kind, context_->text(target), arguments, operands_, context_->text(name), type_id);
  if (object) graph.set_target(node, context_->text(target), object);
  if (in_.take_word("meta")) NFX_TRY(meta(graph, node));
  if (in_.take_word("users")) NFX_TRY(users(node));
  return success();
}

Status Parser::meta_part(NodeMeta& meta) {
  in_.peek();
  const size_t start = in_.position();
  if (in_.take('#')) {
    NFX_ASSIGN(const uint32_t number, in_.number());
    NFX_ASSIGN(meta.object, find_opaque(number, {}, start));
  } else if (in_.take_word("derived")) {
    meta.derived = true;
  } else if (in_.take_word("source")) {
    NFX_ASSIGN(const std::string text, in_.string());
    meta.source = context_->intern(text);
  } else if (in_.take_word("module")) {
    NFX_ASSIGN(const std::string text, in_.string());
    meta.module_path = context_->intern(text);
  } else {
    return in_.expected("`#`, `derived`, `source` or `module`");
  }
  return success();
}

// `meta(#7, derived, source "model.py:41", module "layers.0")`
Status Parser::meta(Graph& graph, Node node) {
  NodeMeta meta;
  NFX_TRY(in_.expect('('));
  do {
    NFX_TRY(meta_part(meta));
  } while (in_.take(','));
  NFX_TRY(in_.expect(')'));
  graph.set_meta(node, meta);
  return success();
}

// `users(%b, %a)`
Status Parser::users(Node node) {
  UserOrder order{node.id(), {}, in_.position()};
  NFX_TRY(in_.expect('('));
  do {
    NFX_TRY(in_.expect('%'));
    NFX_ASSIGN(const std::string_view name, in_.name());
    order.users.push_back(context_->intern(name));
  } while (in_.take(','));
  NFX_TRY(in_.expect(')'));
  orders_.push_back(std::move(order));
  return success();
}

}  // namespace nfx
