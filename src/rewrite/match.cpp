#include "rewrite/match.h"

#include <algorithm>
#include <cmath>

namespace nfx {
namespace {

bool same(const Pattern& a, const Pattern& b) {
  if (a.kind != b.kind || a.name != b.name || a.op != b.op || a.literal != b.literal) return false;
  return std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same);
}

bool is_number_argument(ArgumentView argument) {
  if (!argument) return false;
  const ArgKind kind = argument.kind();
  return kind == ArgKind::kInt || kind == ArgKind::kFloat || kind == ArgKind::kBool;
}

bool same_number(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

struct IsDefault {
  ArgumentView given;

  bool operator()(NoneDefault) const { return given.is_none(); }
  bool operator()(const std::string&) const { return false; }
  template <class T>
  bool operator()(const std::vector<T>&) const {
    return false;
  }
  template <class T>
  bool operator()(T number) const {
    return is_number_argument(given) && given.as_number() == static_cast<double>(number);
  }
};

const Schema* schema_of(Node node) { return node.op() == nullptr ? nullptr : node.op()->schema; }

size_t num_keywords(Node node) {
  const Context& context = node.graph().context();
  return context.arg(context.arg(node.arguments()).children[1]).children.size() / 2;
}

// Whether the arguments from position `first` on are as if they were not given.
bool others_are_default(Node node, size_t first) {
  if (num_positional(node) <= first && num_keywords(node) == 0) return true;
  const Schema* schema = schema_of(node);
  if (schema == nullptr) return false;
  for (size_t i = first; i < schema->args.size(); ++i) {
    const SchemaArg& formal = schema->args[i];
    const bool by_place = i < num_positional(node) && !formal.kwarg_only;
    const ArgumentView given = by_place ? positional(node, i) : keyword(node, formal.name);
    if (!given) continue;
    if (!formal.default_value || !std::visit(IsDefault{given}, *formal.default_value)) return false;
  }
  return true;
}

}  // namespace

Node Match::value(std::string_view name) const {
  for (const Binding& binding : bindings_) {
    if (binding.name == name) return binding.node;
  }
  return {};
}

ArgumentView Match::number(std::string_view name) const {
  for (const Binding& binding : bindings_) {
    if (binding.name == name) return binding.number;
  }
  return {};
}

Node Match::call(const Pattern& pattern) const {
  for (const auto& [inner, node] : calls_) {
    if (node != root_ && same(*inner, pattern)) return node;
  }
  return {};
}

std::optional<Match> Matcher::match(const Pattern& pattern, Node root) const {
  Match match(root);
  if (!call(pattern, root, match)) return std::nullopt;
  return match;
}

bool Matcher::call(const Pattern& pattern, Node node, Match& match) const {
  if (node.kind() != NodeKind::kCallFunction) return false;
  if (std::ranges::find(pattern.op->targets, node.target()) == pattern.op->targets.end()) {
    return false;
  }
  const bool has_rest =
      !pattern.children.empty() && pattern.children.back().kind == PatternKind::kRest;
  if (!has_rest && !others_are_default(node, pattern.children.size())) return false;
  const bool may_swap = node.has(Trait::kCommutative) && pattern.children.size() >= 2;
  if (!children(pattern, node, false, match) &&
      !(may_swap && children(pattern, node, true, match))) {
    return false;
  }
  match.calls_.emplace_back(&pattern, node);
  match.nodes_.push_back(node);
  return true;
}

// Variables last: most patterns fail on something else, before anything is noted.
bool Matcher::children(const Pattern& pattern, Node node, bool swapped, Match& match) const {
  const size_t bindings = match.bindings_.size(), calls = match.calls_.size(),
               nodes = match.nodes_.size();
  for (const bool variables : {false, true}) {
    for (size_t i = 0; i < pattern.children.size(); ++i) {
      const PatternKind kind = pattern.children[i].kind;
      if (kind == PatternKind::kRest || (kind == PatternKind::kValue) != variables) continue;
      const size_t position = swapped && i < 2 ? 1 - i : i;
      if (child(pattern.children[i], argument(node, position), match)) continue;
      match.bindings_.resize(bindings);
      match.calls_.resize(calls);
      match.nodes_.resize(nodes);
      return false;
    }
  }
  return true;
}

bool Matcher::child(const Pattern& pattern, ArgumentView argument, Match& match) const {
  if (!argument) return false;
  switch (pattern.kind) {
    case PatternKind::kValue: return value(pattern, argument, match);
    case PatternKind::kNumber: return number(pattern, argument, match);
    case PatternKind::kLiteral: return literal(pattern, argument, match);
    case PatternKind::kCall: return argument.is_node() && call(pattern, argument.node(), match);
    case PatternKind::kRest:
    case PatternKind::kComputed: break;
  }
  return false;
}

bool Matcher::value(const Pattern& pattern, ArgumentView argument, Match& match) const {
  if (!argument.is_node()) return false;
  const Node node = argument.node();
  if (const Node bound = match.value(pattern.name)) return bound == node;
  match.bindings_.push_back({pattern.name, node, {}});
  match.nodes_.push_back(node);
  return true;
}

bool Matcher::number(const Pattern& pattern, ArgumentView argument, Match& match) const {
  if (!is_number_argument(argument)) return false;
  if (const ArgumentView bound = match.number(pattern.name)) return bound.id() == argument.id();
  match.bindings_.push_back({pattern.name, {}, argument});
  return true;
}

bool Matcher::literal(const Pattern& pattern, ArgumentView argument, Match& match) const {
  if (is_number_argument(argument)) return same_number(*argument.as_number(), pattern.literal);
  if (!argument.is_node()) return false;
  match.nodes_.push_back(argument.node());
  const std::optional<Constant> constant = constants_(argument.node());
  return constant && is_number(*constant, pattern.literal);
}

}  // namespace nfx
