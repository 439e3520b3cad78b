#include "loop/join.h"

#include <algorithm>

namespace nfx {
namespace {

constexpr size_t kMaxMembers = 128;

std::set<uint32_t> dims_of(const DimMap& map) {
  std::set<uint32_t> dims;
  for (const DimProduct& product : map) dims.insert(product.begin(), product.end());
  return dims;
}

DimMap followed(DimMap map, const std::vector<Split>& splits, size_t first = 0) {
  for (size_t i = first; i < splits.size(); ++i) follow(splits[i], map);
  return map;
}

// Translates a map of a guest group; dimensions without a partner stay out.
DimMap translated(DimMap map, const std::map<uint32_t, uint32_t>& to_here) {
  for (DimProduct& product : map) {
    for (uint32_t& dim : product) dim = to_here.at(dim);
  }
  return map;
}

// Dimension of `operand` that lies under dimension `d` of a result of `rank`.
const DimProduct* under(const DimMap& operand, size_t d, size_t rank) {
  const size_t shift = rank - operand.size();
  return d < shift ? nullptr : &operand[d - shift];
}

// Whether an operand has the sizes of the node or 1 under them. What only takes the
// dtype of an operand, such as new_zeros, may have any.
bool lies_under(Context& context, Node operand, Node node) {
  const auto below = operand.type().sizes, above = node.type().sizes;
  if (below.size() > above.size()) return false;
  for (size_t d = 0; d < below.size(); ++d) {
    const SymExprId size = above[above.size() - below.size() + d];
    if (as_int(context, below[d]) != 1 && !known_equal(context, below[d], size)) return false;
  }
  return true;
}

}  // namespace

Join::Join(Grouping& grouping, int32_t group)
    : grouping_(grouping),
      context_(grouping.context_),
      group_(group),
      domain_(grouping.groups_[static_cast<size_t>(group)].domain) {}

DimMap folded_map(const DimMap& input, const Fold& fold) {
  DimMap map;
  for (size_t d = 0; d < input.size(); ++d) {
    const bool gone =
        std::binary_search(fold.dims.begin(), fold.dims.end(), static_cast<int64_t>(d));
    if (!gone) map.push_back(input[d]);
    if (gone && fold.keepdim) map.emplace_back();
  }
  return map;
}

bool Join::element(Node node, const std::vector<Node>& aligned) {
  const Group& home = grouping_.groups_[static_cast<size_t>(group_)];
  if (home.members.size() >= kMaxMembers) return false;
  map_.assign(node.type().rank(), {});
  std::vector<Node> guests;
  for (Node operand : aligned) {
    if (grouping_.is_inline(operand)) {
      if (grouping_.level(operand) >= home.level) return false;
      continue;
    }
    const int32_t from = grouping_.group_of(operand);
    if (from == group_) {
      if (!lies_under(context_, operand, node)) return false;
      if (!take_from_group(node, operand)) return false;
    } else if (grouping_.level(operand) >= home.level) {
      if (from < 0 || grouping_.level(operand) != home.level) return false;
      guests.push_back(operand);
    }
  }
  for (Node operand : guests) {
    if (!absorb(node, operand)) return false;
  }
  if (!complete(node) || !members_fit()) return false;
  return !last_ || !domain_.walks_inner(map_);  // no stage comes after the last
}

bool Join::take_from_group(Node node, Node operand) {
  const DimMap map = followed(grouping_.located(operand).map, splits_);
  for (size_t d = 0; d < map_.size(); ++d) {
    const DimProduct* product = under(map, d, map_.size());
    if (product == nullptr || product->empty()) continue;
    if (!map_[d].empty() && map_[d] != *product) return false;
    map_[d] = *product;
  }
  last_ = last_ || grouping_.located(operand).last;
  // The same dimension must not stand for two of the node's.
  size_t total = 0;
  for (const DimProduct& product : map_) total += product.size();
  return dims_of(map_).size() == total && node.type().rank() == map_.size();
}

bool Join::absorb(Node node, Node operand) {
  const int32_t from = grouping_.group_of(operand);
  const Group& other = grouping_.groups_[static_cast<size_t>(from)];
  const DimMap& original = grouping_.located(operand).map;
  for (const Guest& guest : guests_) {
    if (guest.group != from) continue;
    const DimMap here =
        followed(translated(followed(original, guest.splits), guest.to_here), splits_, guest.known);
    for (size_t d = 0; d < map_.size(); ++d) {
      const DimProduct* product = under(here, d, map_.size());
      if (product != nullptr && !product->empty() && map_[d] != *product) return false;
    }
    return true;
  }
  if (!other.domain.beside_dims().empty()) return false;
  if (other.members.size() + grouping_.groups_[static_cast<size_t>(group_)].members.size() >
      kMaxMembers) {
    return false;
  }
  Guest guest{from, {}, {}};
  Domain domain = other.domain;
  for (size_t d = 0; d < map_.size(); ++d) {
    const DimMap theirs = followed(original, guest.splits);
    const DimProduct* product = under(theirs, d, node.type().rank());
    if (product == nullptr || product->empty()) continue;
    if (map_[d].empty()) return false;  // broadcast here, varying there
    const size_t known = splits_.size();
    auto pairs = pair_products(context_, map_[d], domain_, splits_, *product, domain, guest.splits);
    if (!pairs) return false;
    for (size_t s = known; s < splits_.size(); ++s) follow(splits_[s], map_);
    for (const auto& [here, there] : *pairs) guest.to_here[there] = here;
  }
  if (!pair_rest(domain, guest.to_here) || !agree_on_inner(domain, guest.to_here)) return false;
  guest.known = splits_.size();
  guests_.push_back(std::move(guest));
  return true;
}

// Dimensions of the guest that the node does not see: they are reduced there, and
// run together with ours of the same sizes, or become ours.
bool Join::pair_rest(const Domain& other, std::map<uint32_t, uint32_t>& to_here) {
  std::vector<uint32_t> rest;
  for (uint32_t d = 0; d < other.dims().size(); ++d) {
    if (to_here.contains(d)) continue;
    if (!other.dims()[d].inner) return false;
    rest.push_back(d);
  }
  if (rest.empty()) return true;
  std::vector<uint32_t> ours = domain_.inner_dims();
  const bool adopt = ours.empty();
  if (adopt) {
    for (uint32_t d : rest) ours.push_back(domain_.add_like(other.dims()[d], to_here));
  }
  if (ours.size() != rest.size()) return false;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (!same_positions(domain_.dims()[ours[i]], other.dims()[rest[i]], to_here)) return false;
    to_here[rest[i]] = ours[i];
  }
  return true;
}

