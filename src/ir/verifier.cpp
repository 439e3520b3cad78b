#include "ir/verifier.h"

#include <vector>

#include "ir/context_tables.h"
#include "ir/spelling.h"

namespace nfx {
namespace {

constexpr std::string_view kOurFault = "a pass or importer broke the graph; please report it";

struct BrokenOrder {
  static constexpr std::string_view kCode = "broken-order";
  std::string what;
  std::string message() const { return "the order of nodes is broken: " + what; }
  std::string help() const { return std::string(kOurFault); }
};
NFX_DIAGNOSTIC(BrokenOrder);

struct BrokenUses {
  static constexpr std::string_view kCode = "broken-uses";
  std::string node;
  std::string message() const { return "the use list of `%" + node + "` is not that of its users"; }
  std::string help() const { return std::string(kOurFault); }
};
NFX_DIAGNOSTIC(BrokenUses);

struct BadOperand {
  static constexpr std::string_view kCode = "bad-operand";
  uint32_t index;
  std::string message() const {
    return "operand " + std::to_string(index) + " is missing or was erased";
  }
  std::string help() const { return "replace the uses of a node before it is erased"; }
};
NFX_DIAGNOSTIC(BadOperand);

struct UseBeforeDefinition {
  static constexpr std::string_view kCode = "use-before-definition";
  std::string operand;
  std::string message() const { return "`%" + operand + "` is used above its definition"; }
  std::string help() const { return "move the user down, or what it uses up"; }
};
NFX_DIAGNOSTIC(UseBeforeDefinition);

struct BadArguments {
  static constexpr std::string_view kCode = "bad-arguments";
  std::string what;
  std::string message() const { return "the arguments are malformed: " + what; }
  std::string help() const { return "make them with Context::call(), one operand for each hole"; }
};
NFX_DIAGNOSTIC(BadArguments);

struct MisplacedPlaceholder {
  static constexpr std::string_view kCode = "misplaced-placeholder";
  std::string message() const { return "a placeholder stands behind a call"; }
  std::string help() const { return "placeholders come first, before all but `get_attr` nodes"; }
};
NFX_DIAGNOSTIC(MisplacedPlaceholder);

struct MissingOutput {
  static constexpr std::string_view kCode = "missing-output";
  std::string graph;
  std::string message() const { return "graph `@" + graph + "` does not end with an output"; }
  std::string help() const { return "add one `output` node, the last"; }
};
NFX_DIAGNOSTIC(MissingOutput);

struct MisplacedOutput {
  static constexpr std::string_view kCode = "misplaced-output";
  std::string message() const { return "an output is not the last node"; }
  std::string help() const { return "a graph has one `output` node, the last"; }
};
NFX_DIAGNOSTIC(MisplacedOutput);

struct BadNodeName {
  static constexpr std::string_view kCode = "bad-node-name";
  std::string name;
  std::string message() const {
    return name.empty() ? "a node has no name" : "two nodes are named `%" + name + "`";
  }
  std::string help() const { return "Graph::set_name() makes a name unique"; }
};
NFX_DIAGNOSTIC(BadNodeName);

struct DeepArgument {
  static constexpr std::string_view kCode = "deep-argument";
  std::string message() const {
    return "an argument is nested more than " + std::to_string(kMaxNesting) + " levels deep";
  }
  std::string help() const { return "such a graph can be neither printed nor read"; }
};
NFX_DIAGNOSTIC(DeepArgument);

class StructureVerifier {
 public:
  explicit StructureVerifier(const Graph& graph)
      : graph_(graph),
        context_(graph.context()),
        table_(graph.table()),
        named_(context_.tables().texts.size()) {}

  Status run() {
    NFX_TRY(order());
    for (const Node node : graph_.nodes()) {
      NFX_TRY(name(node));
      NFX_TRY(placement(node));
      NFX_TRY(arguments(node));
      NFX_TRY(operands(node));
      NFX_TRY(uses(node));
    }
    if (uses_ != operands_) return diagnose(BrokenOrder{"a use is in no list"});
    const bool ends = table_.last && record(table_.last).kind == NodeKind::kOutput;
    if (!ends) return diagnose(MissingOutput{graph_.name()});
    return success();
  }

 private:
  const NodeRecord& record(NodeId id) const { return table_.records[id.value]; }
  bool exists(NodeId id) const {
    return id && id.value < table_.records.size() && !record(id).erased;
  }

