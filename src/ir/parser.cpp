#include "ir/parser.h"

#include <algorithm>

#include "ir/spelling.h"

namespace nfx {
namespace {

struct TooDeep {
  static constexpr std::string_view kCode = "too-deep";
  std::string message() const {
    return "this is nested more than " + std::to_string(kMaxNesting) + " levels deep";
  }
  std::string help() const { return "no graph from PyTorch nests so deep; is the file damaged?"; }
};
NFX_DIAGNOSTIC(TooDeep);

struct SymbolConflict {
  static constexpr std::string_view kCode = "symbol-conflict";
  std::string symbol;
  std::string message() const {
    return "symbol `" + symbol + "` has another kind or range in this context";
  }
  std::string help() const { return "read the text into a context of its own"; }
};
NFX_DIAGNOSTIC(SymbolConflict);

struct BadRange {
  static constexpr std::string_view kCode = "bad-range";
  std::string symbol;
  std::string message() const { return "the range of symbol `" + symbol + "` is empty"; }
  std::string help() const { return "write `in [lower, upper]` with lower <= upper"; }
};
NFX_DIAGNOSTIC(BadRange);

struct DuplicateAttribute {
  static constexpr std::string_view kCode = "duplicate-attribute";
  std::string name;
  std::string message() const { return "attribute or property `" + name + "` is given twice"; }
  std::string help() const { return "remove one of them"; }
};
NFX_DIAGNOSTIC(DuplicateAttribute);

struct BadUsers {
  static constexpr std::string_view kCode = "bad-users";
  std::string node;
  std::string message() const { return "`users(...)` does not list the users of `%" + node + "`"; }
  std::string help() const { return "list each user once, or leave the clause out"; }
};
NFX_DIAGNOSTIC(BadUsers);

}  // namespace

Status Parser::too_deep(int depth) {
  if (depth <= kMaxNesting) return success();
  return diagnose(TooDeep{}, in_.place());
}

Result<std::unique_ptr<Graph>> Parser::file() {
  if (in_.take_word("symbols")) NFX_TRY(symbols());
  NFX_ASSIGN(std::unique_ptr<Graph> result, graph(0));
  if (!in_.at_end()) return in_.expected("the end of the text");
  return result;
}

Status Parser::symbols() {
  NFX_TRY(in_.expect('{'));
  while (!in_.take('}')) NFX_TRY(symbol());
  return success();
}

Result<int64_t> Parser::bound(int64_t infinity) {
  if (infinity < 0 ? in_.next_is("-inf") : in_.next_is("inf")) {
    in_.skip(infinity < 0 ? 4 : 3);
    return infinity;
  }
  return in_.integer();
}

// `s0 in [2, 100] hint 8`, `z0 : float`
Status Parser::symbol() {
  const size_t start = in_.position();
  NFX_ASSIGN(const std::string_view spelled, in_.name());
  const std::string name(spelled);
  SymKind kind = SymKind::kInt;
  if (in_.take(':')) {
    kind = in_.take_word("float") ? SymKind::kFloat : SymKind::kBool;
    if (kind == SymKind::kBool && !in_.take_word("bool")) return in_.expected("`float` or `bool`");
  }
  SymRange range;
  if (in_.take_word("in")) {
    NFX_TRY(in_.expect('['));
    NFX_ASSIGN(range.lower, bound(INT64_MIN));
    NFX_TRY(in_.expect(','));
    NFX_ASSIGN(range.upper, bound(INT64_MAX));
    NFX_TRY(in_.expect(']'));
    if (range.lower > range.upper) return diagnose(BadRange{name}, in_.place(start));
  }
  const SymExprId symbol = sym_symbol(*context_, name, kind);
  const Symbol known = symbol_facts(*context_, symbol);
  const bool same_range = known.range == range || known.range == SymRange{};
  if (known.kind != kind || !same_range) return diagnose(SymbolConflict{name}, in_.place(start));
  if (known.range != range) set_symbol_range(*context_, symbol, range);
  if (in_.take_word("hint")) {
    NFX_ASSIGN(const int64_t hint, in_.integer());
    if (!known.hint) set_symbol_hint(*context_, symbol, hint);
  }
  return success();
}

Result<std::unique_ptr<Graph>> Parser::graph(int depth) {
  NFX_TRY(too_deep(depth));
  if (!in_.take_word("graph")) return in_.expected("`graph`");
  std::string name = "main";
  if (in_.take('@')) {
    if (in_.peek() == '"') {
      NFX_ASSIGN(name, in_.string());  // may be empty
    } else {
      NFX_ASSIGN(name, in_.name());
    }
  }
  NFX_TRY(in_.expect('{'));
  auto result = std::make_unique<Graph>(context_, name);
  std::vector<UserOrder> outer_orders = std::move(orders_);
  orders_.clear();
  NFX_TRY(statements(*result, depth));
  for (const UserOrder& order : orders_) NFX_TRY(order_users(*result, order));
  orders_ = std::move(outer_orders);
  return result;
}

Status Parser::statements(Graph& graph, int depth) {
  while (!in_.take('}')) {
    if (in_.take_word("attribute")) {
      NFX_TRY(attribute(graph, depth));
    } else if (in_.take_word("property")) {
      NFX_TRY(property(graph));
    } else {
      NFX_TRY(node(graph));
    }
  }
  return success();
}

// `attribute "weight" = opaque#5 "Parameter"`, `attribute "body" = graph @body { ... }`
Status Parser::attribute(Graph& graph, int depth) {
  in_.peek();
  const size_t start = in_.position();
  NFX_ASSIGN(const std::string name, in_.string());
  NFX_TRY(in_.expect('='));
  Attribute value;
  const bool only_graph = in_.next_is("graph");
  if (!only_graph) {
    NFX_ASSIGN(value.object, opaque());
  }
  if (in_.next_is("graph")) {
    NFX_ASSIGN(value.subgraph, this->graph(depth + 1));
  }
  if (graph.attributes().emplace(name, std::move(value)).second) return success();
  return diagnose(DuplicateAttribute{name}, in_.place(start));
}

Status Parser::property(Graph& graph) {
  in_.peek();
  const size_t start = in_.position();
  NFX_ASSIGN(const std::string name, in_.string());
  NFX_TRY(in_.expect('='));
  NFX_ASSIGN(const OpaqueId object, opaque());
  if (graph.properties().emplace(name, object).second) return success();
  return diagnose(DuplicateAttribute{name}, in_.place(start));
}

Status Parser::order_users(Graph& graph, const UserOrder& order) {
  const Node node = graph.node(order.node);
  std::vector<Node> users;
  std::vector<NodeId> listed;
  for (const StringId name : order.users) {
    users.push_back(graph.find(context_->text(name)));
    listed.push_back(users.back().id());
  }
  std::vector<NodeId> actual = distinct_users(node);
  std::ranges::sort(actual);
  std::ranges::sort(listed);
  if (actual != listed) {
    return diagnose(BadUsers{std::string(node.name())}, in_.place(order.position));
  }
  graph.order_users(node, users);
  return success();
}

Result<std::unique_ptr<Graph>> parse(std::string_view text, std::shared_ptr<Context> context,
                                     std::string_view file) {
  return Parser(text, std::move(context), file).file();
}

}  // namespace nfx