// Whether an inner dimension of a guest walks what one of ours does.
bool Join::same_positions(const DomainDim& ours, const DomainDim& theirs,
                          const std::map<uint32_t, uint32_t>& to_here) const {
  if (!known_equal(context_, ours.size, theirs.size)) return false;
  if (ours.parent < 0 || theirs.parent < 0) return ours.parent == theirs.parent;
  return ours.offsets == theirs.offsets &&
         to_here.at(static_cast<uint32_t>(theirs.parent)) == static_cast<uint32_t>(ours.parent);
}

bool Join::agree_on_inner(const Domain& other, const std::map<uint32_t, uint32_t>& to_here) {
  const bool here_has = domain_.has_inner();
  const bool there_has = other.has_inner();
  for (const auto& [there, here] : to_here) {
    const bool inner = other.dims()[there].inner;
    if (inner == domain_.dims()[here].inner) continue;
    if (here_has && there_has) return false;
    if (inner) domain_.set_inner(here);
  }
  return true;
}

// Dimensions of the node that no located operand has: they must be the ones the
// group reduces over, or come after all others and become inner.
bool Join::complete(Node node) {
  const auto sizes = node.type().sizes;
  std::vector<size_t> missing;
  size_t present = 0, last_present = 0;
  for (size_t d = 0; d < map_.size(); ++d) {
    if (!map_[d].empty()) {
      ++present;
      last_present = d;
    } else if (as_int(context_, sizes[d]) != 1) {
      missing.push_back(d);
    }
  }
  if (missing.empty()) return true;
  const std::set<uint32_t> used = dims_of(map_);
  const std::vector<uint32_t> inner = domain_.inner_dims();
  if (!inner.empty()) {
    if (used.contains(inner[0])) return complete_beside(node, missing);
    if (inner.size() != missing.size()) return false;
    for (size_t i = 0; i < missing.size(); ++i) {
      if (used.contains(inner[i])) return false;
      if (!known_equal(context_, domain_.dims()[inner[i]].size, sizes[missing[i]])) return false;
      map_[missing[i]] = {inner[i]};
    }
    return true;
  }
  if (present == 0 || missing.front() < last_present) return false;
  // The edges would no longer be free to become those of each node.
  if (grouping_.feeds_edges(node)) return false;
  for (size_t d : missing) map_[d] = {domain_.add(sizes[d], true)};
  return true;
}

