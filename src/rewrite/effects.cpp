#include "rewrite/effects.h"

namespace nfx {

bool is_pure(Node node) {
  if (node.kind() == NodeKind::kGetAttr) return true;
  const OpInfo* op = node.op();
  if (op == nullptr) return value_of(node).index >= 0;
  if (!op->has(Trait::kPure) || op->has(Trait::kRandom)) return false;
  if (op->has(Trait::kMutates) || op->has(Trait::kEffect)) return false;
  return op->schema == nullptr || !op->schema->writes();
}

}  // namespace nfx
