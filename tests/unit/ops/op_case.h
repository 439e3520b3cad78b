// A graph of a few ops on given numbers.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace nfx::testing {

class OpCase : public ::testing::Test {
 protected:
  using Numbers = std::vector<double>;
  using Sizes = std::vector<int64_t>;

  Node input(Dtype dtype, const Sizes& sizes, const Numbers& numbers = {}) {
    std::vector<SymExprId> symbolic;
    for (int64_t size : sizes) symbolic.push_back(sym_int(*context, size));
    const Node node = graph.add(NodeKind::kPlaceholder, "x", context->call({}), {}, "x",
                                contiguous_tensor(*context, dtype, symbolic));
    Tensor tensor{sizes, {}};
    for (double number : numbers) {
      tensor.values.push_back(is_floating(dtype) ? make_value(dtype, number)
                                                 : make_value(dtype, static_cast<int64_t>(number)));
    }
    reference.set(node, std::move(tensor));
    return node;
  }
  Node floats(const Sizes& sizes, const Numbers& numbers = {}) {
    return input(Dtype::kFloat32, sizes, numbers);
  }
  Node integers(const Sizes& sizes, const Numbers& numbers = {}) {
    return input(Dtype::kInt64, sizes, numbers);
  }

  Node call(std::string_view op, std::initializer_list<Graph::Operand> operands) {
    return emit(graph, "aten." + std::string(op), operands);
  }
  ArgId i(int64_t value) { return context->integer(value); }
  ArgId f(double value) { return context->real(value); }
  ArgId b(bool value) { return context->boolean(value); }
  ArgId none() { return context->none(); }
  ArgId list(const Sizes& values) {
    std::vector<ArgId> children;
    for (int64_t value : values) children.push_back(i(value));
    return context->sequence(ArgKind::kList, children);
  }

  // "float32[2, 3](3, 1)": dtype, sizes, strides.
  std::string type_text(TypeId id) {
    const Type& type = context->type(id);
    std::string text(dtype_name(type.dtype));
    auto append = [&](std::span<const SymExprId> ids, const char* open, const char* close) {
      text += open;
      for (size_t d = 0; d < ids.size(); ++d) {
        text += (d > 0 ? ", " : "") + print_sym(*context, ids[d]);
      }
      text += close;
    };
    append(type.sizes, "[", "]");
    append(type.strides, "(", ")");
    return text;
  }
  std::string type_text(Node node) { return type_text(node.type_id()); }

  Numbers numbers(const Tensor& tensor) {
    Numbers result;
    for (const Value& value : tensor.values) result.push_back(as_double(value));
    return result;
  }
  Numbers numbers(Node node) { return numbers(reference.tensor(node)); }

  SchemaOpTable table;
  std::shared_ptr<Context> context = std::make_shared<Context>(&table);
  Graph graph{context};
  Reference reference;
};

}  // namespace nfx::testing