bool Join::covers_rows_or_all(const DimMap& map) const {
  std::set<uint32_t> used = dims_of(map);
  for (uint32_t d : dims_of(map)) {  // an edge belongs to one row
    if (domain_.dims()[d].parent >= 0) used.insert(static_cast<uint32_t>(domain_.dims()[d].parent));
  }
  size_t rows = 0, inner = 0, used_rows = 0, used_inner = 0, beside = 0, used_beside = 0;
  for (uint32_t d = 0; d < domain_.dims().size(); ++d) {
    const DomainDim& dim = domain_.dims()[d];
    size_t& all = dim.inner ? inner : (dim.beside ? beside : rows);
    size_t& covered = dim.inner ? used_inner : (dim.beside ? used_beside : used_rows);
    ++all;
    if (used.contains(d)) ++covered;
  }
  return used_rows == rows && (used_inner == 0 || used_inner == inner) &&
         (used_beside == 0 || used_beside == beside);
}

// All folds of a kernel run over its inner dimensions. One that folds nothing (a
// dimension of size 1) cannot be together with one that folds something.
bool Join::fits(const Located& member, const std::vector<Split>& splits, const Guest* guest) const {
  const auto here = [&](const DimMap& map) {
    if (guest == nullptr) return followed(map, splits);
    return followed(translated(followed(map, splits), guest->to_here), splits_, guest->known);
  };
  const DimMap map = here(member.map);
  if (!covers_rows_or_all(map)) return false;
  if (!member.fold_map) return true;
  std::set<uint32_t> folded = dims_of(here(*member.fold_map));
  for (uint32_t kept : dims_of(map)) folded.erase(kept);
  const std::vector<uint32_t> inner = domain_.inner_dims();
  return folded == std::set<uint32_t>(inner.begin(), inner.end());
}

bool Join::members_fit() const {
  if (!covers_rows_or_all(map_)) return false;
  for (NodeId member : grouping_.groups_[static_cast<size_t>(group_)].members) {
    if (!fits(grouping_.located_[member.value], splits_, nullptr)) return false;
  }
  for (const Guest& guest : guests_) {
    for (NodeId member : grouping_.groups_[static_cast<size_t>(guest.group)].members) {
      if (!fits(grouping_.located_[member.value], guest.splits, &guest)) return false;
    }
  }
  return true;
}

