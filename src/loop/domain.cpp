#include "loop/domain.h"

#include <algorithm>

#include "ops/op_row.h"

namespace nfx {
namespace {

bool is_one(Context& context, SymExprId size) { return as_int(context, size) == 1; }

// size / divisor where that is exact, else none.
SymExprId exact_quotient(Context& context, SymExprId size, SymExprId divisor) {
  if (as_int(context, sym_mod(context, size, divisor)) != 0) return {};
  return sym_floordiv(context, size, divisor);
}

// Records where a view reads its input: each input dimension as the output
// dimension that it follows, or -1 for position 0.
class ViewProbe final : public ElementContext {
 public:
  explicit ViewProbe(Node view) : view_(view) {
    for (size_t d = 0; d < view.type().rank(); ++d) {
      index_.push_back({&pool_, pool_.leaf(ExprOp::kIndex, Dtype::kInt64, d)});
    }
  }

  Node node() const override { return view_; }
  ExprPool& pool() override { return pool_; }
  std::span<const Expr> index() const override { return index_; }
  Expr aligned(Node) override { return failed(); }
  Expr size(SymExprId) override { return {&pool_, pool_.leaf(ExprOp::kScalar, Dtype::kInt64, 0)}; }
  Expr number(ArgumentView, Dtype dtype) override {
    return {&pool_, pool_.leaf(ExprOp::kScalar, dtype, 0)};
  }

  Expr read(Node input, std::span<const Expr> index, Expr guard) override {
    if (input != view_.operand(0) || guard.id != kNoExpr) return failed();
    for (const Expr& position : index) source_.push_back(dimension(position));
    return failed_ ? failed() : literal(pool_, input.type().dtype, 0);
  }

  std::optional<std::vector<int>> source() const {
    if (failed_) return std::nullopt;
    return source_;
  }

 private:
  Expr failed() {
    failed_ = true;
    return literal(pool_, view_.type().dtype, 0);
  }
  int dimension(Expr position) {
    const ExprNode& node = pool_[position.id];
    if (node.op == ExprOp::kIndex) return static_cast<int>(node.payload);
    if (node.op == ExprOp::kConst && node.payload == 0) return -1;
    failed_ = true;
    return -1;
  }

  Node view_;
  ExprPool pool_;
  std::vector<Expr> index_;
  std::vector<int> source_;
  bool failed_ = false;
};

// Permutations and expansions: every output dimension is one input dimension or
// has no influence.
std::optional<DimMap> relabelled(Node view, const DimMap& input) {
  const OpRow* row = op_row(view);
  if (row == nullptr || !row->element) return std::nullopt;
  ViewProbe probe(view);
  row->element(probe);
  const std::optional<std::vector<int>> source = probe.source();
  if (!source || source->size() != input.size()) return std::nullopt;
  DimMap map(view.type().rank());
  for (size_t d = 0; d < input.size(); ++d) {
    const int out = (*source)[d];
    if (out >= 0) {
      if (!map[static_cast<size_t>(out)].empty()) return std::nullopt;  // a diagonal
      map[static_cast<size_t>(out)] = input[d];
    } else if (!input[d].empty()) {
      return std::nullopt;  // a fixed position of a dimension that matters
    }
  }
  return map;
}

// Takes a product of `size` from the front of `rest`, dividing its last part.
std::optional<DimProduct> take(Context& context, DimProduct& rest, SymExprId size, Domain& domain,
                               std::vector<Split>& splits) {
  DimProduct taken;
  SymExprId missing = size;
  while (!is_one(context, missing)) {
    if (rest.empty()) return std::nullopt;
    const uint32_t dim = rest.front();
    const SymExprId extent = domain.dims()[dim].size;
    const SymExprId quotient = known_equal(context, missing, extent)  // also where it may be 0
                                   ? sym_int(context, 1)
                                   : exact_quotient(context, missing, extent);
    if (quotient) {
      missing = quotient;
      taken.push_back(dim);
      rest.erase(rest.begin());
      continue;
    }
    const SymExprId second_size = exact_quotient(context, extent, missing);
    if (!second_size) return std::nullopt;
    const Split split{dim, domain.split(dim, second_size)};
    splits.push_back(split);
    taken.push_back(dim);
    rest.front() = split.second;
    missing = sym_int(context, 1);
  }
  return taken;
}

// Lines up two shapes of the same number of elements by the positions at which
// their running products agree.
class ReshapeMatcher {
 public:
  ReshapeMatcher(Context& context, std::span<const SymExprId> from, std::span<const SymExprId> to)
      : context_(context), from_(from), to_(to) {}

