// Groups of ops that one kernel computes, while they grow.
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loop/domain.h"
#include "loop/eligible.h"
#include "ops/op_row.h"

namespace nfx {

// Where a value is inside a group.
struct Located {
  int32_t group = -1;
  DimMap map;                      // dimensions of the value
  std::optional<DimMap> fold_map;  // reductions: dimensions of the input
  bool last = false;               // known only after what is reduced beside the inner dimensions
};

struct Group {
  explicit Group(Context& context) : domain(context) {}
  Domain domain;
  int32_t level = 0;
  std::vector<NodeId> members;  // what it computes
  std::vector<NodeId> aliases;  // views and projections of members
};

// Grows groups node by node in graph order.
class Grouping {
 public:
  explicit Grouping(const Graph& graph);

  void visit(Node node, const Eligibility& eligibility);
  // A group of its own for an inline value that something outside kernels needs
  // in memory. Kernels go on recomputing it.
  void materialise(Node node);

  int32_t level(Node node) const { return levels_[node.id().value]; }
  // Group of a node or its alias, -1 outside.
  int32_t group_of(Node node) const { return located_[node.id().value].group; }
  const Located& located(Node node) const { return located_[node.id().value]; }
  bool is_inline(Node node) const { return inline_[node.id().value]; }
  // Whether a group recomputes an inline value. Not behind a write that came after
  // it: what it reads may be another value there.
  bool is_inline_in(Node node, int32_t group) const {
    return is_inline(node) && groups_[static_cast<size_t>(group)].level <= last_[node.id().value];
  }
  const std::vector<Group>& groups() const { return groups_; }
  // Whether it is folded over the edges of nodes, by itself or in what is computed
  // from it element by element.
  bool feeds_edges(Node node) const { return feeds_edges_[node.id().value]; }

 private:
  void find_edge_folds();
  void visit_other(Node node);
  void keep_reads(Node write);
  bool is_used_behind(Node value, Node write) const;
  void visit_inline(Node node);
  void visit_alias(Node node, FuseRole role);
  void visit_element(Node node, const OpRow& row);
  bool visit_spread(Node node, const OpRow& row);
  bool is_edge_value(Node value) const;
  bool is_outer_product(Node node) const;
  bool is_computed_again(Node node) const;
  void visit_fold(Node node, const OpRow& row);
  bool join(Node node, const OpRow& row, int32_t group);
  bool join_fold(Node node, const Fold& fold, int32_t group);
  void start(Node node, std::span<const SymExprId> sizes);
  int32_t next_level(Node node) const;
  void place(Node node, int32_t group, DimMap map, std::optional<DimMap> fold_map = {},
             bool last = false);

  friend class Join;
  const Graph& graph_;
  Context& context_;
  std::vector<Group> groups_;
  std::vector<Located> located_;
  std::vector<int32_t> levels_;
  std::vector<bool> inline_;
  std::vector<bool> feeds_edges_;
  std::vector<int32_t> last_;  // by NodeId: the last level at which it may be recomputed
  std::vector<Node> reads_;    // inline values since the last write that read memory
  int32_t floor_ = 0;          // level that everything after the last write must exceed
  int32_t highest_ = 0;        // level reached so far
};

}  // namespace nfx