  Status order() const {
    size_t count = 0;
    NodeId prev;
    for (NodeId id = table_.first; id; prev = id, id = record(id).next) {
      if (!exists(id)) return diagnose(BrokenOrder{"an erased node is linked"});
      const bool ascends = !prev || record(prev).order < record(id).order;
      if (record(id).prev != prev || !ascends || ++count > table_.live) {
        return diagnose(BrokenOrder{"links and labels disagree"}, node_place(graph_.node(id)));
      }
    }
    if (prev == table_.last && count == table_.live) return success();
    return diagnose(BrokenOrder{"nodes are missing"});
  }

  Status name(Node node) {
    const StringId name = record(node.id()).name;
    if (name && !named_[name.value]) {
      named_[name.value] = true;
      return success();
    }
    return diagnose(BadNodeName{std::string(node.name())}, node_place(node));
  }

  Status placement(Node node) {
    const NodeKind kind = node.kind();
    if (kind == NodeKind::kPlaceholder && calls_begun_) {
      return diagnose(MisplacedPlaceholder{}, node_place(node));
    }
    if (kind == NodeKind::kOutput && node.id() != table_.last) {
      return diagnose(MisplacedOutput{}, node_place(node));
    }
    calls_begun_ |= kind != NodeKind::kPlaceholder && kind != NodeKind::kGetAttr;
    return success();
  }

  Status arguments(Node node) const {
    const Arg& root = context_.arg(node.arguments());
    if (root.kind != ArgKind::kCall || root.children.size() != 2 ||
        context_.arg(root.children[0]).kind != ArgKind::kTuple ||
        context_.arg(root.children[1]).kind != ArgKind::kDict) {
      return diagnose(BadArguments{"they are no call"}, node_place(node));
    }
    if (root.holes != node.num_operands()) {
      return diagnose(BadArguments{std::to_string(root.holes) + " holes and " +
                                   std::to_string(node.num_operands()) + " operands"},
                      node_place(node));
    }
    if (root.depth > kMaxNesting + 2) return diagnose(DeepArgument{}, node_place(node));
    return success();
  }

  Status operands(Node node) {
    const NodeRecord& user = record(node.id());
    for (uint32_t i = 0; i < user.num_operands; ++i) {
      const NodeId value = table_.slots[user.first_operand + i].value;
      if (!exists(value)) return diagnose(BadOperand{i}, node_place(node));
      if (record(value).order >= user.order) {
        return diagnose(UseBeforeDefinition{std::string(graph_.node(value).name())},
                        node_place(node));
      }
    }
    operands_ += user.num_operands;
    return success();
  }

  // Each slot of the list must be a live operand that names this node. Links
  // that agree in both directions cannot meet a slot twice.
  Status uses(Node node) {
    const NodeRecord& value = record(node.id());
    uint32_t prev = kNoSlot;
    for (uint32_t slot = value.first_use; slot != kNoSlot; slot = table_.slots[slot].next_use) {
      const OperandSlot& use = table_.slots[slot];
      const bool linked = use.value == node.id() && use.prev_use == prev && exists(use.user) &&
                          slot - record(use.user).first_operand < record(use.user).num_operands;
      if (!linked) return diagnose(BrokenUses{std::string(node.name())}, node_place(node));
      prev = slot;
      ++uses_;
    }
    if (prev == value.last_use) return success();
    return diagnose(BrokenUses{std::string(node.name())}, node_place(node));
  }

  const Graph& graph_;
  const Context& context_;
  const NodeTable& table_;
  std::vector<bool> named_;  // by StringId
  bool calls_begun_ = false;
  size_t uses_ = 0, operands_ = 0;
};

}  // namespace

Status verify_structure(const Graph& graph) { return StructureVerifier(graph).run(); }

Status verify(const Graph& graph) {
  std::vector<const Graph*> pending = {&graph};  // with subgraphs, innermost last
  while (!pending.empty()) {
    const Graph& next = *pending.back();
    pending.pop_back();
    NFX_TRY(verify_structure(next));
    NFX_TRY(verify_meaning(next));
    for (const auto& [name, attribute] : next.attributes()) {
      if (attribute.subgraph) pending.push_back(attribute.subgraph.get());
    }
  }
  return success();
}

Place node_place(Node node) {
  Place place;
  place.node = std::string(node.name());
  const NodeMeta& meta = node.graph().meta(node);
  place.file = std::string(node.graph().context().text(meta.source));
  place.scope = std::string(node.graph().context().text(meta.module_path));
  return place;
}

}  // namespace nfx