  // The next pair of runs [from_begin, from_end) and [to_begin, to_end).
  bool next() {
    from_begin = from_end;
    to_begin = to_end;
    if (from_end == from_.size() && to_end == to_.size()) return false;
    SymExprId from_product = step(from_, from_end);
    SymExprId to_product = step(to_, to_end);
    while (!known_equal(context_, from_product, to_product)) {
      const bool grow_from = compare(context_, SymOp::kLt, from_product, to_product) == Truth::kYes;
      const bool grow_to = compare(context_, SymOp::kLt, to_product, from_product) == Truth::kYes;
      if (grow_from && from_end < from_.size()) {
        from_product = sym_mul(context_, from_product, from_[from_end++]);
      } else if (grow_to && to_end < to_.size()) {
        to_product = sym_mul(context_, to_product, to_[to_end++]);
      } else if (!grow_from && !grow_to && !exhausted()) {
        grow_symbolic(from_product, to_product);
      } else {
        matched = false;
        return false;
      }
    }
    absorb_ones();
    return true;
  }

  size_t from_begin = 0, from_end = 0, to_begin = 0, to_end = 0;
  bool matched = true;

 private:
  SymExprId step(std::span<const SymExprId> sizes, size_t& end) {
    return end < sizes.size() ? sizes[end++] : sym_int(context_, 1);
  }
  bool exhausted() const { return from_end == from_.size() && to_end == to_.size(); }
  // Neither product is known to be smaller: grow the one that divides the other.
  void grow_symbolic(SymExprId& from_product, SymExprId& to_product) {
    const bool to_is_factor = as_int(context_, sym_mod(context_, from_product, to_product)) == 0;
    if ((to_is_factor && to_end < to_.size()) || from_end == from_.size()) {
      to_product = sym_mul(context_, to_product, to_[to_end++]);
    } else {
      from_product = sym_mul(context_, from_product, from_[from_end++]);
    }
  }
  void absorb_ones() {
    while (from_end < from_.size() && is_one(context_, from_[from_end])) ++from_end;
    while (to_end < to_.size() && is_one(context_, to_[to_end])) ++to_end;
  }

