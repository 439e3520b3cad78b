#include "loop/normaliser.h"

#include <algorithm>
#include <optional>

#include "expr/expr_math.h"
#include "loop/monoids.h"
#include "loop/substitute.h"

namespace nfx {
namespace {

template <class Visit>
void for_each_root(Kernel& kernel, Visit visit) {
  for (Stage& stage : kernel.stages) {
    for (Reduction& reduction : stage.reductions) {
      for (ExprId& id : reduction.step) visit(id);
    }
    for (Store& store : stage.stores) {
      for (ExprId* id : {&store.offset, &store.value, &store.guard}) {
        if (*id != kNoExpr) visit(*id);
      }
    }
  }
}

// A reduction by its number.
struct Numbered {
  size_t stage = 0;
  Reduction* reduction = nullptr;
};

class Division {
 public:
  explicit Division(Kernel& kernel) : kernel_(kernel) {}

  bool run() {
    if (kernel_.stages.size() < 2) return false;
    last_ = kernel_.stages.size() - 1;
    while (last_ > 0 && kernel_.stages[last_].reductions.empty()) --last_;
    if (kernel_.stages[last_].map_dims.empty()) return false;
    const std::optional<ExprId> weight = find_weight();
    if (!weight) return false;
    const ExprNode quotient = kernel_.exprs[*weight];
    total_ = reduction_of(kernel_.exprs[quotient.operands[1]]);
    if (!is_used_by_last_only(*weight)) return false;
    rewrite(*weight, quotient);
    return true;
  }

 private:
  Stage& last() { return kernel_.stages[last_]; }

  Numbered numbered(uint32_t number) {
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      std::vector<Reduction>& here = kernel_.stages[s].reductions;
      if (number < here.size()) return {s, &here[number]};
      number -= static_cast<uint32_t>(here.size());
    }
    return {};
  }

  // What a leaf reduces by the fold `name`, over the dimensions of the last stage.
  ExprId folded(ExprId leaf, std::string_view name) {
    const ExprNode& node = kernel_.exprs[leaf];
    if (node.op != ExprOp::kReduced) return kNoExpr;
    const Numbered found = numbered(reduction_of(node));
    const Stage& stage = kernel_.stages[found.stage];
    if (found.stage >= last_ || !stage.map_dims.empty()) return kNoExpr;
    if (stage.reduce_dims != last().reduce_dims) return kNoExpr;
    const std::optional<SimpleFold> fold = as_simple_fold(kernel_.exprs, *found.reduction);
    return fold && fold->name == name ? fold->element : kNoExpr;
  }

  // exp(z - max(z)) / sum(exp(z - max(z)))
  bool is_weight(ExprId id) {
    const ExprNode node = kernel_.exprs[id];
    if (node.op != ExprOp::kDiv || !is_floating(node.dtype)) return false;
    const ExprNode power = kernel_.exprs[node.operands[0]];
    if (power.op != ExprOp::kExp || folded(node.operands[1], "sum") != node.operands[0]) {
      return false;
    }
    const ExprNode shifted = kernel_.exprs[power.operands[0]];
    return shifted.op == ExprOp::kSub && folded(shifted.operands[1], "max") == shifted.operands[0];
  }

  // A weight that every sum of the last stage has as a factor.
  std::optional<ExprId> find_weight() {
    std::optional<ExprId> weight;
    for (const Reduction& reduction : last().reductions) {
      const std::optional<SimpleFold> fold = as_simple_fold(kernel_.exprs, reduction);
      if (!fold || fold->name != "sum") return std::nullopt;
      const ExprId found = factor(fold->element);
      if (found == kNoExpr || (weight && *weight != found)) return std::nullopt;
      weight = found;
    }
    return weight;
  }

  // The one weight in a product.
  ExprId factor(ExprId element) {
    if (is_weight(element)) return element;
    const ExprNode node = kernel_.exprs[element];
    if (node.op != ExprOp::kMul) return kNoExpr;
    for (const int side : {0, 1}) {
      const ExprId found = factor(node.operands[side]);
      if (found != kNoExpr) return contains(node.operands[1 - side], found) ? kNoExpr : found;
    }
    return kNoExpr;
  }

