#include "rewrite/subgraph_pattern.h"

#include <algorithm>

namespace nfx {
namespace {

struct EmptyPattern {
  static constexpr std::string_view kCode = "empty-pattern";
  std::string name;
  std::string message() const { return "the pattern `" + name + "` returns no call"; }
  std::string help() const { return "let it compute something, and return what it computed"; }
};
NFX_DIAGNOSTIC(EmptyPattern);

struct DeadPatternNode {
  static constexpr std::string_view kCode = "dead-pattern-node";
  std::string name, node;
  std::string message() const {
    return "`%" + node + "` of the pattern `" + name + "` leads to nothing that it returns";
  }
  std::string help() const { return "return it, or leave it out"; }
};
NFX_DIAGNOSTIC(DeadPatternNode);

bool is_call(Node node) {
  return node.kind() != NodeKind::kPlaceholder && node.kind() != NodeKind::kOutput;
}

bool only_returned(Node node) {
  return std::ranges::all_of(distinct_users(node), [&](NodeId user) {
    return node.graph().node(user).kind() == NodeKind::kOutput;
  });
}

// Rebuilds constants and structures of one Context in another.
class Translator {
 public:
  Translator(const Context& from, Context& to) : from_(from), to_(to) {}

  ArgId argument(ArgId id) {
    if (!id) return {};
    Arg arg = from_.arg(id);
    std::vector<ArgId> children;
    for (const ArgId child : arg.children) children.push_back(argument(child));
    arg.children = children;
    if (arg.text) arg.text = to_.intern(from_.text(arg.text));
    return to_.intern(arg);
  }

 private:
  const Context& from_;
  Context& to_;
};

}  // namespace

std::vector<Node> results_of(const Graph& graph) {
  std::vector<Node> results;
  const Node output = graph.output();
  for (uint32_t i = 0; output && i < output.num_operands(); ++i) {
    results.push_back(output.operand(i));
  }
  return results;
}

Result<SubgraphPattern> SubgraphPattern::make(Graph& graph) {
  SubgraphPattern pattern;
  pattern.graph_ = &graph;
  pattern.results_ = results_of(graph);
  pattern.is_returned_.resize(graph.id_limit());
  for (const Node node : pattern.results_) {
    const bool is_new = !pattern.is_returned_[node.id().value];
    pattern.is_returned_[node.id().value] = true;
    if (is_new && is_call(node) && only_returned(node)) pattern.roots_.push_back(node);
  }
  for (const Node node : graph.nodes()) {
    if (!is_call(node)) continue;
    ++pattern.num_calls_;
    if (node.has_uses()) continue;
    return diagnose(DeadPatternNode{graph.name(), std::string(node.name())}, node_place(node));
  }
  if (pattern.roots_.empty()) return diagnose(EmptyPattern{graph.name()});
  return pattern;
}

std::unique_ptr<Graph> copy_into(const Graph& graph, std::shared_ptr<Context> context) {
  auto copy = std::make_unique<Graph>(context, graph.name());
  Translator translate(graph.context(), *context);
  std::vector<Node> made(graph.id_limit());
  std::vector<Node> operands;
  for (const Node node : graph.nodes()) {
    operands.clear();
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      operands.push_back(made[node.operand(i).id().value]);
    }
    made[node.id().value] = copy->add_named(node.kind(), context->intern(node.target()),
                                            translate.argument(node.arguments()), operands,
                                            context->intern(node.name()));
  }
  return copy;
}

}  // namespace nfx
