#include "message_passing/recognize.h"

#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "message_passing/edge_forms.h"
#include "message_passing/row_index.h"
#include "ops/type_rules.h"
#include "rewrite/constant.h"
#include "rewrite/effects.h"
#include "rewrite/memory_facts.h"

namespace nfx {
namespace {

// Index tensors that are computed in the same way from the same inputs are one.
class IndexNames {
 public:
  explicit IndexNames(const Graph& graph)
      : graph_(graph), memory_(graph), first_new_(graph.id_limit()) {}

  // A node that was made since stands for itself, and nothing for one that is gone.
  Node canonical(Node index) {
    if (index.id().value >= first_new_) return index;
    if (index.kind() != NodeKind::kCallFunction || !is_pure(index)) return index;
    if (memory_.is_written(index)) return index;
    Key key{std::string(index.target()), index.arguments().value, {}};
    for (uint32_t i = 0; i < index.num_operands(); ++i) {
      const Node operand = index.operand(i);
      key.operands.push_back((is_index(operand) ? canonical(operand) : operand).id().value);
    }
    Node& first = first_.try_emplace(std::move(key), index).first->second;
    if (graph_.table().records[first.id().value].erased) first = index;
    return first;
  }

 private:
  struct Key {
    std::string target;
    uint32_t arguments;
    std::vector<uint32_t> operands;
    auto operator<=>(const Key&) const = default;
  };
  const Graph& graph_;
  MemoryFacts memory_;
  size_t first_new_;
  std::map<Key, Node> first_;
};

class Recognition {
 public:
  explicit Recognition(Graph& graph) : graph_(graph), context_(graph.context()), names_(graph) {}

  Changed run() {
    find_strict();
    for (const Node node : graph_.nodes()) {
      if (const auto gather = gather_form(node)) {
        graph_.set_insertion_point(node);
        take_place(node, emit(graph_, "mp.gather.default",
                              {gather->x, rows(gather->index, gather->wraps, gather->x)}));
      } else if (const auto scatter = scatter_form(node); scatter && may_rewrite(node, *scatter)) {
        graph_.set_insertion_point(node);
        if (const Node made = scattered(*scatter)) finish(node, *scatter, made);
      }
    }
    graph_.set_insertion_point({});
    return changed_;
  }

 private:
  // An index that some op takes without wrapping has no negative entries: that op
  // would raise.
  void find_strict() {
    for (const Node node : graph_.nodes()) {
      const auto gather = gather_form(node);
      const auto scatter = gather ? std::nullopt : scatter_form(node);
      if (gather && !gather->wraps) strict_.insert(names_.canonical(gather->index).id());
      if (scatter && !scatter->wraps) strict_.insert(names_.canonical(scatter->index).id());
    }
  }

  Graph::Operand size_of(Node tensor) {
    const SymExprId size = tensor.type().sizes[0];
    if (const auto constant = as_int(context_, size)) return context_.integer(*constant);
    const TypeId type =
        context_.intern(Type{.kind = TypeKind::kScalar, .dtype = Dtype::kInt64, .expr = size});
    return graph_.call("aten.sym_size.int", {tensor, context_.integer(0)}, type);
  }

  Node rows(Node index, bool wraps, Node table) {
    index = names_.canonical(index);
    if (!wraps || strict_.contains(index.id())) return index;
    return emit(graph_, "mp.wrapped.default", {index, size_of(table)});
  }

  // Before this node nobody may have written to the base or kept a view of it; a
  // write in place may be seen by nobody who does not get the result instead.
  bool may_rewrite(Node node, const ScatterForm& form) {
    const Node base = form.base;
    const bool is_fresh = base.kind() == NodeKind::kCallFunction && is_pure(base) &&
                          !base.has(Trait::kView) && !base.has(Trait::kMayAlias) &&
                          value_of(base).index < 0;
    if (form.in_place && !is_fresh) return false;
    for (const Use use : graph_.uses(base)) {
      const Node user = graph_.node(use.user);
      if (user == node || !user.before(node)) continue;
      const bool is_plain = user.kind() == NodeKind::kCallFunction && is_pure(user) &&
                            !user.has(Trait::kView) && !user.has(Trait::kMayAlias);
      if (!is_plain) return false;
    }
    return true;
  }

