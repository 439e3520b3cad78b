#include "passes/left_side.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/op_table.h"

namespace nfx {
namespace {

constexpr Dtype kDtypes[] = {Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt64, Dtype::kInt32,
                             Dtype::kBool};

void find_variables(const Pattern& pattern, std::vector<std::string_view>& values,
                    std::vector<std::string_view>& numbers) {
  std::vector<std::string_view>* into = pattern.kind == PatternKind::kValue    ? &values
                                        : pattern.kind == PatternKind::kNumber ? &numbers
                                                                               : nullptr;
  if (into != nullptr && std::ranges::find(*into, pattern.name) == into->end()) {
    into->push_back(pattern.name);
  }
  for (const Pattern& child : pattern.children) find_variables(child, values, numbers);
}

size_t num_overloads(const Pattern& pattern) {
  size_t count = pattern.op == nullptr ? 0 : pattern.op->targets.size();
  for (const Pattern& child : pattern.children) count = std::max(count, num_overloads(child));
  return count;
}

std::vector<Value> special_values(Dtype dtype) {
  std::vector<Value> values;
  if (dtype == Dtype::kBool) return {make_value(dtype, int64_t{0}), make_value(dtype, int64_t{1})};
  if (is_floating(dtype)) {
    const bool wide = dtype == Dtype::kFloat64;
    const double inf = std::numeric_limits<double>::infinity();
    const double largest =
        wide ? std::numeric_limits<double>::max() : double{std::numeric_limits<float>::max()};
    const double least = wide ? std::numeric_limits<double>::denorm_min()
                              : double{std::numeric_limits<float>::denorm_min()};
    for (const double value : {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, 1e-3, inf, -inf, std::nan(""),
                               largest, -largest, least, -least, 7 * least}) {
      values.push_back(make_value(dtype, value));
    }
    return values;
  }
  const int64_t lowest = dtype == Dtype::kInt32 ? INT32_MIN : INT64_MIN;
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-7},
                              int64_t{46341}, lowest, lowest + 1, -(lowest + 1)}) {
    values.push_back(make_value(dtype, value));
  }
  return values;
}

class Builder {
 public:
  Builder(const Choice& choice, LeftSide& side) : choice_(choice), side_(side) {}

