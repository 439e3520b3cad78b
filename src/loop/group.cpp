#include "loop/group.h"

#include <algorithm>
#include <utility>

#include "loop/join.h"

namespace nfx {
namespace {

bool is_tensor(Node node) { return node.type().kind == TypeKind::kTensor; }

bool reads_memory(Node node) {
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (is_tensor(node.operand(i))) return true;
  }
  return false;
}

bool is_read(const OpRow& row, uint32_t operand) {
  return (row.read_operands >> std::min(operand, 31u) & 1u) != 0;
}

SymExprId element_count(Context& context, Node node) {
  SymExprId count = sym_int(context, 1);
  for (const SymExprId size : node.type().sizes) count = sym_mul(context, count, size);
  return count;
}

// Whether a user, perhaps of a view, has more elements than `count`.
bool is_spread_out(const Graph& graph, Node node, SymExprId count) {
  Context& context = graph.context();
  for (const Use use : graph.uses(node)) {
    const Node user = graph.node(use.user);
    const OpRow* row = op_row(user);
    if (row == nullptr || row->fold || !is_tensor(user)) continue;
    const bool is_view = user.has(Trait::kView);
    if (is_view ? is_spread_out(graph, user, count)
                : !known_equal(context, element_count(context, user), count))
      return true;
  }
  return false;
}

}  // namespace

Grouping::Grouping(const Graph& graph)
    : graph_(graph),
      context_(graph.context()),
      located_(graph.id_limit()),
      levels_(graph.id_limit(), 0),
      inline_(graph.id_limit(), false),
      feeds_edges_(graph.id_limit(), false),
      last_(graph.id_limit(), std::numeric_limits<int32_t>::max()) {
  find_edge_folds();
}

void Grouping::find_edge_folds() {
  for (Node node = graph_.last(); node; node = node.prev()) {
    for (const Use use : graph_.uses(node)) {
      const Node user = graph_.node(use.user);
      const OpRow* row = op_row(user);
      if (row == nullptr) continue;
      if (row->fold) {
        const Result<Fold> fold = row->fold(user);
        if (fold && fold->offsets && fold->input == node) feeds_edges_[node.id().value] = true;
      } else if (row->element && feeds_edges_[use.user.value]) {
        feeds_edges_[node.id().value] = true;
      }
    }
  }
}

void Grouping::visit(Node node, const Eligibility& eligibility) {
  switch (eligibility.role) {
    case FuseRole::kNone: visit_other(node); break;
    case FuseRole::kView:
    case FuseRole::kProjection: visit_alias(node, eligibility.role); break;
    case FuseRole::kElement: visit_element(node, *op_row(node)); break;
    case FuseRole::kFold: visit_fold(node, *op_row(node)); break;
    case FuseRole::kInline: visit_inline(node); break;
  }
  highest_ = std::max(highest_, level(node));
}

int32_t Grouping::next_level(Node node) const {
  int32_t level = floor_;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    level = std::max(level, levels_[node.operand(i).id().value]);
  }
  return level + 1;
}

void Grouping::visit_other(Node node) {
  int32_t& level = levels_[node.id().value];
  if (node.kind() == NodeKind::kPlaceholder || node.kind() == NodeKind::kGetAttr) return;
  if (node.type().kind == TypeKind::kScalar && node.type().expr) return;  // an expression, no step
  level = next_level(node);
  if (node.has(Trait::kMutates) || node.has(Trait::kEffect)) {
    // Nothing computed later may move before the write, nothing earlier after it.
    keep_reads(node);
    level = std::max(level, highest_ + 1);
    floor_ = level;
  }
}

bool Grouping::is_used_behind(Node value, Node write) const {
  for (const Use use : graph_.uses(value)) {
    const Node user = graph_.node(use.user);
    if (write.before(user)) return true;
    if (is_inline(user) && is_used_behind(user, write)) return true;
  }
  return false;
}

// Inline values that read memory and are needed behind a write go to memory before it.
void Grouping::keep_reads(Node write) {
  for (Node value : std::exchange(reads_, {})) {
    if (!is_used_behind(value, write)) continue;
    materialise(value);
    highest_ = std::max(highest_, level(value));
    last_[value.id().value] = highest_;
  }
}

void Grouping::visit_inline(Node node) {
  if (const OpRow* row = op_row(node); row != nullptr && visit_spread(node, *row)) return;
  inline_[node.id().value] = true;
  if (!node.has(Trait::kView) && reads_memory(node)) reads_.push_back(node);
  levels_[node.id().value] = next_level(node) - 1;
}

void Grouping::visit_alias(Node node, FuseRole role) {
  const Node input = node.operand(0);
  if (role == FuseRole::kView && is_inline(input)) return visit_inline(node);
  levels_[node.id().value] = level(input);
  const int32_t group = group_of(input);
  if (group < 0) return;
  Group& home = groups_[static_cast<size_t>(group)];
  std::vector<Split> splits;
  std::optional<DimMap> map = role == FuseRole::kProjection
                                  ? std::optional<DimMap>(located(input).map)
                                  : view_map(node, located(input).map, home.domain, splits);
  if (!map) return;
  for (const std::vector<NodeId>* ids : {&home.members, &home.aliases}) {
    for (NodeId id : *ids) {
      for (const Split& split : splits) {
        follow(split, located_[id.value].map);
        if (located_[id.value].fold_map) follow(split, *located_[id.value].fold_map);
      }
    }
  }
  located_[node.id().value] = {group, std::move(*map), {}, located(input).last};
  home.aliases.push_back(node.id());
}

