// Copies of graphs, and their comparison.
#include <algorithm>

#include "ir/graph.h"

namespace nfx {
namespace {

std::vector<StringId> user_names(Node node) {
  std::vector<StringId> names;
  for (const NodeId user : distinct_users(node)) {
    names.push_back(node.graph().table().records[user.value].name);
  }
  return names;
}

bool same_operands(Node a, Node b) {
  if (a.num_operands() != b.num_operands()) return false;
  for (uint32_t i = 0; i < a.num_operands(); ++i) {
    const StringId name = a.graph().table().records[a.operand(i).id().value].name;
    if (b.graph().table().records[b.operand(i).id().value].name != name) return false;
  }
  return true;
}

bool same_node(Node a, Node b) {
  const NodeRecord& x = a.graph().table().records[a.id().value];
  const NodeRecord& y = b.graph().table().records[b.id().value];
  return x.kind == y.kind && x.name == y.name && x.target == y.target &&
         x.target_object == y.target_object && x.arguments == y.arguments && x.type == y.type &&
         a.graph().meta(a) == b.graph().meta(b) && same_operands(a, b) &&
         user_names(a) == user_names(b);
}

bool differ(std::string* difference, std::string text) {
  if (difference != nullptr) *difference = std::move(text);
  return false;
}

bool same_attribute(const Attribute& a, const Attribute& b, std::string* difference) {
  if (a.object != b.object) return differ(difference, "other object");
  if (!a.subgraph || !b.subgraph) {
    return a.subgraph == b.subgraph || differ(difference, "a subgraph is missing");
  }
  return equal(*a.subgraph, *b.subgraph, difference);
}

bool same_module(const Graph& a, const Graph& b, std::string* difference) {
  if (a.name() != b.name()) return differ(difference, "graph name: " + a.name() + " | " + b.name());
  if (a.properties() != b.properties()) return differ(difference, "properties");
  const auto same_key = [](const auto& x, const auto& y) { return x.first == y.first; };
  if (!std::ranges::equal(a.attributes(), b.attributes(), same_key)) {
    return differ(difference, "names of attributes");
  }
  for (const auto& [name, attribute] : a.attributes()) {
    std::string inner;
    if (!same_attribute(attribute, b.attributes().find(name)->second, &inner)) {
      return differ(difference, "attribute " + name + ": " + inner);
    }
  }
  return true;
}

// Ids of two contexts do not compare, but the text says everything.
bool same_text(const Graph& a, const Graph& b, std::string* difference) {
  const std::string x = print(a), y = print(b);
  if (x == y) return true;
  const auto line_at = [](const std::string& text, size_t position) {
    const size_t start = text.rfind('\n', position == 0 ? 0 : position - 1) + 1;
    return text.substr(start, text.find('\n', position) - start);
  };
  const size_t position = static_cast<size_t>(std::ranges::mismatch(x, y).in1 - x.begin());
  return differ(difference, line_at(x, position) + "\n" + line_at(y, std::min(position, y.size())));
}

// The node alone; its operand slots are there, but empty.
NodeId copy_record(const NodeRecord& from, NodeTable& to) {
  const NodeId id = to.append_record({});
  NodeRecord& record = to.records[id.value];
  record.kind = from.kind;
  record.name = from.name;
  record.target = from.target;
  record.target_object = from.target_object;
  record.arguments = from.arguments;
  record.type = from.type;
  record.first_operand = static_cast<uint32_t>(to.slots.size());
  record.num_operands = from.num_operands;
  to.slots.resize(to.slots.size() + from.num_operands, {.user = id});
  return id;
}

// Uses in their order, which fills the operands too: each slot is one use.
void copy_uses(const Graph& from, NodeTable& to, std::span<const NodeId> new_ids) {
  for (const Node node : from.nodes()) {
    for (const Use use : from.uses(node)) {
      const NodeId user = new_ids[use.user.value];
      const uint32_t slot = to.records[user.value].first_operand + use.index;
      to.slots[slot].value = new_ids[node.id().value];
      to.append_use(slot);
    }
  }
}

}  // namespace

bool equal(const Graph& a, const Graph& b, std::string* difference) {
  if (&a.context() != &b.context()) return same_text(a, b, difference);
  if (!same_module(a, b, difference)) return false;
  Node x = a.first(), y = b.first();
  for (; x && y; x = x.next(), y = y.next()) {
    if (!same_node(x, y)) return differ(difference, print(x) + "\n" + print(y));
  }
  if (!x && !y) return true;
  return differ(difference, "only one has " + print(x ? x : y));
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(context_, name_);
  NodeTable& to = copy->table_;
  to.records.reserve(size() + 1);
  std::vector<NodeId> new_ids(id_limit());
  for (const Node node : nodes()) {
    const NodeRecord& from = table_.records[node.id().value];
    const NodeId id = copy_record(from, to);
    if (from.meta) copy->set_meta(copy->node(id), metas_[from.meta.value]);
    new_ids[node.id().value] = id;
  }
  copy_uses(*this, to, new_ids);
  for (const auto& [name, attribute] : attributes_) {
    Attribute& own = copy->attributes_[name];
    own.object = attribute.object;
    if (attribute.subgraph) own.subgraph = attribute.subgraph->clone();
  }
  copy->properties_ = properties_;
  return copy;
}

}  // namespace nfx
