// How rows are written. A family is one file:
//
//   NFX_OPS(activations) {
//     op("aten::relu(Tensor self) -> Tensor")
//         .pointwise(Promote::kDefault)
//         .value([](Expr x) { return max_nan(x, 0); });
//   }
//
// An op is named by its schema text, as PyTorch prints it; the row's name is
// "aten.relu.default". At import the text is compared with the running
// PyTorch's.
#pragma once
#include <string_view>
#include <type_traits>
#include <utility>

#include "expr/expr_math.h"
#include "ops/op_row.h"

namespace nfx {

// Number of Expr parameters of a callable, with or without a leading context.
template <class F>
struct ValueArity;
template <class R, class C, class... A>
struct ValueArity<R (C::*)(A...) const> {
  static constexpr size_t kAll = sizeof...(A);
  static constexpr bool kContext = (std::is_same_v<A, ElementContext&> || ...);
  static constexpr size_t kExprs = kAll - (kContext ? 1 : 0);
};

// Argument `position` of the node at the element: a tensor's element or a number, in `dtype`.
Expr operand_value(ElementContext& context, size_t position, Dtype dtype);

class RowBuilder {
 public:
  explicit RowBuilder(OpRow& row) : row_(row) {}

  RowBuilder& traits(std::initializer_list<Trait> traits);
  // Pure and element by element; the result is broadcast, with PyTorch's strides.
  RowBuilder& pointwise(Promote promote = Promote::kDefault);
  RowBuilder& commutative() { return traits({Trait::kCommutative}); }

  // The value of an element from the first arguments of the schema, cast to the
  // compute dtype. A leading ElementContext& gives the other arguments.
  template <class F>
  RowBuilder& value(F f) {
    using Arity = ValueArity<decltype(&F::operator())>;
    row_.element = [f](ElementContext& context) {
      const Dtype dtype = compute_dtype(context.node());
      return apply(f, context, dtype, std::make_index_sequence<Arity::kExprs>());
    };
    row_.value_operands = Arity::kExprs;
    return *this;
  }

  // Promotion over more arguments than `value` takes.
  RowBuilder& promotes_over(size_t arguments) {
    row_.value_operands = arguments;
    return *this;
  }

  RowBuilder& wide_numbers() {
    row_.wide_numbers = true;
    return *this;
  }

  RowBuilder& type(TypeRule rule);
  RowBuilder& element(ElementRule rule);              // aligned operands
  RowBuilder& reads(ElementRule rule);                // every operand is read by index
  RowBuilder& view(ElementRule rule, TypeRule type);  // shares memory with operand 0
  RowBuilder& fold(FoldRule rule, TypeRule type);
  RowBuilder& expand(ExpandRule rule);
  // Message passing: see OpRow::along_edges and OpRow::spread_over.
  RowBuilder& along_edges() {
    row_.along_edges = true;
    return traits({Trait::kGather});
  }
  RowBuilder& spreads(std::function<Node(Node)> offsets) {
    row_.spread_over = std::move(offsets);
    return *this;
  }
  RowBuilder& refuses(std::function<std::string(Node)> reason);

 private:
  template <class F, size_t... I>
  static Expr apply(const F& f, ElementContext& context, Dtype dtype, std::index_sequence<I...>) {
    if constexpr (ValueArity<decltype(&F::operator())>::kContext) {
      return f(context, operand_value(context, I, dtype)...);
    } else {
      return f(operand_value(context, I, dtype)...);
    }
  }

  OpRow& row_;
};

// Starts the row of the op with that schema.
RowBuilder op(std::string_view schema);

// Shorthands inside value rules: argument by name.
Expr number_argument(ElementContext& context, std::string_view name, Dtype dtype);
double real_argument(Node node, std::string_view name, double otherwise = 0);
int64_t int_argument(Node node, std::string_view name, int64_t otherwise = 0);
std::string_view string_argument(Node node, std::string_view name);

}  // namespace nfx

#define NFX_OPS(family)                                                           \
  static void define_##family();                                                  \
  [[maybe_unused]] static const bool family_##family = (define_##family(), true); \
  static void define_##family()
