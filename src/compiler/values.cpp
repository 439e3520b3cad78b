#include "compiler/values.h"

namespace nfx {

ValueTable::ValueTable(const Graph& graph)
    : graph_(&graph), context_(&graph.context()), entries_(graph.id_limit()) {
  for (const Node node : graph.nodes()) {
    if (value_of(node).index >= 0) continue;  // a projection
    const Type& type = node.type();
    Entry& entry = entries_[node.id().value];
    entry.first = static_cast<ValueId>(types_.size());
    entry.tuple = type.kind == TypeKind::kTuple || type.kind == TypeKind::kList;
    entry.count = entry.tuple ? static_cast<uint32_t>(type.elements.size()) : 1;
    for (uint32_t i = 0; i < entry.count; ++i) {
      types_.push_back(entry.tuple ? type.elements[i] : node.type_id());
      producers_.push_back(node.id());
    }
  }
}

ValueId ValueTable::of(Node node) const { return of(node, -1); }

ValueId ValueTable::of(Node node, int32_t result) const {
  const NodeValue value = value_of(node);
  if (result < 0 && value.index >= 0) return of(value.node, value.index);
  const Entry& entry = entries_[node.id().value];
  if (result < 0) return entry.tuple ? kNoValue : entry.first;
  return static_cast<uint32_t>(result) < entry.count ? entry.first + static_cast<uint32_t>(result)
                                                     : kNoValue;
}

}  // namespace nfx
