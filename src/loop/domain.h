// The domain of a fused group: its iteration dimensions, and how the dimensions
// of each member's tensor are made of them.
//
// A tensor dimension is a product of domain dimensions, most significant first:
// in a group over (b, s, h, d) a tensor [b, s, h*d] has the map [[b],[s],[h,d]]
// and its transpose [b, h*d, s] the map [[b],[h,d],[s]]. A dimension along which
// the value does not change (size 1, or expanded) has an empty product. So a view
// inside a group costs nothing: it only relabels.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace nfx {

struct DomainDim {
  SymExprId size;
  bool inner = false;  // reduced over, or walked once per row
  // Walked beside the inner dimensions by the members that reduce last:
  // sum(weight[e] * x[e, f], e) in a group over (rows, inner e) has f beside.
  bool beside = false;
  // Edges of the rows of dimension `parent`, given by offsets; -1: dense.
  int32_t parent = -1;
  Node offsets;
};

using DimProduct = std::vector<uint32_t>;
using DimMap = std::vector<DimProduct>;

class Domain {
 public:
  explicit Domain(Context& context) : context_(&context) {}

  const std::vector<DomainDim>& dims() const { return dims_; }
  uint32_t add(SymExprId size, bool inner);
  // An inner dimension as one of another domain, whose dimensions are ours by `to_here`.
  uint32_t add_like(const DomainDim& dim, const std::map<uint32_t, uint32_t>& to_here);
  uint32_t add_beside(SymExprId size);
  void set_inner(uint32_t dim) { dims_[dim].inner = true; }
  // Makes `edges` inner: those of each row of the returned new dimension.
  uint32_t make_ragged(uint32_t edges, Node offsets);
  // The edges of the rows of `parent`, if there are.
  std::optional<uint32_t> edges_of(uint32_t parent, Node offsets) const;
  bool has_inner() const;
  bool is_ragged() const;
  std::vector<uint32_t> inner_dims() const;
  std::vector<uint32_t> beside_dims() const;
  bool walks_inner(const DimMap& map) const;
  bool walks_beside(const DimMap& map) const;

  // Divides `dim` into two, the second of size `inner_size`; the caller replaces
  // `dim` by the pair (dim, returned) in every map of the group.
  uint32_t split(uint32_t dim, SymExprId inner_size);

 private:
  Context* context_;
  std::vector<DomainDim> dims_;
};

// A division of a domain dimension that maps of the group must follow.
struct Split {
  uint32_t dim;
  uint32_t second;
};
void follow(const Split& split, DimMap& map);

// One dimension a tensor dimension of that size, in order; size 1 has none.
DimMap fresh_map(Context& context, Domain& domain, std::span<const SymExprId> sizes, bool inner);

// The map of a view of a tensor with map `input`; nothing if the view is not a
// relabelling. A reshape may divide domain dimensions: the divisions are
// appended to `splits` and already made in `domain`.
std::optional<DimMap> view_map(Node view, const DimMap& input, Domain& domain,
                               std::vector<Split>& splits);

// Pairs the dimensions of two products of equal size, dividing where needed
// (in `a_domain` and `b_domain`, recorded in the split lists). Nothing if they
// do not line up.
std::optional<std::vector<std::pair<uint32_t, uint32_t>>> pair_products(
    Context& context, DimProduct a, Domain& a_domain, std::vector<Split>& a_splits, DimProduct b,
    Domain& b_domain, std::vector<Split>& b_splits);

}  // namespace nfx