bool Join::fold(const Fold& fold) {
  if (grouping_.groups_[static_cast<size_t>(group_)].members.size() >= kMaxMembers) return false;
  const DimMap& input = grouping_.located(fold.input).map;
  fold_map_ = input;
  if (grouping_.located(fold.input).last) return false;
  last_ = domain_.walks_beside(input);
  if (fold.offsets) return fold_edges(fold, input) && members_fit();
  std::set<uint32_t> reduced;
  for (int64_t d : fold.dims) {
    const DimProduct& product = input[static_cast<size_t>(d)];
    const SymExprId size = fold.input.type().sizes[static_cast<size_t>(d)];
    if (product.empty() && as_int(context_, size) != 1) return false;
    reduced.insert(product.begin(), product.end());
  }
  const size_t absent = last_ ? 0 : domain_.beside_dims().size();
  if (dims_of(input).size() + absent != domain_.dims().size()) return false;
  const std::vector<uint32_t> inner = domain_.inner_dims();
  if (inner.empty()) {
    if (!fold_is_cheap(fold, reduced)) return false;
    for (uint32_t d : reduced) domain_.set_inner(d);
  } else if (std::set<uint32_t>(inner.begin(), inner.end()) != reduced) {
    return false;
  }
  map_ = folded_map(input, fold);
  return members_fit();
}

// Folds the edges of each row: dimension 0 becomes the rows.
bool Join::fold_edges(const Fold& fold, const DimMap& input) {
  if (input.empty() || input[0].size() != 1) return false;
  if (grouping_.level(fold.offsets) >= grouping_.groups_[static_cast<size_t>(group_)].level)
    return false;
  const uint32_t edges = input[0][0];
  const DomainDim dim = domain_.dims()[edges];
  if (dim.parent < 0 && domain_.has_inner()) return false;
  if (dim.parent >= 0 && dim.offsets != fold.offsets) return false;
  map_ = input;
  map_[0] = {dim.parent >= 0 ? static_cast<uint32_t>(dim.parent)
                             : domain_.make_ragged(edges, fold.offsets)};
  return true;
}

// A reduction over the last dimensions runs along with what computes its input.
// Over others it makes columns the rows of the kernel, which is slow for whatever
// else the group stores; then it is worth it only if nothing else is stored.
bool Join::fold_is_cheap(const Fold& fold, const std::set<uint32_t>& reduced) const {
  const DimMap& input = grouping_.located(fold.input).map;
  uint32_t last = 0;
  for (const DimProduct& product : input) {
    if (!product.empty()) last = product.back();
  }
  if (reduced.empty() || reduced.contains(last)) return true;
  for (NodeId member : grouping_.groups_[static_cast<size_t>(group_)].members) {
    const Node node = grouping_.graph_.node(member);
    if (!node.has_one_use()) return false;
  }
  return true;
}

void Join::commit(Node node) {
  Group& home = grouping_.groups_[static_cast<size_t>(group_)];
  for (const std::vector<NodeId>* ids : {&home.members, &home.aliases}) {
    for (NodeId id : *ids) {
      Located& located = grouping_.located_[id.value];
      located.map = followed(std::move(located.map), splits_);
      if (located.fold_map) located.fold_map = followed(std::move(*located.fold_map), splits_);
    }
  }
  for (const Guest& guest : guests_) {
    const auto here = [&](DimMap map) {
      return followed(translated(followed(std::move(map), guest.splits), guest.to_here), splits_,
                      guest.known);
    };
    Group& other = grouping_.groups_[static_cast<size_t>(guest.group)];
    auto move_in = [&](std::vector<NodeId>& from, std::vector<NodeId>& to) {
      for (NodeId id : from) {
        Located& located = grouping_.located_[id.value];
        located.group = group_;
        located.map = here(std::move(located.map));
        if (located.fold_map) located.fold_map = here(std::move(*located.fold_map));
        to.push_back(id);
      }
      from.clear();
    };
    move_in(other.members, home.members);
    move_in(other.aliases, home.aliases);
  }
  home.domain = std::move(domain_);
  grouping_.place(node, group_, std::move(map_), std::move(fold_map_), last_);
}

}  // namespace nfx
