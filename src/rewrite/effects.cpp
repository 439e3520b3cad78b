#include "rewrite/effects.h"

namespace nfx {
namespace {

// `operator.mul(%s0, 2)`: what a graph computes sizes with.
bool is_arithmetic_of_numbers(Node node) {
  if (node.kind() != NodeKind::kCallFunction || node.num_operands() == 0) return false;
  if (node.type().kind != TypeKind::kScalar || !node.type().expr) return false;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i).type().kind != TypeKind::kScalar) return false;
  }
  return true;
}

}  // namespace

bool is_pure(Node node) {
  if (node.kind() == NodeKind::kGetAttr) return true;
  const OpInfo* op = node.op();
  if (op == nullptr) return value_of(node).index >= 0 || is_arithmetic_of_numbers(node);
  if (!op->has(Trait::kPure) || op->has(Trait::kRandom)) return false;
  if (op->has(Trait::kMutates) || op->has(Trait::kEffect)) return false;
  return op->schema == nullptr || !op->schema->writes();
}

}  // namespace nfx
