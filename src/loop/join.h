// One attempt to put a node into a group: works on copies, and commits only if
// everything fits.
#pragma once
#include <map>
#include <set>

#include "loop/group.h"

namespace nfx {

// The map of a reduction's result from that of its input.
DimMap folded_map(const DimMap& input, const Fold& fold);

class Join {
 public:
  Join(Grouping& grouping, int32_t group);

  // The map of an element-wise node in the group's domain. Operands located in
  // other groups of the same level bring their whole group along.
  bool element(Node node, const std::vector<Node>& aligned);
  // A reduction of a value of the group.
  bool fold(const Fold& fold);
  void commit(Node node);

 private:
  // A group that moves in, with its own divisions and where its dimensions go.
  struct Guest {
    int32_t group;
    std::vector<Split> splits;
    std::map<uint32_t, uint32_t> to_here;
    size_t known = 0;  // divisions of ours that `to_here` has seen
  };

  bool take_from_group(Node node, Node operand);
  bool absorb(Node node, Node operand);
  bool pair_rest(const Domain& other, std::map<uint32_t, uint32_t>& to_here);
  bool same_positions(const DomainDim& ours, const DomainDim& theirs,
                      const std::map<uint32_t, uint32_t>& to_here) const;
  bool agree_on_inner(const Domain& other, const std::map<uint32_t, uint32_t>& to_here);
  bool complete(Node node);
  bool complete_beside(Node node, const std::vector<size_t>& missing);
  bool folds_away(Node node, const DimMap& map) const;
  bool members_fit() const;
  bool fits(const Located& member, const std::vector<Split>& splits, const Guest* guest) const;
  bool covers_rows_or_all(const DimMap& map) const;
  bool fold_edges(const Fold& fold, const DimMap& input);
  bool fold_is_cheap(const Fold& fold, const std::set<uint32_t>& reduced) const;

  Grouping& grouping_;
  Context& context_;
  int32_t group_;
  Domain domain_;
  std::vector<Split> splits_;
  DimMap map_;
  std::optional<DimMap> fold_map_;
  bool last_ = false;
  std::vector<Guest> guests_;
};

}  // namespace nfx
