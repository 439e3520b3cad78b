#include "ir/printer.h"

#include <algorithm>

#include "ir/spelling.h"

namespace nfx {
namespace {

std::string_view kind_word(NodeKind kind) {
  switch (kind) {
    case NodeKind::kPlaceholder: return "placeholder";
    case NodeKind::kGetAttr: return "get_attr";
    case NodeKind::kCallFunction: return "call";
    case NodeKind::kCallMethod: return "method";
    case NodeKind::kCallModule: return "module";
    case NodeKind::kOutput: return "output";
  }
  return "call";
}

// Users in the order of their first use, each once; empty if that is the order
// of the graph, which is what reading the text gives.
std::vector<NodeId> unusual_users(Node node) {
  const Graph& graph = node.graph();
  const auto& records = graph.table().records;
  uint64_t last = 0;
  bool usual = true;
  for (const Use use : graph.uses(node)) {
    usual = usual && records[use.user.value].order >= last;
    last = records[use.user.value].order;
  }
  if (usual) return {};
  std::vector<NodeId> users = distinct_users(node);
  const auto in_order = [&](NodeId a, NodeId b) {
    return records[a.value].order < records[b.value].order;
  };
  if (std::ranges::is_sorted(users, in_order)) return {};
  return users;
}

}  // namespace

void Printer::target(Node node) {
  const std::string_view text = node.target();
  const NodeKind kind = node.kind();
  if (kind == NodeKind::kOutput && text == "output" && !node.target_object()) return;
  out_ += ' ';
  if (kind == NodeKind::kCallFunction) {
    spell_name(out_, text);
  } else {
    spell_string(out_, text);
  }
  handle(node.target_object(), text);
}

void Printer::meta(Node node) {
  const NodeMeta& meta = node.graph().meta(node);
  std::string_view separator = " meta(";
  const auto part = [&] {
    out_ += separator;
    separator = ", ";
  };
  if (meta.object) {
    part();
    out_ += '#';
    spell_int(out_, context_.opaque_number(meta.object));
  }
  if (meta.derived) {
    part();
    out_ += "derived";
  }
  if (meta.source) {
    part();
    out_ += "source ";
    spell_string(out_, context_.text(meta.source));
  }
  if (meta.module_path) {
    part();
    out_ += "module ";
    spell_string(out_, context_.text(meta.module_path));
  }
  if (separator == ", ") out_ += ')';
}

void Printer::users(Node node) {
  std::string_view separator = " users(";
  for (const NodeId user : unusual_users(node)) {
    out_ += separator;
    node_name(node.graph().node(user));
    separator = ", ";
  }
  if (separator == ", ") out_ += ')';
}

void Printer::node(Node node) {
  const NodeKind kind = node.kind();
  if (kind != NodeKind::kOutput || node.name() != "output") {
    node_name(node);
    out_ += " = ";
  }
  out_ += kind_word(kind);
  target(node);
  call(node.arguments(), node, kind != NodeKind::kPlaceholder && kind != NodeKind::kGetAttr);
  if (options_.types && node.type_id()) {
    out_ += " : ";
    type(node.type_id());
  }
  if (!options_.meta) return;
  meta(node);
  users(node);
}

void Printer::attributes(const Graph& graph, int depth) {
  for (const auto& [name, object] : graph.properties()) {
    indent(depth);
    out_ += "property ";
    spell_string(out_, name);
    out_ += " = ";
    opaque(object);
    out_ += '\n';
  }
  for (const auto& [name, attribute] : graph.attributes()) {
    indent(depth);
    out_ += "attribute ";
    spell_string(out_, name);
    out_ += " =";
    if (attribute.object || !attribute.subgraph) {
      out_ += ' ';
      opaque(attribute.object);
    }
    if (attribute.subgraph) {
      out_ += ' ';
      this->graph(*attribute.subgraph, depth);
    }
    out_ += '\n';
  }
}

void Printer::graph(const Graph& graph, int depth) {
  out_ += "graph @";
  spell_name(out_, graph.name());
  out_ += " {";
  if (depth > kMaxNesting) {
    out_ += " }";
    return;
  }
  out_ += '\n';
  attributes(graph, depth + 1);
  for (const Node node : graph.nodes()) {
    indent(depth + 1);
    this->node(node);
    out_ += '\n';
  }
  indent(depth);
  out_ += '}';
}

void Printer::file(const Graph& graph) {
  symbols(graph);
  this->graph(graph, 0);
  out_ += '\n';
}

std::vector<NodeId> distinct_users(Node node) {
  std::vector<std::pair<NodeId, uint32_t>> first;  // position of the first use
  uint32_t position = 0;
  for (const Use use : node.graph().uses(node)) first.emplace_back(use.user, position++);
  std::ranges::sort(first);
  const auto same_user = [](const auto& a, const auto& b) { return a.first == b.first; };
  first.erase(std::unique(first.begin(), first.end(), same_user), first.end());
  std::ranges::sort(first, {}, [](const auto& entry) { return entry.second; });
  std::vector<NodeId> users;
  users.reserve(first.size());
  for (const auto& entry : first) users.push_back(entry.first);
  return users;
}

std::string print(const Graph& graph, const PrintOptions& options) {
  Printer printer(graph.context(), options);
  printer.file(graph);
  return printer.take();
}

std::string print(Node node) {
  Printer printer(node.graph().context(), {.types = true, .meta = false});
  printer.node(node);
  return printer.take();
}

}  // namespace nfx
