#include "ir/graph.h"

#include <algorithm>
#include <cassert>

#include "ir/graph_names.h"

namespace nfx {

Graph::Graph(std::shared_ptr<Context> context, std::string_view name)
    : context_(std::move(context)),
      name_(name),
      metas_(1),
      names_(std::make_unique<Names>(table_)) {
  assert(context_ != nullptr && "a graph needs a context");
}

Graph::~Graph() = default;

NodeRange Graph::nodes() const { return {const_cast<Graph*>(this), table_.first}; }
Node Graph::first() const { return node(table_.first); }
Node Graph::last() const { return node(table_.last); }

Node Graph::find(std::string_view name) { return find(context_->find_text(name)); }

Node Graph::find(StringId name) {
  names_->update();
  return node(names_->find(name));
}

std::vector<Node> Graph::placeholders() const {
  std::vector<Node> found;
  for (const Node node : nodes()) {
    if (node.kind() == NodeKind::kPlaceholder) found.push_back(node);
  }
  return found;
}

Node Graph::output() const {
  for (Node node = last(); node; node = node.prev()) {
    if (node.kind() == NodeKind::kOutput) return node;
  }
  return {};
}

UseRange Graph::uses(Node node) const {
  return {&table_, table_.records[node.id().value].first_use};
}

void Graph::reserve(size_t nodes) {
  table_.records.reserve(table_.records.size() + nodes);
  table_.slots.reserve(table_.slots.size() + 2 * nodes);
  metas_.reserve(metas_.size() + nodes);
}

Node Graph::add(NodeKind kind, std::string_view target, ArgId arguments,
                std::span<const Node> operands, std::string_view name, TypeId type) {
  names_->update();
  const StringId called = context_->intern(target);
  const StringId unique = name.empty() ? names_->make_default(*context_, kind, called)
                                       : names_->make_unique(*context_, name);
  return add_named(kind, called, arguments, operands, unique, type);
}

Node Graph::add_named(NodeKind kind, StringId target, ArgId arguments,
                      std::span<const Node> operands, StringId name, TypeId type) {
  const NodeId id = table_.append_record(insert_before_);
  NodeRecord& record = table_.records[id.value];
  record.kind = kind;
  record.target = target;
  record.type = type;
  record.name = name;
  names_->update();
  set_arguments(node(id), arguments, operands);
  return node(id);
}

Node Graph::call_of_nodes(std::string_view target, std::initializer_list<Operand> operands,
                          TypeId type) {
  std::array<Node, kFewOperands> nodes;
  std::array<ArgId, kFewOperands> holes;
  const size_t count = operands.size();
  std::ranges::transform(operands, nodes.begin(), &Operand::node);
  ArgId& known = calls_of_nodes_[count];
  if (!known) {
    holes.fill(context_->hole());
    known = context_->call(std::span(holes).first(count));
  }
  return add(NodeKind::kCallFunction, target, known, std::span(nodes).first(count), {}, type);
}

Node Graph::call(std::string_view target, std::initializer_list<Operand> operands, TypeId type) {
  const auto is_node = [](const Operand& operand) { return static_cast<bool>(operand.node); };
  if (operands.size() <= kFewOperands && std::ranges::all_of(operands, is_node)) {
    return call_of_nodes(target, operands, type);
  }
  std::vector<ArgId> arguments;
  std::vector<Node> nodes;
  for (const Operand& operand : operands) {
    arguments.push_back(operand.node ? context_->hole() : operand.constant);
    if (operand.node) nodes.push_back(operand.node);
  }
  return add(NodeKind::kCallFunction, target, context_->call(arguments), nodes, {}, type);
}

void Graph::set_operand(Node node, uint32_t index, Node value) {
  assert(index < node.num_operands() && "no such operand");
  const uint32_t slot = table_.records[node.id().value].first_operand + index;
  if (table_.slots[slot].value == value.id()) return;
  table_.remove_use(slot);
  table_.slots[slot].value = value.id();
  table_.append_use(slot);
}

void Graph::set_arguments(Node node, ArgId arguments, std::span<const Node> operands) {
  assert(operands.size() == context_->arg(arguments).holes && "one operand for each hole");
  std::vector<NodeId>& ids = operand_ids_;
  ids.clear();
  for (const Node operand : operands) ids.push_back(operand.id());
  table_.records[node.id().value].arguments = arguments;
  table_.assign_operands(node.id(), ids);
}

void Graph::set_target(Node node, std::string_view target, OpaqueId object) {
  NodeRecord& record = table_.records[node.id().value];
  record.target = context_->intern(target);
  record.target_object = object;
}

void Graph::set_type(Node node, TypeId type) { table_.records[node.id().value].type = type; }

void Graph::set_name(Node node, std::string_view name) {
  names_->update();
  NodeRecord& record = table_.records[node.id().value];
  record.name = {};  // its own name is free to it
  record.name = names_->make_unique(*context_, name);
  names_->insert(record.name, node.id());
}

void Graph::replace_all_uses(Node node, Node with) {
  if (node == with) return;
  for (const Use use : uses(node)) {
    if (use.user != with.id()) set_operand(this->node(use.user), use.index, with);
  }
}

void Graph::move_before(Node node, Node other) {
  if (node == other || node.next() == other) return;
  table_.unlink(node.id());
  table_.link_before(node.id(), other.id());
}

void Graph::erase(Node node) {
  assert(!node.has_uses() && "a node with uses cannot be erased");
  NodeRecord& record = table_.records[node.id().value];
  assert(!record.erased && "a node is erased once");
  if (insert_before_ == node.id()) insert_before_ = record.next;
  table_.release_operands(node.id());
  table_.unlink(node.id());
  record.erased = true;
}

void Graph::set_meta(Node node, NodeMeta meta) {
  table_.records[node.id().value].meta = {static_cast<uint32_t>(metas_.size())};
  metas_.push_back(meta);
}

const NodeMeta& Graph::meta(Node node) const {
  return metas_[table_.records[node.id().value].meta.value];
}

void Graph::inherit_meta(Node node, Node replaced) {
  const MetaId from = table_.records[replaced.id().value].meta;
  if (!from || metas_[from.value].derived) {
    table_.records[node.id().value].meta = from;
    return;
  }
  NodeMeta meta = metas_[from.value];
  meta.derived = true;
  set_meta(node, meta);
}

void Graph::order_users(Node node, std::span<const Node> users) {
  std::vector<std::pair<NodeId, size_t>> rank;  // sorted by id
  for (size_t i = 0; i < users.size(); ++i) rank.emplace_back(users[i].id(), i);
  std::ranges::sort(rank);
  std::vector<std::pair<size_t, uint32_t>> order;  // rank of the user, slot
  for (uint32_t slot = table_.records[node.id().value].first_use; slot != kNoSlot;
       slot = table_.slots[slot].next_use) {
    const auto found =
        std::ranges::lower_bound(rank, std::pair(table_.slots[slot].user, size_t{0}));
    const bool listed = found != rank.end() && found->first == table_.slots[slot].user;
    order.emplace_back(listed ? found->second : users.size(), slot);
  }
  std::ranges::sort(order);
  for (const auto& [user, slot] : order) {
    table_.remove_use(slot);
    table_.append_use(slot);
  }
}

}  // namespace nfx
