#include "passes/merge_views.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "ir/argument_view.h"
#include "ops/op_row.h"
#include "rewrite/effects.h"
#include "rewrite/memory_facts.h"

namespace nfx {
namespace {

using Permutation = std::vector<int64_t>;

bool is_tensor(Node node) { return node.type().kind == TypeKind::kTensor; }

bool is_view(Node node) {
  return node.has(Trait::kView) && is_pure(node) && node.num_operands() > 0 && is_tensor(node) &&
         is_tensor(node.operand(0));
}

bool is_reshape(Node node) { return is_view(node) && node.has(Trait::kReshape); }

std::optional<int64_t> dim_of(ArgumentView argument, size_t rank) {
  const std::optional<int64_t> dim = argument.as_int();
  const int64_t limit = static_cast<int64_t>(rank);
  if (!dim || *dim < -limit || *dim >= limit) return std::nullopt;
  return *dim < 0 ? *dim + limit : *dim;
}

std::optional<Permutation> permutation_of_dims(ArgumentView dims, size_t rank) {
  if (!dims || dims.size() != rank) return std::nullopt;
  Permutation permutation;
  for (size_t i = 0; i < rank; ++i) {
    const std::optional<int64_t> dim = dim_of(dims.child(i), rank);
    if (!dim) return std::nullopt;
    permutation.push_back(*dim);
  }
  return permutation;
}

// Dimension i of the result is dimension permutation[i] of the input.
std::optional<Permutation> permutation_of(Node node) {
  if (!is_view(node)) return std::nullopt;
  const size_t rank = node.type().rank();
  const std::string_view target = node.target();
  if (target == "aten.permute.default") return permutation_of_dims(argument(node, 1), rank);
  Permutation permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  if (target == "aten.t.default") {
    if (rank == 2) std::swap(permutation[0], permutation[1]);
    return permutation;
  }
  if (target != "aten.transpose.int") return std::nullopt;
  const std::optional<int64_t> first = dim_of(argument(node, 1), rank);
  const std::optional<int64_t> second = dim_of(argument(node, 2), rank);
  if (!first || !second) return std::nullopt;
  std::swap(permutation[static_cast<size_t>(*first)], permutation[static_cast<size_t>(*second)]);
  return permutation;
}

std::optional<ArgId> list_of(Context& context, const Permutation& integers) {
  std::vector<ArgId> children;
  for (const int64_t integer : integers) children.push_back(context.integer(integer));
  return context.sequence(ArgKind::kList, children);
}

// The sizes of a type as an argument; nothing if one is symbolic.
std::optional<ArgId> sizes_of(Context& context, const Type& type) {
  Permutation sizes;
  for (const SymExprId size : type.sizes) {
    const std::optional<int64_t> value = as_int(context, size);
    if (!value) return std::nullopt;
    sizes.push_back(*value);
  }
  return list_of(context, sizes);
}

class ViewMerger {
 public:
  explicit ViewMerger(Graph& graph) : graph_(graph), memory_(graph) {}

  Changed run() {
    Changed changed = Changed::kNo;
    for (const Node node : graph_.nodes()) {
      if (!is_view(node) || !is_view(node.operand(0)) || memory_.is_written(node)) continue;
      if (merge_reshapes(node) || merge_permutations(node) || merge_expands(node)) {
        changed = Changed::kYes;
      }
    }
    return changed;
  }

 private:
  Context& context() { return graph_.context(); }

  bool merge_reshapes(Node node) {
    if (!is_reshape(node) || !is_reshape(node.operand(0))) return false;
    const Node source = node.operand(0).operand(0);
    if (source.type_id() == node.type_id() && replace(node, source)) return true;
    const std::optional<ArgId> sizes = sizes_of(context(), node.type());
    if (sizes) return replace_by_call(node, "aten.view.default", source, *sizes);
    // Sizes that are spelled whole do not depend on the input.
    return argument(node, "size") && move_to(node, source);
  }

  bool merge_permutations(Node node) {
    const std::optional<Permutation> outer = permutation_of(node);
    const std::optional<Permutation> inner = permutation_of(node.operand(0));
    if (!outer || !inner) return false;
    const Node source = node.operand(0).operand(0);
    Permutation both;
    for (const int64_t dim : *outer) both.push_back((*inner)[static_cast<size_t>(dim)]);
    if (std::ranges::is_sorted(both) && replace(node, source)) return true;
    return replace_by_call(node, "aten.permute.default", source, *list_of(context(), both));
  }

  bool merge_expands(Node node) {
    const Node inner = node.operand(0);
    if (node.target() != "aten.expand.default" || inner.target() != node.target()) return false;
    const ArgumentView sizes = argument(node, 1);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes.child(i).as_int() == -1) return false;  // "as in the input"
    }
    return move_to(node, inner.operand(0));
  }

  bool replace(Node node, Node with) {
    if (!node.has_uses() || node.type_id() != with.type_id() || !memory_.may_replace(node, with)) {
      return false;
    }
    memory_.replaced(node, with);
    graph_.replace_all_uses(node, with);
    graph_.erase(node);
    return true;
  }

  // Whether the row of `node` still gives it the type that it has.
  bool type_holds(Node node, TypeId expected) {
    const OpRow* row = op_row(node);
    if (row == nullptr || !row->type) return false;
    const Result<TypeId> type = row->type(node);
    return type.ok() && *type == expected;
  }

  bool move_to(Node node, Node source) {
    const Node before = node.operand(0);
    graph_.set_operand(node, 0, source);
    if (type_holds(node, node.type_id())) return true;
    graph_.set_operand(node, 0, before);
    return false;
  }

  bool replace_by_call(Node node, std::string_view target, Node source, ArgId argument) {
    const TypeId type = node.type_id();
    const ArgId arguments = context().call(std::vector<ArgId>{context().hole(), argument});
    if (node.target() == target && node.arguments() == arguments) return move_to(node, source);
    graph_.set_insertion_point(node);
    const Node made = graph_.add(NodeKind::kCallFunction, target, arguments, {{source}});
    graph_.set_insertion_point({});
    if (!type_holds(made, type)) {
      graph_.erase(made);
      return false;
    }
    graph_.set_type(made, type);
    graph_.inherit_meta(made, node);
    memory_.added(made);
    memory_.replaced(node, made);
    graph_.replace_all_uses(node, made);
    graph_.erase(node);
    return true;
  }

  Graph& graph_;
  MemoryFacts memory_;
};

}  // namespace

Changed merge_views(Graph& graph) { return ViewMerger(graph).run(); }

NFX_PASS(merge_views, "replace a chain of views by one");

}  // namespace nfx