  // Every combination of values of the variables, one an element.
  void add_inputs() {
    int64_t count = 1;
    for (const auto& [name, dtype] : choice_.dtypes) {
      count *= static_cast<int64_t>(special_values(dtype).size());
    }
    size_t period = 1;
    const SymExprId size = sym_int(context(), count);
    for (const auto& [name, dtype] : choice_.dtypes) {
      type_ = contiguous_tensor(context(), dtype, {&size, 1});
      variables_[name] =
          graph().add(NodeKind::kPlaceholder, name, context().call({}), {}, name, type_);
      const std::vector<Value> values = special_values(dtype);
      TensorValue input{.dtype = dtype, .sizes = {count}};
      for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
        input.elements.push_back(values[i / period % values.size()]);
      }
      period *= values.size();
      side_.inputs.push_back(std::move(input));
    }
    size_ = count;
  }

  std::optional<Node> call(const Pattern& pattern) {
    const auto& targets = pattern.op->targets;
    const std::string_view target = targets[std::min(choice_.overload, targets.size() - 1)];
    const OpInfo* op = context().op(context().intern(target));
    if (op == nullptr || op->schema == nullptr) return std::nullopt;
    std::vector<ArgId> arguments;
    std::vector<Node> operands;
    std::vector<const Pattern*> children;
    for (const Pattern& child : pattern.children) children.push_back(&child);
    if (choice_.swap && op->has(Trait::kCommutative)) std::swap(children[0], children[1]);
    for (const Pattern* child : children) {
      if (child->kind == PatternKind::kRest) {
        if (!required(*op->schema, arguments)) return std::nullopt;
      } else if (!argument(*child, op->schema->args[arguments.size()], arguments, operands)) {
        return std::nullopt;
      }
    }
    return typed(target, arguments, operands);
  }

  std::optional<Node> typed(std::string_view target, const std::vector<ArgId>& arguments,
                            const std::vector<Node>& operands) {
    const Node node =
        graph().add(NodeKind::kCallFunction, target, context().call(arguments), operands);
    const OpRow* row = op_row(node);
    if (row == nullptr || !row->type) return std::nullopt;
    const Result<TypeId> type = row->type(node);
    if (!type || !is_computable(context().type(*type).dtype)) return std::nullopt;
    graph().set_type(node, *type);
    return node;
  }

  ArgId hole() { return context().hole(); }

 private:
  Context& context() { return *side_.context; }
  Graph& graph() { return *side_.graph; }

  ArgId number(double value, bool integral) {
    return integral ? context().integer(static_cast<int64_t>(value)) : context().real(value);
  }

  bool argument(const Pattern& child, const SchemaArg& formal, std::vector<ArgId>& arguments,
                std::vector<Node>& operands) {
    const bool wants_tensor = formal.type.kind == SchemaKind::kTensor;
    if (child.kind == PatternKind::kLiteral && choice_.literals_are_tensors && wants_tensor) {
      return operand(constant_tensor(child), arguments, operands);
    }
    if (child.kind == PatternKind::kLiteral && formal.type.kind == SchemaKind::kBool) {
      arguments.push_back(context().boolean(child.literal != 0));
    } else if (child.kind == PatternKind::kLiteral) {
      arguments.push_back(number(child.literal, child.is_integer));
    } else if (child.kind == PatternKind::kNumber) {
      const double value = choice_.numbers.at(child.name);
      const bool truth = formal.type.kind == SchemaKind::kBool;
      arguments.push_back(truth ? context().boolean(value != 0)
                                : number(value, choice_.integral_numbers));
    } else if (child.kind == PatternKind::kValue) {
      return wants_tensor && operand(variables_.at(child.name), arguments, operands);
    } else {
      return wants_tensor && operand(call(child), arguments, operands);
    }
    return true;
  }

  bool operand(std::optional<Node> node, std::vector<ArgId>& arguments,
               std::vector<Node>& operands) {
    if (!node) return false;
    arguments.push_back(context().hole());
    operands.push_back(*node);
    return true;
  }

  // full([], literal, dtype=the first variable's)
  std::optional<Node> constant_tensor(const Pattern& literal) {
    const Dtype dtype = choice_.dtypes.begin()->second;
    const Arg argument{.kind = ArgKind::kDtype, .dtype = dtype};
    const ArgId keywords = context().sequence(
        ArgKind::kDict, std::vector<ArgId>{context().string("dtype"), context().intern(argument)});
    const ArgId sizes = context().sequence(ArgKind::kList, {});
    const ArgId arguments = context().call(
        std::vector<ArgId>{sizes, number(literal.literal, literal.is_integer)}, keywords);
    return graph().add(NodeKind::kCallFunction, "aten.full.default", arguments, {}, {},
                       contiguous_tensor(context(), dtype, {}));
  }

  // Arguments without defaults that leave a tensor as it is.
  bool required(const Schema& schema, std::vector<ArgId>& arguments) {
    for (size_t i = arguments.size(); i < schema.args.size(); ++i) {
      const SchemaArg& formal = schema.args[i];
      if (formal.default_value) continue;
      const int64_t entry = choice_.swap ? 1 : size_;
      const std::vector<ArgId> list{context().integer(entry)};
      const Arg dtype{.kind = ArgKind::kDtype, .dtype = choice_.dtypes.begin()->second};
      const Arg device{.kind = ArgKind::kDevice, .text = context().intern("cpu")};
      switch (formal.type.kind) {
        case SchemaKind::kInt: arguments.push_back(context().sequence(ArgKind::kList, list)); break;
        case SchemaKind::kDtype: arguments.push_back(context().intern(dtype)); break;
        case SchemaKind::kDevice: arguments.push_back(context().intern(device)); break;
        default: return false;
      }
    }
    return true;
  }

  const Choice& choice_;
  LeftSide& side_;
  std::map<std::string_view, Node> variables_;
  TypeId type_;
  int64_t size_ = 0;
};

// One entry of `options` for each name, in all combinations.
template <class T>
std::vector<std::map<std::string_view, T>> combinations(const std::vector<std::string_view>& names,
                                                        std::span<const T> options) {
  std::vector<std::map<std::string_view, T>> all{{}};
  for (const std::string_view name : names) {
    std::vector<std::map<std::string_view, T>> longer;
    for (const auto& combination : all) {
      for (const T option : options) {
        longer.push_back(combination);
        longer.back()[name] = option;
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

std::vector<Choice> choices(const Pattern& pattern) {
  constexpr double kNumbers[] = {2, -1, 0, 3, 0.25, -8};
  std::vector<std::string_view> values, numbers;
  find_variables(pattern, values, numbers);
  std::vector<Choice> all;
  for (const auto& dtypes : combinations<Dtype>(values, kDtypes)) {
    for (const auto& given : combinations<double>(numbers, kNumbers)) {
      for (size_t bits = 0; bits < 8 * num_overloads(pattern); ++bits) {
        all.push_back({.dtypes = dtypes,
                       .numbers = given,
                       .integral_numbers = (bits & 1) != 0,
                       .overload = bits >> 3,
                       .swap = (bits & 2) != 0,
                       .literals_are_tensors = (bits & 4) != 0});
      }
    }
  }
  return all;
}

std::optional<LeftSide> left_side(const Pattern& pattern, const Choice& choice) {
  static const SchemaOpTable ops;
  LeftSide side{.context = std::make_shared<Context>(&ops)};
  side.graph = std::make_unique<Graph>(side.context);
  Builder builder(choice, side);
  builder.add_inputs();
  const std::optional<Node> root = builder.call(pattern);
  if (!root) return std::nullopt;
  const std::optional<Node> copy = builder.typed("aten.clone.default", {builder.hole()}, {*root});
  if (!copy) return std::nullopt;
  const ArgId results = side.context->sequence(ArgKind::kTuple, std::vector<ArgId>{builder.hole()});
  side.graph->add(NodeKind::kOutput, "output", side.context->call(std::vector<ArgId>{results}),
                  {{*copy}});
  return side;
}

}  // namespace nfx
