#include "compiler/memory_roots.h"

#include <numeric>

#include "compiler/call_arguments.h"

namespace nfx {
namespace {

void append_values(const ValueTable& values, ArgumentView argument, std::vector<ValueId>& out) {
  if (!argument) return;
  if (argument.is_node()) {
    const ValueId value = values.of(argument.node());
    if (value != kNoValue) out.push_back(value);
    return;
  }
  for (size_t i = 0; i < argument.size(); ++i) append_values(values, argument.child(i), out);
}

// The results' alias sets that an argument's set can end up in.
bool shares(const SchemaAlias& argument, const SchemaAlias& result) {
  if (!argument || !result) return false;
  if (argument.before == "*" || result.before == "*" || argument.after == "*") return true;
  return argument.before == result.before || argument.after == result.before;
}

}  // namespace

std::vector<ValueId> argument_values(const ValueTable& values, const Schema& schema, Node node,
                                     size_t position) {
  std::vector<ValueId> found;
  append_values(values, call_argument(node, schema, position), found);
  return found;
}

MemoryRoots::MemoryRoots(const Graph& graph, const ValueTable& values, const Runners& runners)
    : values_(values),
      runners_(runners),
      root_(values.size()),
      may_share_(values.size()),
      escapes_(values.size(), false),
      family_(values.size()) {
  std::iota(root_.begin(), root_.end(), 0);
  std::iota(family_.begin(), family_.end(), 0);
  for (const Node node : graph.nodes()) visit(node);
  for (const Node node : graph.nodes()) {
    const bool leaves =
        node.kind() == NodeKind::kOutput || runners.of(node).runner == Runner::kPython;
    if (!leaves) continue;
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const ValueId value = values.of(node.operand(i));
      if (value != kNoValue) escape(value);
    }
  }
}

void MemoryRoots::visit(Node node) {
  const NodeRunner& choice = runners_.of(node);
  if (choice.runner == Runner::kView) {
    const ValueId base = values_.of(node.operand(0));
    for (uint32_t i = 0; base != kNoValue && i < values_.count(node); ++i) {
      root_[values_.of(node, values_.is_tuple(node) ? static_cast<int32_t>(i) : -1)] = root_[base];
    }
    return;
  }
  if (choice.runner != Runner::kAten && choice.runner != Runner::kPython) return;
  std::vector<ValueId> shared;
  if (!choice.call) {  // Python code: anything may share
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const ValueId value = values_.of(node.operand(i));
      if (value != kNoValue) shared.push_back(value);
    }
  } else {
    const Schema& schema = choice.call->schema();
    for (size_t i = 0; i < schema.args.size(); ++i) {
      for (const SchemaArg& result : schema.results) {
        if (!shares(schema.args[i].alias, result.alias)) continue;
        for (const ValueId value : argument_values(values_, schema, node, i)) {
          shared.push_back(value);
        }
        break;
      }
    }
  }
  share_operands(node, shared);
}

void MemoryRoots::share_operands(Node node, const std::vector<ValueId>& shared) {
  for (uint32_t i = 0; i < values_.count(node); ++i) {
    const ValueId result = values_.of(node, values_.is_tuple(node) ? static_cast<int32_t>(i) : -1);
    if (values_.type(result).kind != TypeKind::kTensor) continue;
    for (const ValueId value : shared) {
      if (values_.type(value).kind != TypeKind::kTensor) continue;
      may_share_[result].push_back(root_[value]);
      family_[family(result)] = family(root_[value]);
    }
  }
}

ValueId MemoryRoots::family(ValueId value) const {
  ValueId root = root_[value];
  while (family_[root] != root) root = family_[root] = family_[family_[root]];
  return root;
}

void MemoryRoots::escape(ValueId value) {
  const ValueId root = root_[value];
  if (escapes_[root]) return;
  escapes_[root] = true;
  for (const ValueId other : may_share_[root]) escape(other);
}

std::vector<ValueId> MemoryRoots::written(Node node) const {
  std::vector<ValueId> roots;
  const NodeRunner& choice = runners_.of(node);
  if (!choice.call) return roots;
  const Schema& schema = choice.call->schema();
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (!schema.args[i].alias.write) continue;
    for (const ValueId value : argument_values(values_, schema, node, i)) {
      roots.push_back(root_[value]);
    }
  }
  return roots;
}

}  // namespace nfx