  Context& context_;
  std::span<const SymExprId> from_, to_;
};

bool covers(Context& context, const DimProduct& product, const Domain& domain, SymExprId size) {
  SymExprId extent = sym_int(context, 1);
  for (uint32_t dim : product) extent = sym_mul(context, extent, domain.dims()[dim].size);
  return known_equal(context, extent, size);
}

std::optional<DimMap> reshaped(Node view, const DimMap& input, Domain& domain,
                               std::vector<Split>& splits) {
  Context& context = view.graph().context();
  const auto from = view.operand(0).type().sizes;
  const auto to = view.type().sizes;
  DimMap map(to.size());
  DimMap source = input;
  ReshapeMatcher matcher(context, from, to);
  while (matcher.next()) {
    DimProduct rest;
    for (size_t d = matcher.from_begin; d < matcher.from_end; ++d) {
      if (!covers(context, source[d], domain, from[d])) {
        // An expanded dimension may only be kept as it is.
        const bool alone = matcher.to_end == matcher.to_begin + 1 &&
                           known_equal(context, from[d], to[matcher.to_begin]);
        if (!source[d].empty() || !alone) return std::nullopt;
      }
      rest.insert(rest.end(), source[d].begin(), source[d].end());
    }
    const bool broadcast = rest.empty();
    for (size_t d = matcher.to_begin; d < matcher.to_end && !broadcast; ++d) {
      const size_t known = splits.size();
      std::optional<DimProduct> product = take(context, rest, to[d], domain, splits);
      if (!product) return std::nullopt;
      for (size_t s = known; s < splits.size(); ++s) {
        follow(splits[s], source);
        follow(splits[s], map);
      }
      map[d] = std::move(*product);
    }
    if (!rest.empty()) return std::nullopt;
  }
  if (!matcher.matched) return std::nullopt;
  return map;
}

template <class Is>
bool walks(const DimMap& map, Is is) {
  return std::any_of(map.begin(), map.end(), [&](const DimProduct& product) {
    return std::any_of(product.begin(), product.end(), is);
  });
}

}  // namespace

uint32_t Domain::add(SymExprId size, bool inner) {
  dims_.push_back({size, inner});
  return static_cast<uint32_t>(dims_.size() - 1);
}

uint32_t Domain::add_like(const DomainDim& dim, const std::map<uint32_t, uint32_t>& to_here) {
  dims_.push_back(dim);
  if (dim.parent >= 0)
    dims_.back().parent = static_cast<int32_t>(to_here.at(static_cast<uint32_t>(dim.parent)));
  return static_cast<uint32_t>(dims_.size() - 1);
}

uint32_t Domain::add_beside(SymExprId size) {
  const uint32_t dim = add(size, false);
  dims_[dim].beside = true;
  return dim;
}

uint32_t Domain::make_ragged(uint32_t edges, Node offsets) {
  const SymExprId rows = sym_sub(*context_, offsets.type().sizes[0], sym_int(*context_, 1));
  const uint32_t parent = add(rows, false);
  dims_[edges].inner = true;
  dims_[edges].parent = static_cast<int32_t>(parent);
  dims_[edges].offsets = offsets;
  return parent;
}

std::optional<uint32_t> Domain::edges_of(uint32_t parent, Node offsets) const {
  for (uint32_t d = 0; d < dims_.size(); ++d) {
    if (dims_[d].parent == static_cast<int32_t>(parent) && dims_[d].offsets == offsets) return d;
  }
  return std::nullopt;
}

bool Domain::has_inner() const {
  return std::any_of(dims_.begin(), dims_.end(), [](const DomainDim& dim) { return dim.inner; });
}

bool Domain::is_ragged() const {
  return std::any_of(dims_.begin(), dims_.end(),
                     [](const DomainDim& dim) { return dim.parent >= 0; });
}

std::vector<uint32_t> Domain::inner_dims() const {
  std::vector<uint32_t> inner;
  for (uint32_t d = 0; d < dims_.size(); ++d) {
    if (dims_[d].inner) inner.push_back(d);
  }
  return inner;
}

std::vector<uint32_t> Domain::beside_dims() const {
  std::vector<uint32_t> beside;
  for (uint32_t d = 0; d < dims_.size(); ++d) {
    if (dims_[d].beside) beside.push_back(d);
  }
  return beside;
}

bool Domain::walks_inner(const DimMap& map) const {
  return walks(map, [&](uint32_t d) { return dims_[d].inner; });
}

bool Domain::walks_beside(const DimMap& map) const {
  return walks(map, [&](uint32_t d) { return dims_[d].beside; });
}

uint32_t Domain::split(uint32_t dim, SymExprId inner_size) {
  dims_[dim].size = sym_floordiv(*context_, dims_[dim].size, inner_size);
  const uint32_t second = add(inner_size, dims_[dim].inner);
  dims_[second].beside = dims_[dim].beside;
  return second;
}

void follow(const Split& split, DimMap& map) {
  for (DimProduct& product : map) {
    for (size_t i = 0; i < product.size(); ++i) {
      if (product[i] == split.dim)
        product.insert(product.begin() + static_cast<ptrdiff_t>(++i), split.second);
    }
  }
}

DimMap fresh_map(Context& context, Domain& domain, std::span<const SymExprId> sizes, bool inner) {
  DimMap map(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!is_one(context, sizes[d])) map[d].push_back(domain.add(sizes[d], inner));
  }
  return map;
}

std::optional<DimMap> view_map(Node view, const DimMap& input, Domain& domain,
                               std::vector<Split>& splits) {
  if (!view.has(Trait::kReshape)) return relabelled(view, input);
  Domain trial = domain;
  std::vector<Split> made;
  std::optional<DimMap> map = reshaped(view, input, trial, made);
  if (map) {
    domain = std::move(trial);
    splits.insert(splits.end(), made.begin(), made.end());
  }
  return map;
}

std::optional<std::vector<std::pair<uint32_t, uint32_t>>> pair_products(
    Context& context, DimProduct a, Domain& a_domain, std::vector<Split>& a_splits, DimProduct b,
    Domain& b_domain, std::vector<Split>& b_splits) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  while (!a.empty() && !b.empty()) {
    const SymExprId a_size = a_domain.dims()[a.front()].size;
    const SymExprId b_size = b_domain.dims()[b.front()].size;
    if (!known_equal(context, a_size, b_size)) {
      if (SymExprId second = exact_quotient(context, a_size, b_size)) {
        a_splits.push_back({a.front(), a_domain.split(a.front(), second)});
        a.insert(a.begin() + 1, a_splits.back().second);
      } else if (second = exact_quotient(context, b_size, a_size); second) {
        b_splits.push_back({b.front(), b_domain.split(b.front(), second)});
        b.insert(b.begin() + 1, b_splits.back().second);
      } else {
        return std::nullopt;
      }
      continue;
    }
    pairs.emplace_back(a.front(), b.front());
    a.erase(a.begin());
    b.erase(b.begin());
  }
  if (!a.empty() || !b.empty()) return std::nullopt;
  return pairs;
}

}  // namespace nfx