// Whether it is read along edges, or follows element by element from what is, and
// is in no memory.
bool Grouping::is_edge_value(Node value) const {
  while (is_inline(value) && value.has(Trait::kView)) value = value.operand(0);
  const OpRow* row = op_row(value);
  return is_inline(value) && row != nullptr && (row->along_edges || row->has(Trait::kPointwise));
}

// Whether a pointwise result has more elements than each of its operands holds.
bool Grouping::is_outer_product(Node node) const {
  const SymExprId count = element_count(context_, node);
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    Node operand = node.operand(i);
    while (operand.has(Trait::kView)) operand = operand.operand(0);
    if (is_tensor(operand) && known_equal(context_, element_count(context_, operand), count))
      return false;
  }
  return true;
}

// Values of edges are many and follow from values of nodes, which are few: they are
// computed again by each of their users rather than stored. Not where one of them
// is needed for many elements, and not where it belongs to the loop of a node.
bool Grouping::is_computed_again(Node node) const {
  if (!node.has(Trait::kPointwise)) return false;
  bool has_edges = feeds_edges(node) && is_outer_product(node);
  for (uint32_t i = 0; i < node.num_operands() && !has_edges; ++i) {
    const Node operand = node.operand(i);
    has_edges = is_edge_value(operand);
  }
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    const int32_t group = group_of(node.operand(i));
    const bool in_loop = group >= 0 && groups_[static_cast<size_t>(group)].domain.is_ragged();
    if (in_loop && !is_outer_product(node)) return false;
  }
  return has_edges && !is_spread_out(graph_, node, element_count(context_, node));
}

void Grouping::visit_element(Node node, const OpRow& row) {
  if (is_computed_again(node)) return visit_inline(node);
  std::vector<Node> aligned;
  int32_t read_level = floor_;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    const Node operand = node.operand(i);
    if (!is_tensor(operand)) continue;
    if (is_read(row, i)) {
      read_level = std::max(read_level, level(operand));
    } else if (std::find(aligned.begin(), aligned.end(), operand) == aligned.end()) {
      aligned.push_back(operand);
    }
  }
  std::vector<int32_t> candidates;
  for (Node operand : aligned) {
    const int32_t group = group_of(operand);
    if (group >= 0 && groups_[static_cast<size_t>(group)].level > read_level)
      candidates.push_back(group);
  }
  std::sort(candidates.begin(), candidates.end(), [&](int32_t a, int32_t b) {
    return groups_[static_cast<size_t>(a)].level > groups_[static_cast<size_t>(b)].level;
  });
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (int32_t group : candidates) {
    Join join(*this, group);
    if (!join.element(node, aligned)) continue;
    join.commit(node);
    return;
  }
  start(node, node.type().sizes);
}

void Grouping::start(Node node, std::span<const SymExprId> sizes) {
  Group group(context_);
  group.level = next_level(node);
  DimMap map = fresh_map(context_, group.domain, sizes, false);
  groups_.push_back(std::move(group));
  place(node, static_cast<int32_t>(groups_.size()) - 1, std::move(map));
}

void Grouping::visit_fold(Node node, const OpRow& row) {
  Result<Fold> fold = row.fold(node);
  if (!fold) return visit_other(node);
  const int32_t home = group_of(fold->input);
  if (home >= 0 && groups_[static_cast<size_t>(home)].level > floor_) {
    Join join(*this, home);
    if (join.fold(*fold)) return join.commit(node);
  }
  Group group(context_);
  group.level = next_level(node);
  DimMap input = fresh_map(context_, group.domain, fold->input.type().sizes, false);
  DimMap map;
  if (fold->offsets) {
    if (input[0].empty()) input[0] = {group.domain.add(fold->input.type().sizes[0], false)};
    map = input;
    map[0] = {group.domain.make_ragged(input[0].front(), fold->offsets)};
  } else {
    for (int64_t d : fold->dims) {
      for (uint32_t dim : input[static_cast<size_t>(d)]) group.domain.set_inner(dim);
    }
    map = folded_map(input, *fold);
  }
  groups_.push_back(std::move(group));
  place(node, static_cast<int32_t>(groups_.size()) - 1, std::move(map), std::move(input));
}

// A row's value given to each of its edges is only a relabelling where the group
// walks those edges.
bool Grouping::visit_spread(Node node, const OpRow& row) {
  const Node input = node.operand(0);
  const int32_t group = group_of(input);
  if (!row.spread_over || group < 0 || located(input).last) return false;
  Group& home = groups_[static_cast<size_t>(group)];
  DimMap map = located(input).map;
  if (map.empty() || map[0].size() != 1) return false;
  const std::optional<uint32_t> edges = home.domain.edges_of(map[0][0], row.spread_over(node));
  if (!edges) return false;
  map[0] = {*edges};
  levels_[node.id().value] = home.level;
  located_[node.id().value] = {group, std::move(map), {}};
  home.aliases.push_back(node.id());
  return true;
}

void Grouping::materialise(Node node) { start(node, node.type().sizes); }

void Grouping::place(Node node, int32_t group, DimMap map, std::optional<DimMap> fold_map,
                     bool last) {
  located_[node.id().value] = {group, std::move(map), std::move(fold_map), last};
  levels_[node.id().value] = groups_[static_cast<size_t>(group)].level;
  groups_[static_cast<size_t>(group)].members.push_back(node.id());
}

}  // namespace nfx