  std::optional<double> base_number(const ScatterForm& form) {
    const std::optional<Constant> constant = constant_of(form.base);
    if (!constant) return std::nullopt;
    if (is_floating(constant->dtype)) return std::bit_cast<double>(constant->bits);
    return static_cast<double>(static_cast<int64_t>(constant->bits));
  }

  Node scattered(const ScatterForm& form) {
    const std::optional<double> base = base_number(form);
    const Graph::Operand n = size_of(form.base);
    const Node index = rows(form.index, form.wraps, form.base);
    Node value = form.value;
    if (form.scale != 1) value = emit(graph_, "aten.mul.Tensor", {value, number(form.scale)});
    const bool from_zero = base == 0.0;
    if (form.combine == Combine::kSum) {
      if (!form.includes_base && !from_zero) return {};
      const Node sum = emit(graph_, "mp.scatter_sum.default", {value, index, n});
      return from_zero ? sum : emit(graph_, "aten.add.Tensor", {form.base, sum});
    }
    if (form.combine == Combine::kMean) return from_zero ? mean(form, index, n) : Node{};
    return base ? extremum(form, index, n, *base) : Node{};
  }

  Graph::Operand number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e9)
      return context_.integer(static_cast<int64_t>(value));
    return context_.real(value);
  }

  // Sum by count; the base counts as one where it takes part.
  Node mean(const ScatterForm& form, Node index, Graph::Operand n) {
    const Node value = form.value;
    const ArgId size[] = {context_.hole()};
    Node ones;
    if (const auto edges = as_int(context_, value.type().sizes[0])) {
      const ArgId fixed[] = {context_.integer(*edges)};
      ones =
          emit(graph_, "aten.new_ones.default", {value, context_.sequence(ArgKind::kList, fixed)});
    } else {
      const Node operands[] = {value, size_of(value).node};
      const ArgId arguments[] = {context_.hole(), context_.sequence(ArgKind::kList, size)};
      ones = graph_.add(NodeKind::kCallFunction, "aten.new_ones.default", context_.call(arguments),
                        operands);
      const SymExprId sizes[] = {value.type().sizes[0]};
      graph_.set_type(ones, contiguous_tensor(context_, value.type().dtype, sizes));
    }
    Node count = emit(graph_, "mp.scatter_sum.default", {ones, index, n});
    count = form.includes_base
                ? emit(graph_, "aten.add.Tensor", {count, context_.integer(1)})
                : emit(graph_, "aten.clamp_min.default", {count, context_.integer(1)});
    for (size_t d = 1; d < value.type().rank(); ++d)
      count = emit(graph_, "aten.unsqueeze.default", {count, context_.integer(-1)});
    const Node sum = emit(graph_, "mp.scatter_sum.default", {value, index, n});
    return emit(graph_, "aten.div.Tensor", {sum, count});
  }

  Node extremum(const ScatterForm& form, Node index, Graph::Operand n, double base) {
    const bool is_max = form.combine == Combine::kMax;
    const Node found = emit(graph_, is_max ? "mp.scatter_max.default" : "mp.scatter_min.default",
                            {form.value, index, n, context_.real(base)});
    const bool is_neutral = std::isinf(base) && (base < 0) == is_max;
    if (!form.includes_base || is_neutral) return found;
    return emit(graph_, is_max ? "aten.clamp_min.default" : "aten.clamp_max.default",
                {found, number(base)});
  }

  void finish(Node node, const ScatterForm& form, Node made) {
    if (form.in_place) {
      std::vector<Use> later;
      for (const Use use : graph_.uses(form.base)) {
        if (node.before(graph_.node(use.user))) later.push_back(use);
      }
      for (const Use use : later) graph_.set_operand(graph_.node(use.user), use.index, made);
    }
    take_place(node, made);
  }

  void take_place(Node node, Node made) {
    graph_.inherit_meta(made, node);
    graph_.replace_all_uses(node, made);
    graph_.erase(node);
    changed_ = Changed::kYes;
  }

  Graph& graph_;
  Context& context_;
  IndexNames names_;
  std::set<NodeId> strict_;
  Changed changed_ = Changed::kNo;
};

}  // namespace

Changed recognize_edges(Graph& graph) { return Recognition(graph).run(); }

NFX_PASS(recognize_edges, "find gather and scatter along rows and write them as mp ops");

}  // namespace nfx
