#include "passes/random_graph.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "ops/op_table.h"

namespace nfx {
namespace {

constexpr Dtype kDtypes[] = {Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat64,
                             Dtype::kInt64,   Dtype::kInt32,   Dtype::kBool};
constexpr std::string_view kUnary[] = {
    "aten.neg.default",        "aten.abs.default",        "aten.relu.default",
    "aten.floor.default",      "aten.round.default",      "aten.sign.default",
    "aten.clone.default",      "aten.detach.default",     "aten.alias.default",
    "aten.t.default",          "aten.squeeze.default",    "aten.bitwise_not.default",
    "aten.zeros_like.default", "aten.logical_not.default"};
constexpr std::string_view kBinary[] = {
    "aten.add.Tensor",         "aten.sub.Tensor",        "aten.mul.Tensor",
    "aten.div.Tensor",         "aten.eq.Tensor",         "aten.lt.Tensor",
    "aten.maximum.default",    "aten.minimum.default",   "aten.logical_and.default",
    "aten.bitwise_xor.Tensor", "aten.bitwise_and.Tensor"};
constexpr std::string_view kWithNumber[] = {"aten.add.Tensor",        "aten.sub.Tensor",
                                            "aten.mul.Tensor",        "aten.div.Tensor",
                                            "aten.clamp_min.default", "aten.pow.Tensor_Scalar"};
constexpr double kNumbers[] = {0, 1, -1, 2, 8, 0.5};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {
    static const SchemaOpTable ops;
    made_.context = std::make_shared<Context>(&ops);
    made_.graph = std::make_unique<Graph>(made_.context);
  }

  RandomGraph make(int calls) {
    for (int i = 0; i < 3; ++i) add_input(i);
    for (int i = 0; i < calls; ++i) {
      for (int attempt = 0; attempt < 20 && !add_call(); ++attempt) {
      }
    }
    add_output();
    return std::move(made_);
  }

 private:
  Context& context() { return *made_.context; }
  Graph& graph() { return *made_.graph; }
  // The distributions of the standard library differ from one to the next.
  size_t below(size_t limit) { return random_() % limit; }
  template <class T, size_t N>
  T any(const T (&options)[N]) {
    return options[below(N)];
  }

  Value special(Dtype dtype) {
    constexpr double kFloats[] = {0.0,
                                  -0.0,
                                  1.5,
                                  -2.0,
                                  3.25,
                                  1e30,
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
    constexpr int64_t kIntegers[] = {0, 1, -1, 5, INT32_MIN, INT32_MAX, INT64_MIN};
    return is_floating(dtype) ? make_value(dtype, any(kFloats)) : make_value(dtype, any(kIntegers));
  }

  void add_input(int number) {
    const Dtype dtype = any(kDtypes);
    const SymExprId sizes[] = {sym_int(context(), 2), sym_int(context(), 3)};
    const std::string name = "x" + std::to_string(number);
    values_.push_back(graph().add(NodeKind::kPlaceholder, name, context().call({}), {}, name,
                                  contiguous_tensor(context(), dtype, sizes)));
    TensorValue input{.dtype = dtype, .sizes = {2, 3}};
    for (int i = 0; i < 6; ++i) input.elements.push_back(special(dtype));
    made_.inputs.push_back(std::move(input));
  }

  // One of the last values rather than any, so that chains come about.
  Node value() {
    const size_t recent = std::min<size_t>(values_.size(), below(2) == 0 ? 3 : 12);
    return values_[values_.size() - 1 - below(recent)];
  }

  bool add_call() {
    switch (below(8)) {
      case 0:
      case 1: return call(any(kUnary), {value()});
      case 2:
      case 3: return call(any(kBinary), {value(), value()});
      case 4:
      case 5: return call(any(kWithNumber), {value(), number()});
      case 6: return below(3) == 0 ? add_constant() : add_where();
      default: return add_view();
    }
  }

  ArgId number() {
    const double chosen = any(kNumbers);
    const bool integral = chosen == std::floor(chosen) && below(2) == 0;
    return integral ? context().integer(static_cast<int64_t>(chosen)) : context().real(chosen);
  }

  ArgId list(const std::vector<int64_t>& integers) {
    std::vector<ArgId> children;
    for (const int64_t integer : integers) children.push_back(context().integer(integer));
    return context().sequence(ArgKind::kList, children);
  }

  bool add_constant() { return call("aten.full.default", {list({2, 3}), number()}); }

  bool add_where() { return call("aten.where.self", {value(), value(), value()}); }

  bool add_view() {
    const Node input = value();
    std::vector<int64_t> sizes = concrete_sizes(input);
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    const size_t rank = sizes.size();
    const ArgId zero = context().integer(0), one = context().integer(1);
    switch (below(7)) {
      case 0: return call("aten.view.default", {input, list({count})});
      case 1: return call("aten.view.default", {input, list(sizes)});
      case 2: return rank < 4 && call("aten.unsqueeze.default", {input, zero});
      case 3: return rank > 0 && call("aten.squeeze.dim", {input, zero});
      case 4: return rank > 1 && call("aten.transpose.int", {input, zero, one});
      case 5:
        return rank > 0 && call("aten.slice.Tensor", {input, zero, zero, number_of(sizes[0])});
      default: sizes.insert(sizes.begin(), 2); break;
    }
    return rank < 4 && count < 100 && call("aten.expand.default", {input, list(sizes)});
  }

  ArgId number_of(int64_t size) { return context().integer(below(2) == 0 ? size : size - 1); }

  std::vector<int64_t> concrete_sizes(Node node) {
    std::vector<int64_t> sizes;
    for (const SymExprId size : node.type().sizes) sizes.push_back(*as_int(context(), size));
    return sizes;
  }

  bool call(std::string_view target, std::initializer_list<Graph::Operand> operands) {
    if (!broadcast(operands)) return false;
    const Node node = graph().call(target, operands);
    const Result<TypeId> type = op_row(node)->type(node);
    if (type) graph().set_type(node, *type);
    if (!type || node.type().rank() > 4 || !has_value(node)) {
      graph().erase(node);
      return false;
    }
    values_.push_back(node);
    return true;
  }

  bool broadcast(std::initializer_list<Graph::Operand> operands) {
    std::vector<int64_t> shape;
    for (const Graph::Operand& operand : operands) {
      if (!operand.node) continue;
      const std::vector<int64_t> sizes = concrete_sizes(operand.node);
      if (!broadcasts(shape, sizes)) return false;
      if (sizes.size() > shape.size()) shape = sizes;
    }
    return true;
  }

  static bool broadcasts(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
      const int64_t x = a[a.size() - i], y = b[b.size() - i];
      if (x != y && x != 1 && y != 1) return false;
    }
    return true;
  }

  void add_output() {
    std::vector<Node> results;
    for (size_t i = 0; i < 3; ++i) results.push_back(value());
    const std::vector<ArgId> holes(results.size(), context().hole());
    const ArgId tuple = context().sequence(ArgKind::kTuple, holes);
    graph().add(NodeKind::kOutput, "output", context().call(std::vector<ArgId>{tuple}), results);
  }

  std::mt19937 random_;
  RandomGraph made_;
  std::vector<Node> values_;
};

}  // namespace

RandomGraph random_graph(uint32_t seed, int calls) { return Generator(seed).make(calls); }

}  // namespace nfx
