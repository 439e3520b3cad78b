#include "passes/remove_noops.h"

#include "ir/argument_view.h"
#include "rewrite/driver.h"
#include "rewrite/effects.h"
#include "rewrite/memory_facts.h"
#include "rewrite/pattern_ops.h"

namespace nfx {
namespace {

RuleSet make_rules() {
  using namespace pattern;  // NOLINT: the words of this function
  RuleSet rules("remove_noops");
  const Var x("x");
  const Number p("p"), training("training");
  const Rest rest;
  // The type is the same on both sides, so these copy without change.
  rules.rewrite(clone(x, rest), x);
  rules.rewrite(contiguous(x, rest), x);
  rules.rewrite(reshape(x, rest), x);
  rules.rewrite(to(x, rest), x);
  rules.rewrite(repeat(x, rest), x);
  rules.rewrite(dropout(x, p, 0), x).draws_nothing = true;
  rules.rewrite(dropout(x, 0, training), x).draws_nothing = true;
  return rules;
}

const RuleSet& noop_rules() {
  static const RuleSet rules = make_rules();
  return rules;
}

NFX_RULES(noop_rules);

// On the same memory with the same sizes, strides and offset. `as_strided` counts
// its offset from the start of the storage, which a type may not tell.
bool is_identical_view(Node node) {
  if (!node.has(Trait::kView) || !is_pure(node) || node.num_operands() == 0) return false;
  const Type& type = node.type();
  if (type.kind != TypeKind::kTensor || (type.rank() > 0 && type.strides.empty())) return false;
  return node.operand(0).type_id() == node.type_id() && !argument(node, "storage_offset");
}

}  // namespace

Changed remove_noops(Graph& graph) {
  const RuleSet* const sets[] = {&noop_rules()};
  Changed changed = apply_rules(graph, sets) > 0 ? Changed::kYes : Changed::kNo;
  MemoryFacts memory(graph);
  for (const Node node : graph.nodes()) {
    if (!is_identical_view(node)) continue;
    const Node source = node.operand(0);
    if (!memory.may_replace(node, source)) continue;
    memory.replaced(node, source);
    graph.replace_all_uses(node, source);
    graph.erase(node);
    changed = Changed::kYes;
  }
  return changed;
}

NFX_PASS(remove_noops, "remove nodes whose result is their input");

}  // namespace nfx
