#include "passes/expand_composites.h"

#include "ops/op_row.h"
#include "rewrite/build.h"

namespace nfx {
namespace {

bool is_tuple(Node node) {
  const TypeKind kind = node.type().kind;
  return kind == TypeKind::kTuple || kind == TypeKind::kList;
}

std::vector<Node> users(const Graph& graph, Node node) {
  std::vector<Node> result;
  for (const Use use : graph.uses(node)) result.push_back(graph.node(use.user));
  return result;
}

bool only_projected(const Graph& graph, Node node) {
  for (Node user : users(graph, node)) {
    if (value_of(user).index < 0) return false;
  }
  return true;
}

// False if a result that is used has no replacement.
bool every_use_has_one(const Graph& graph, Node node, const std::vector<Node>& results) {
  for (Node user : users(graph, node)) {
    const size_t index = is_tuple(node) ? static_cast<size_t>(value_of(user).index) : 0;
    if (index >= results.size() || !results[index]) return false;
  }
  return true;
}

void replace(Graph& graph, Node node, const std::vector<Node>& results) {
  if (!is_tuple(node)) {
    graph.replace_all_uses(node, results[0]);
  } else {
    for (Node projection : users(graph, node)) {
      graph.replace_all_uses(projection, results[static_cast<size_t>(value_of(projection).index)]);
      graph.erase(projection);
    }
  }
  graph.erase(node);
}

bool expand(Graph& graph, Node node, const OpRow& row) {
  if (is_tuple(node) && !only_projected(graph, node)) return false;
  const size_t first_new = graph.id_limit();
  graph.set_insertion_point(node);
  const Result<std::vector<Node>> results = row.expand(graph, node);
  graph.set_insertion_point({});
  if (!results || !every_use_has_one(graph, node, *results)) {
    remove_nodes_from(graph, first_new);
    return false;
  }
  for (size_t id = first_new; id < graph.id_limit(); ++id) {
    graph.inherit_meta(graph.node(NodeId{static_cast<uint32_t>(id)}), node);
  }
  replace(graph, node, *results);
  return true;
}

}  // namespace

Changed expand_composites(Graph& graph, const std::function<bool(Node)>& chosen) {
  Changed changed = Changed::kNo;
  for (Node node : graph.nodes()) {
    const OpRow* row = op_row(node);
    if (row == nullptr || !row->expand || !chosen(node)) continue;
    if (expand(graph, node, *row)) changed = Changed::kYes;
  }
  return changed;
}

Changed expand_composites(Graph& graph) {
  return expand_composites(graph, [](Node) { return true; });
}

NFX_PASS(expand_composites, "replace composites by the simpler ops that their rows name");

}  // namespace nfx
