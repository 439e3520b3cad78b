#include "expr/expr.h"

#include <bit>
#include <cassert>

#include "expr/simplify.h"
#include "expr/value.h"

namespace nfx {
namespace {

uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

uint64_t hash_of(const ExprNode& node) {
  uint64_t hash = mix(static_cast<uint64_t>(node.op), static_cast<uint64_t>(node.dtype));
  for (ExprId operand : node.operands) hash = mix(hash, operand);
  return mix(hash, node.payload);
}

}  // namespace

ExprId ExprPool::add(const ExprNode& node) {
  if (auto simpler = simplify(*this, node)) return *simpler;
  return intern(node);
}

ExprId ExprPool::intern(const ExprNode& node) {
  if (2 * (nodes_.size() + 1) > table_.size()) grow();
  const size_t mask = table_.size() - 1;
  size_t slot = hash_of(node) & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    if (nodes_[table_[slot] - 1] == node) return table_[slot] - 1;
  }
  nodes_.push_back(node);
  table_[slot] = static_cast<uint32_t>(nodes_.size());
  return static_cast<ExprId>(nodes_.size() - 1);
}

void ExprPool::grow() {
  table_.assign(table_.empty() ? 64 : table_.size() * 2, 0);
  const size_t mask = table_.size() - 1;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    size_t slot = hash_of(nodes_[id]) & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<uint32_t>(id + 1);
  }
}

ExprId ExprPool::constant(Dtype dtype, double value) {
  assert(is_floating(dtype) && "an integer constant is given as int64");
  ExprNode node{ExprOp::kConst, dtype};
  node.payload = std::bit_cast<uint64_t>(round_to(dtype, value));
  return intern(node);
}

ExprId ExprPool::constant(Dtype dtype, int64_t value) {
  ExprNode node{ExprOp::kConst, dtype};
  node.payload = static_cast<uint64_t>(make_value(dtype, value).integer);
  return intern(node);
}

ExprId ExprPool::leaf(ExprOp op, Dtype dtype, uint64_t payload) {
  assert(is_leaf(op) && "only leaves have no operands");
  ExprNode node{op, dtype};
  node.payload = payload;
  return intern(node);
}

ExprId ExprPool::load(uint32_t buffer, Dtype dtype, ExprId offset, ExprId guard) {
  return add({ExprOp::kLoad, dtype, {offset, guard, kNoExpr}, buffer});
}

Expr unary(ExprOp op, Expr x) {
  const Dtype dtype = is_predicate(op) ? Dtype::kBool : x.dtype();
  return {x.pool, x.pool->add({op, dtype, {x.id, kNoExpr, kNoExpr}})};
}

Expr binary(ExprOp op, Expr x, Expr y) {
  assert(x.pool == y.pool && "operands live in one pool");
  assert(x.dtype() == y.dtype() && "operands of one operator have one dtype");
  const Dtype dtype = is_predicate(op) ? Dtype::kBool : x.dtype();
  return {x.pool, x.pool->add({op, dtype, {x.id, y.id, kNoExpr}})};
}

Expr select(Expr condition, Expr if_true, Expr if_false) {
  assert(condition.dtype() == Dtype::kBool && "a condition is bool");
  assert(if_true.dtype() == if_false.dtype() && "both branches have one dtype");
  ExprPool* pool = condition.pool;
  const ExprNode node{ExprOp::kSelect, if_true.dtype(), {condition.id, if_true.id, if_false.id}};
  return {pool, pool->add(node)};
}

Expr cast(Expr x, Dtype dtype) {
  return {x.pool, x.pool->add({ExprOp::kCast, dtype, {x.id, kNoExpr, kNoExpr}})};
}

Expr literal(Expr like, double value) { return literal(*like.pool, like.dtype(), value); }

Expr literal(ExprPool& pool, Dtype dtype, double value) {
  if (is_floating(dtype)) return {&pool, pool.constant(dtype, value)};
  const auto integer = static_cast<int64_t>(value);
  assert(static_cast<double>(integer) == value && "an integral literal has no fraction");
  return {&pool, pool.constant(dtype, integer)};
}

void append_post_order(const ExprPool& pool, ExprId root, std::vector<bool>& seen,
                       std::vector<ExprId>& order) {
  if (seen.size() < pool.size()) seen.resize(pool.size(), false);
  if (root == kNoExpr || seen[root]) return;
  struct Frame {
    ExprId id;
    int next;
  };
  std::vector<Frame> stack = {{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == 3) {
      order.push_back(top.id);
      stack.pop_back();
      continue;
    }
    const ExprId operand = pool[top.id].operands[top.next++];
    if (operand == kNoExpr || seen[operand]) continue;
    seen[operand] = true;
    stack.push_back({operand, 0});
  }
}

}  // namespace nfx
