#include "loop/verify_expr.h"

#include "expr/expr_text.h"

namespace nfx {
namespace {

struct MalformedExpr {
  static constexpr std::string_view kCode = "loop-malformed-expression";
  std::string where;
  std::string what;
  std::string message() const { return "in " + where + ": " + what; }
  std::string help() const { return "operands come from the same pool, made before their user"; }
};
NFX_DIAGNOSTIC(MalformedExpr);

struct ExprType {
  static constexpr std::string_view kCode = "loop-expression-type";
  std::string where;
  std::string expr;
  std::string what;
  std::string message() const { return "in " + where + ": `" + expr + "` " + what; }
  std::string help() const { return "insert a cast, or give the result the dtype of its operands"; }
};
NFX_DIAGNOSTIC(ExprType);

struct OutOfScope {
  static constexpr std::string_view kCode = "loop-out-of-scope";
  std::string where;
  std::string expr;
  std::string what;
  std::string message() const { return "in " + where + ": `" + expr + "` " + what; }
  std::string help() const {
    return "rows are seen everywhere, map dimensions in their stage, reduce dimensions in steps, "
           "reductions after their stage if it has no map dimensions";
  }
};
NFX_DIAGNOSTIC(OutOfScope);

class ExprVerifier {
 public:
  ExprVerifier(const Kernel& kernel, const Scope& scope)
      : kernel_(kernel), pool_(kernel.exprs), scope_(scope) {}

  Status check(ExprId id) {
    const ExprNode& node = pool_[id];
    NFX_TRY(check_operands(id));
    if (is_leaf(node.op)) return check_leaf(id);
    if (node.op == ExprOp::kLoad) return check_load(id);
    return check_types(id);
  }

 private:
  std::string text(ExprId id) const { return print(pool_, id); }

  Status type_error(ExprId id, std::string what) const {
    return diagnose(ExprType{scope_.where, text(id), std::move(what)});
  }
  Status scope_error(ExprId id, std::string what) const {
    return diagnose(OutOfScope{scope_.where, text(id), std::move(what)});
  }

  Dtype operand_dtype(const ExprNode& node, int k) const { return pool_[node.operands[k]].dtype; }

  Status check_operands(ExprId id) const {
    const ExprNode& node = pool_[id];
    for (int k = 0; k < 3; ++k) {
      const ExprId operand = node.operands[k];
      const bool optional = node.op == ExprOp::kLoad && k == 1;
      const bool wanted = k < arity(node.op);
      const bool right = operand == kNoExpr ? !wanted || optional : wanted && operand < id;
      if (right) continue;
      const std::string what = "operand " + std::to_string(k) + " of `" +
                               std::string(name(node.op)) + "` is missing or not before it";
      return diagnose(MalformedExpr{scope_.where, what});
    }
    return success();
  }

  Status check_leaf(ExprId id) const {
    const ExprNode& node = pool_[id];
    switch (node.op) {
      case ExprOp::kConst:
        return is_computable(node.dtype) ? success() : type_error(id, "has no scalar arithmetic");
      case ExprOp::kIndex: return check_index(id);
      case ExprOp::kScalar: return check_scalar(id);
      case ExprOp::kReduced: return check_reduced(id);
      case ExprOp::kState: return check_state(id, scope_.state != nullptr);
      case ExprOp::kOther: return check_state(id, scope_.state != nullptr && scope_.other);
      default: return scope_error(id, "is an operand of an op row");
    }
  }

  Status check_index(ExprId id) const {
    const ExprNode& node = pool_[id];
    if (node.payload >= scope_.dims.size() || !scope_.dims[node.payload]) {
      return scope_error(id, "is a dimension without a position here");
    }
    return node.dtype == Dtype::kInt64 ? success() : type_error(id, "is not int64");
  }

  Status check_scalar(ExprId id) const {
    const ExprNode& node = pool_[id];
    if (node.payload >= kernel_.scalars.size()) return scope_error(id, "is no kernel scalar");
    if (node.dtype == kernel_.scalars[node.payload]) return success();
    return type_error(id, "does not have the scalar's dtype");
  }

  Status check_reduced(ExprId id) const {
    const ExprNode& node = pool_[id];
    const uint32_t number = reduction_of(node);
    if (number >= scope_.reductions.size() || scope_.reductions[number] == nullptr) {
      return scope_error(id, "is a reduction that cannot be used here");
    }
    const std::vector<ExprId>& results = scope_.reductions[number]->finish;
    if (component_of(node) >= results.size()) return scope_error(id, "is no result of it");
    if (pool_[results[component_of(node)]].dtype == node.dtype) return success();
    return type_error(id, "does not have the dtype of the reduction's result");
  }

  Status check_state(ExprId id, bool visible) const {
    const ExprNode& node = pool_[id];
    if (!visible || node.payload >= scope_.state->size()) {
      return scope_error(id, "is a state that is not seen here");
    }
    if (pool_[(*scope_.state)[node.payload]].dtype == node.dtype) return success();
    return type_error(id, "does not have the dtype of its initial value");
  }

  Status check_load(ExprId id) const {
    const ExprNode& node = pool_[id];
    if (!scope_.loads) return scope_error(id, "reads memory, only an element may");
    if (node.payload >= kernel_.buffers.size()) return scope_error(id, "reads no kernel buffer");
    if (node.dtype != kernel_.buffers[node.payload].dtype) {
      return type_error(id, "does not have the buffer's dtype");
    }
    if (operand_dtype(node, 0) != Dtype::kInt64) return type_error(id, "has no int64 offset");
    if (node.operands[1] == kNoExpr || operand_dtype(node, 1) == Dtype::kBool) return success();
    return type_error(id, "has a guard that is not bool");
  }

  Status check_types(ExprId id) const {
    const ExprNode& node = pool_[id];
    const Dtype first = operand_dtype(node, 0);
    if (!applies_to(node.op, first)) {
      return type_error(id, "is not defined on " + std::string(dtype_name(first)));
    }
    if (node.op == ExprOp::kCast) {
      return is_computable(node.dtype) ? success() : type_error(id, "casts to no computable dtype");
    }
    if (node.op == ExprOp::kSelect) {
      if (first != Dtype::kBool) return type_error(id, "has a condition that is not bool");
      const bool same =
          operand_dtype(node, 1) == node.dtype && operand_dtype(node, 2) == node.dtype;
      return same ? success() : type_error(id, "mixes dtypes");
    }
    if (arity(node.op) == 2 && operand_dtype(node, 1) != first)
      return type_error(id, "mixes dtypes");
    if (node.dtype == (is_predicate(node.op) ? Dtype::kBool : first)) return success();
    return type_error(id, "has another dtype than its operation gives");
  }

  const Kernel& kernel_;
  const ExprPool& pool_;
  const Scope& scope_;
};

}  // namespace

Status verify_expr(const Kernel& kernel, ExprId root, const Scope& scope) {
  if (root >= kernel.exprs.size()) {
    return diagnose(MalformedExpr{scope.where, "an expression is missing"});
  }
  // An operand out of range must be met before anything follows it.
  std::vector<bool> used(root + 1, false);
  used[root] = true;
  ExprVerifier verifier(kernel, scope);
  for (ExprId id = root + 1; id-- > 0;) {
    if (!used[id]) continue;
    NFX_TRY(verifier.check(id));
    for_each_operand(kernel.exprs[id], [&](ExprId operand) { used[operand] = true; });
  }
  return success();
}

}  // namespace nfx