  bool contains(ExprId root, ExprId wanted) const {
    std::vector<bool> seen;
    std::vector<ExprId> order;
    append_post_order(kernel_.exprs, root, seen, order);
    return std::find(order.begin(), order.end(), wanted) != order.end();
  }

  // Nothing but the weight's quotient, and that only in the last stage's sums.
  bool is_used_by_last_only(ExprId weight) {
    bool alone = true;
    size_t stage = 0;
    for (const Stage& each : kernel_.stages) {
      std::vector<ExprId> rest;
      for (const Store& store : each.stores) {
        for (ExprId id : {store.offset, store.value, store.guard}) rest.push_back(id);
      }
      for (const Reduction& reduction : each.reductions) {
        rest.insert(rest.end(), reduction.step.begin(), reduction.step.end());
      }
      std::vector<bool> seen(kernel_.exprs.size(), false);
      while (!rest.empty() && alone) {
        const ExprId id = rest.back();
        rest.pop_back();
        if (id == kNoExpr || seen[id] || (id == weight && stage == last_)) continue;
        seen[id] = true;
        const ExprNode& node = kernel_.exprs[id];
        alone = node.op != ExprOp::kReduced || reduction_of(node) != total_;
        for_each_operand(node, [&](ExprId operand) { rest.push_back(operand); });
      }
      ++stage;
    }
    return alone;
  }

  void rewrite(ExprId weight, const ExprNode& quotient) {
    ExprPool& pool = kernel_.exprs;
    const ExprNode whole = pool[weight];
    Substitution undivided(
        pool, [&](const ExprNode& node) { return node == whole ? quotient.operands[0] : kNoExpr; });
    for (Reduction& reduction : last().reductions) {
      for (ExprId& step : reduction.step) step = undivided(step);
    }
    const uint32_t first = first_reduction(kernel_, last_);
    const auto sums = static_cast<uint32_t>(last().reductions.size());
    last().reductions.push_back(reduce_sum(Expr{&pool, quotient.operands[0]}));
    divide(first, sums, whole.dtype);
    remove_total();
  }

  void divide(uint32_t first, uint32_t sums, Dtype dtype) {
    ExprPool& pool = kernel_.exprs;
    const Expr total{&pool, pool.leaf(ExprOp::kReduced, dtype, reduced_payload(first + sums, 0))};
    Substitution divided(pool, [&](const ExprNode& node) {
      if (node.op != ExprOp::kReduced || reduction_of(node) < first) return kNoExpr;
      const Expr sum{&pool, pool.add(node)};
      return select(total == 0, sum, sum / total).id;
    });
    for (Store& store : last().stores) store.value = divided(store.value);
  }

  void remove_total() {
    const Numbered gone = numbered(total_);
    std::vector<Reduction>& list = kernel_.stages[gone.stage].reductions;
    list.erase(list.begin() + (gone.reduction - list.data()));
    Substitution renumbered(kernel_.exprs, [&](const ExprNode& node) {
      if (node.op != ExprOp::kReduced || reduction_of(node) <= total_) return kNoExpr;
      return kernel_.exprs.leaf(ExprOp::kReduced, node.dtype,
                                reduced_payload(reduction_of(node) - 1, component_of(node)));
    });
    for_each_root(kernel_, [&](ExprId& root) { root = renumbered(root); });
    const Stage& stage = kernel_.stages[gone.stage];
    if (stage.reductions.empty() && stage.stores.empty()) {
      kernel_.stages.erase(kernel_.stages.begin() + static_cast<ptrdiff_t>(gone.stage));
    }
  }

  Kernel& kernel_;
  size_t last_ = 0;
  uint32_t total_ = 0;  // the sum of the weights before division
};

}  // namespace

bool divide_sums_last(Kernel& kernel) { return Division(kernel).run(); }

}  // namespace nfx
