#include "rewrite/write_order.h"

#include <algorithm>
#include <array>

#include "ir/argument_view.h"

namespace nfx {
namespace {

constexpr std::array<std::string_view, 15> kWritingOperators = {
    "delitem", "iadd", "iand",    "ifloordiv", "ilshift",  "imatmul", "imod",   "imul",
    "ior",     "ipow", "irshift", "isub",      "itruediv", "ixor",    "setitem"};

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// `relu_`, but not `__add__`.
bool names_a_write(std::string_view word) {
  if (word.starts_with("__") && word.ends_with("__")) {
    word = word.substr(2, word.size() - 4);
    return std::ranges::binary_search(kWritingOperators, word);
  }
  return word.size() > 1 && word.ends_with('_') && !word.ends_with("__");
}

bool is_told_to_write(Node node) {
  const ArgumentView inplace = keyword(node, "inplace"), out = keyword(node, "out");
  if (inplace && !(inplace.kind() == ArgKind::kBool && inplace.arg().integer == 0)) return true;
  return out && !out.is_none();
}

bool function_writes(Node node) {
  const std::string_view word = last_part(node.target());
  if (node.target().starts_with("operator."))
    return std::ranges::binary_search(kWritingOperators, word);
  return names_a_write(word) || is_told_to_write(node);
}

// Nodes that one question looks at before the answer is "perhaps".
constexpr size_t kMostSeen = 512;

// Attributes that are read twice are one memory.
uint64_t memory_key(Node node) {
  if (node.kind() != NodeKind::kGetAttr) return node.id().value;
  return uint64_t{1} << 32 | node.graph().table().records[node.id().value].target.value;
}

// The formal argument that an operand belongs to.
const SchemaArg* formal_of(Node node, uint32_t operand) {
  const Schema& schema = *node.op()->schema;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const ArgumentView given = argument(node, i);
    if (!given || given.owner() != node) continue;
    const uint32_t first = given.first_hole();
    if (operand >= first && operand < first + given.arg().holes) return &schema.args[i];
  }
  return nullptr;
}

bool has_schema(Node node) { return node.op() != nullptr && node.op()->schema != nullptr; }

bool is_written(Node writer, uint32_t operand) {
  if (!has_schema(writer)) return true;
  const SchemaArg* formal = formal_of(writer, operand);
  return formal == nullptr || formal->alias.write;
}

bool may_share_operand(Node node, uint32_t operand) {
  if (value_of(node).index >= 0) return true;
  if (node.kind() == NodeKind::kCallFunction && node.target().starts_with("operator.")) {
    const std::string_view word = last_part(node.target());
    return word == "getitem" || std::ranges::binary_search(kWritingOperators, word);
  }
  if (!has_schema(node)) return true;
  if (node.has(Trait::kView) || node.has(Trait::kMayAlias)) return true;
  const SchemaArg* formal = formal_of(node, operand);
  return formal == nullptr || static_cast<bool>(formal->alias);
}

}  // namespace

WriteOrder::WriteOrder(Graph& graph, std::function<bool(Node)> module_writes)
    : graph_(graph), module_writes_(std::move(module_writes)) {
  for (const Node node : graph.nodes()) {
    if (writes(node)) writers_.push_back(node.id());
  }
}

bool WriteOrder::writes(Node node) const {
  switch (node.kind()) {
    case NodeKind::kCallModule: return module_writes_(node);
    case NodeKind::kCallMethod: return names_a_write(node.target()) || is_told_to_write(node);
    case NodeKind::kCallFunction: break;
    default: return false;
  }
  const OpInfo* op = node.op();
  if (op == nullptr) return function_writes(node);
  return op->has(Trait::kMutates) || (op->schema != nullptr && op->schema->writes());
}

bool WriteOrder::disturbs(const std::vector<Node>& inside, Node first, Node last) const {
  if (writers_.empty() || first == last) return false;
  const auto behind = [this](Node place, NodeId writer) {
    return place.before(graph_.node(writer));
  };
  auto writer = std::upper_bound(writers_.begin(), writers_.end(), first, behind);
  Memory memory;
  bool known = false, all = false;  // what `inside` uses, and whether that is too much to tell
  for (; writer != writers_.end() && graph_.node(*writer).before(last); ++writer) {
    const Node node = graph_.node(*writer);
    if (std::ranges::find(inside, node) != inside.end()) continue;
    if (!known) {
      known = true;
      for (const Node used : inside) {
        all |= !collect(used, memory);
        for (uint32_t i = 0; i < used.num_operands(); ++i) {
          all |= !collect(used.operand(i), memory);
        }
      }
    }
    if (all || may_touch(node, memory)) return true;
  }
  return false;
}

bool WriteOrder::may_touch(Node writer, const Memory& memory) const {
  Memory written;
  for (uint32_t i = 0; i < writer.num_operands(); ++i) {
    if (!is_written(writer, i)) continue;
    if (!collect(writer.operand(i), written)) return true;
  }
  return std::ranges::any_of(written, [&](uint64_t key) { return memory.contains(key); });
}

// Adds the node and what it may share memory with. False if that is much.
bool WriteOrder::collect(Node node, Memory& memory) const {
  std::vector<Node> open{node};
  size_t seen = 0;
  while (!open.empty()) {
    const Node next = open.back();
    open.pop_back();
    if (!memory.insert(memory_key(next)).second) continue;
    if (++seen > kMostSeen) return false;
    for (uint32_t i = 0; i < next.num_operands(); ++i) {
      if (may_share_operand(next, i)) open.push_back(next.operand(i));
    }
  }
  return true;
}

void WriteOrder::added(Node node) {
  if (!writes(node)) return;
  const auto behind = [this](NodeId a, NodeId b) { return graph_.node(a).before(graph_.node(b)); };
  writers_.insert(std::upper_bound(writers_.begin(), writers_.end(), node.id(), behind), node.id());
}

void WriteOrder::erased(Node node) {
  if (!writers_.empty() && writes(node)) std::erase(writers_, node.id());
}

}  // namespace nfx
