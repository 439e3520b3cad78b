#include "message_passing/move_dense.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "message_passing/node_side.h"
#include "ops/op_row.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

class Moving {
 public:
  explicit Moving(Graph& graph) : graph_(graph), context_(graph.context()), sides_(graph) {}

  Changed run() {
    Changed changed = Changed::kNo;
    for (const Node node : graph_.nodes()) {
      if (node.kind() != NodeKind::kCallFunction || !node.has_uses()) continue;
      const size_t first_new = graph_.id_limit();
      graph_.set_insertion_point(node);
      const Node made = row_product(node) ? product(node) : reduction(node);
      graph_.set_insertion_point({});
      if (!made) continue;
      for (size_t id = first_new; id < graph_.id_limit(); ++id)
        graph_.inherit_meta(graph_.node(NodeId{static_cast<uint32_t>(id)}), node);
      graph_.replace_all_uses(node, made);
      graph_.erase(node);
      changed = Changed::kYes;
    }
    return changed;
  }

 private:
  struct Part {
    Node value, matrix;
    bool is_negative = false;
  };

  // Fewer rows than edges, as far as is known.
  bool is_smaller(const NodeSide& side, Node edges) {
    const auto nodes = evaluate_hint(context_, side.rows);
    const auto count = evaluate_hint(context_, edges.type().sizes[0]);
    return !nodes || !count || *nodes < *count;
  }

  std::optional<NodeSide> smaller_side(Node value) {
    const std::optional<NodeSide> side = sides_.of(value);
    return side && is_smaller(*side, value) ? side : std::nullopt;
  }

  Node reduction(Node node) {
    const OpRow* row = op_row(node);
    if (row == nullptr || !row->fold) return {};
    const std::optional<NodeSide> side = smaller_side(node);
    if (!side) return {};
    const Node there = sides_.at_nodes(node);
    return there ? gather(there, *side) : Node{};
  }

  Node gather(Node table, const NodeSide& side) {
    return emit(graph_, "mp.gather.default", {table, side.index});
  }

  Node product(Node node) {
    const RowProduct whole = *row_product(node);
    std::vector<Part> parts;
    divide(whole, {whole.rows, whole.matrix, false}, parts);
    const bool gains = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return smaller_side(part.value).has_value();
    });
    return gains ? sum_of(node, whole, parts) : Node{};
  }

  // Divides a product along concatenations, sums and differences; what is a value
  // of nodes stays whole.
  void divide(const RowProduct& whole, const Part& part, std::vector<Part>& parts) {
    const Node value = part.value;
    if (smaller_side(value)) return parts.push_back(part);
    if (value.target() == "aten.cat.default" && is_last_dim(value))
      return divide_columns(whole, part, parts);
    const bool is_sub = value.target() == "aten.sub.Tensor";
    if ((is_sub || value.target() == "aten.add.Tensor") && is_plain_sum(value)) {
      divide(whole, {value.operand(0), part.matrix, part.is_negative}, parts);
      divide(whole, {value.operand(1), part.matrix, part.is_negative != is_sub}, parts);
      return;
    }
    parts.push_back(part);
  }

  void divide_columns(const RowProduct& whole, const Part& part, std::vector<Part>& parts) {
    struct Piece {
      Node value;
      int64_t first, last;
    };
    std::vector<Piece> pieces;
    int64_t first = 0;
    for (uint32_t i = 0; i < part.value.num_operands(); ++i) {
      const Node piece = part.value.operand(i);
      const auto width = as_int(context_, piece.type().sizes.back());
      if (!width) return parts.push_back(part);
      pieces.push_back({piece, first, first + *width});
      first += *width;
    }
    const Graph::Operand dim = context_.integer(whole.is_transposed ? 1 : 0);
    for (const Piece& piece : pieces) {
      const Node matrix =
          emit(graph_, "aten.slice.Tensor",
               {part.matrix, dim, context_.integer(piece.first), context_.integer(piece.last)});
      divide(whole, {piece.value, matrix, part.is_negative}, parts);
    }
  }

  bool is_last_dim(Node cat) {
    const size_t rank = cat.type().rank();
    const ArgumentView dim = argument(cat, "dim");
    const int64_t given = dim ? dim.as_int().value_or(0) : 0;
    return rank >= 2 && wrapped_dim(given, rank) == static_cast<int64_t>(rank) - 1;
  }

  // Of two tensors of one shape, unscaled, of which something is gained.
  bool is_plain_sum(Node sum) {
    if (sum.num_operands() != 2 || argument(sum, "alpha").as_number() != 1) return false;
    bool gains = false;
    for (uint32_t i = 0; i < 2; ++i) {
      const Type& type = sum.operand(i).type();
      if (type.kind != TypeKind::kTensor || type.rank() != sum.type().rank()) return false;
      for (size_t d = 0; d < type.rank(); ++d) {
        if (!known_equal(context_, type.sizes[d], sum.type().sizes[d])) return false;
      }
      gains = gains || smaller_side(sum.operand(i));
    }
    return gains;
  }

  // One gather for each index, of the sum of its parts.
  Node sum_of(Node node, const RowProduct& whole, const std::vector<Part>& parts) {
    std::vector<std::pair<NodeSide, Node>> tables;
    Node rest;
    Node bias = whole.bias;
    for (const Part& part : parts) {
      const std::optional<NodeSide> side = smaller_side(part.value);
      const Node rows = side ? sides_.at_nodes(part.value) : part.value;
      if (!rows) return {};
      const bool takes_bias = bias && side && !part.is_negative;
      const Node result = multiply(whole, rows, part.matrix, takes_bias ? bias : Node{}, node);
      if (takes_bias) bias = {};
      if (!side) {
        rest = joined(rest, result, part.is_negative);
        continue;
      }
      const auto known = std::find_if(tables.begin(), tables.end(),
                                      [&](const auto& table) { return table.first == *side; });
      if (known != tables.end()) {
        known->second = joined(known->second, result, part.is_negative);
      } else {
        tables.emplace_back(*side, joined({}, result, part.is_negative));
      }
    }
    Node total;
    for (const auto& [side, table] : tables) total = joined(total, gather(table, side), false);
    if (rest) total = joined(total, rest, false);
    return bias ? emit(graph_, "aten.add.Tensor", {total, bias}) : total;
  }

  Node joined(Node sum, Node part, bool is_negative) {
    if (!sum) return is_negative ? emit(graph_, "aten.neg.default", {part}) : part;
    return emit(graph_, is_negative ? "aten.sub.Tensor" : "aten.add.Tensor", {sum, part});
  }

  Node multiply(const RowProduct& whole, Node rows, Node matrix, Node bias, Node node) {
    const std::string_view op = node.target();
    const Node made =
        bias ? graph_.call(op, {rows, matrix, bias}) : graph_.call(op, {rows, matrix});
    std::vector<SymExprId> sizes(rows.type().sizes.begin(), rows.type().sizes.end());
    sizes.back() = matrix.type().sizes[whole.is_transposed ? 0 : 1];
    graph_.set_type(made, dense_type(made, node.type().dtype, sizes));
    return made;
  }

  Graph& graph_;
  Context& context_;
  NodeSides sides_;
};

}  // namespace

Changed move_dense(Graph& graph) { return Moving(graph).run(); }

NFX_PASS(move_dense, "move products and reductions within rows from edges to nodes");

}  // namespace nfx
