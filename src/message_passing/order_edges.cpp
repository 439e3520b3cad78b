#include "message_passing/order_edges.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "message_passing/edge_demand.h"
#include "message_passing/index_structure.h"
#include "ops/op_row.h"
#include "ops/type_rules.h"
#include "rewrite/memory_facts.h"

namespace nfx {
namespace {

class Ordering {
 public:
  explicit Ordering(Graph& graph) : graph_(graph), context_(graph.context()), memory_(graph) {}

  Changed run() {
    Changed changed = Changed::kNo;
    replace_wrapped(changed);
    demand_.emplace(graph_);
    sorted_.resize(demand_->orders().size());
    for (const Node node : graph_.nodes()) {
      if (!is_scatter(node)) continue;
      replace(node);
      changed = Changed::kYes;
    }
    replace_gathers(changed);
    return changed;
  }

 private:
  // Indices that may count from the end come first: others follow from them.
  void replace_wrapped(Changed& changed) {
    for (const Node node : graph_.nodes()) {
      if (node.target() != "mp.wrapped.default") continue;
      graph_.set_insertion_point(node);
      const SymExprId n = *sym_argument(node, argument(node, "n"));
      const IndexSource source = index_source(node.operand(0), memory_);
      take_place(node, checked_index(graph_, source, n, true));
      changed = Changed::kYes;
    }
  }

  // What no scatter takes up is computed edge by edge, its index checked first.
  void replace_gathers(Changed& changed) {
    for (const Node node : graph_.nodes()) {
      if (node.target() != "mp.gather.default") continue;
      graph_.set_insertion_point(node);
      const Node x = node.operand(0);
      const IndexSource source = index_source(node.operand(1), memory_);
      const Node checked = checked_index(graph_, source, x.type().sizes[0], false);
      take_place(node, emit(graph_, "mp.from_src.default", {x, checked}));
      changed = Changed::kYes;
    }
  }

  void replace(Node scatter) {
    graph_.set_insertion_point(scatter);
    const size_t order = demand_->order_of(scatter);
    SortedEdges& edges = sorted_[order];
    if (!edges.offsets) {
      const EdgeOrder& wanted = demand_->orders()[order];
      edges = sort_edges(graph_, index_source(wanted.index, memory_), wanted.n);
    }
    const Node value = in_order(scatter.operand(0), order);
    const std::string_view op = scatter.target();
    if (op == "mp.scatter_sum.default") {
      take_place(scatter, emit(graph_, "mp.edge_sum.default", {value, edges.offsets}));
    } else {
      const bool is_max = op == "mp.scatter_max.default";
      const std::string_view fold = is_max ? "mp.edge_max.default" : "mp.edge_min.default";
      const Node found = emit(graph_, fold, {value, edges.offsets});
      take_place(scatter, filled(scatter, found, edges.offsets));
    }
  }

  // Rows without edges hold what the scatter started from.
  Node filled(Node scatter, Node found, Node offsets) {
    const auto slice = [&](int64_t first, int64_t last) {
      return emit(graph_, "aten.slice.Tensor",
                  {offsets, context_.integer(0), context_.integer(first), context_.integer(last)});
    };
    Node has_edges = emit(graph_, "aten.gt.Tensor",
                          {slice(1, std::numeric_limits<int64_t>::max()), slice(0, -1)});
    for (size_t d = 1; d < found.type().rank(); ++d)
      has_edges = emit(graph_, "aten.unsqueeze.default", {has_edges, context_.integer(-1)});
    return emit(graph_, "aten.where.ScalarOther",
                {has_edges, found, argument(scatter, "fill").id()});
  }

  // `value` with its rows in a sorted order.
  Node in_order(Node value, size_t order) {
    const auto known = made_.find({value.id().value, order});
    if (known != made_.end()) return known->second;
    const Node made = make_in_order(value, order);
    made_.emplace(std::pair{value.id().value, order}, made);
    return made;
  }

  Node make_in_order(Node value, size_t order) {
    const SortedEdges& edges = sorted_[order];
    const std::optional<std::vector<bool>>& rows = demand_->row_operands_of(value);
    if (!rows) return emit(graph_, "mp.from_src.default", {value, edges.order});
    if (value.target() == "mp.gather.default") return gathered(value, order);
    if (std::find(rows->begin(), rows->end(), true) == rows->end()) return value;
    std::vector<Node> operands;
    for (uint32_t i = 0; i < value.num_operands(); ++i) {
      const Node operand = value.operand(i);
      operands.push_back((*rows)[i] ? in_order(operand, order) : operand);
    }
    const Node made = graph_.add(value.kind(), value.target(), value.arguments(), operands);
    const Result<TypeId> type = op_row(value)->type(made);
    graph_.set_type(made, type ? *type : value.type_id());
    graph_.inherit_meta(made, value);
    return made;
  }

  Node gathered(Node gather, size_t order) {
    const SortedEdges& edges = sorted_[order];
    const EdgeOrder& wanted = demand_->orders()[order];
    const Node x = gather.operand(0), index = gather.operand(1);
    const SymExprId rows = x.type().sizes[0];
    if (index == wanted.index && known_equal(context_, rows, wanted.n))
      return emit(graph_, "mp.from_dst.default", {x, edges.offsets, edges.ends});
    const auto [place, fresh] =
        indices_.try_emplace({index.id().value, rows.value, static_cast<uint32_t>(order)});
    if (fresh) {
      place->second = sorted_index(graph_, index_source(index, memory_), rows, edges.order);
    }
    return emit(graph_, "mp.from_src.default", {x, place->second});
  }

  void take_place(Node node, Node made) {
    graph_.inherit_meta(made, node);
    graph_.replace_all_uses(node, made);
    graph_.set_insertion_point({});
    graph_.erase(node);
  }

  Graph& graph_;
  Context& context_;
  MemoryFacts memory_;
  std::optional<EdgeDemand> demand_;
  std::vector<SortedEdges> sorted_;                   // by order
  std::map<std::pair<uint32_t, size_t>, Node> made_;  // (value, order)
  std::map<std::array<uint32_t, 3>, Node> indices_;   // (index, rows, order)
};

}  // namespace

Changed order_edges(Graph& graph) { return Ordering(graph).run(); }

NFX_PASS(order_edges, "compute what scatters sum in the order of their rows");

}  // namespace nfx
