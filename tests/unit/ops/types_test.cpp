// Dtypes, sizes and strides of results, as eager PyTorch gives them.
#include "ops/op_case.h"

namespace nfx::testing {
namespace {

class Types : public OpCase {};

TEST_F(Types, TensorsComeBeforeZeroDimTensorsAndNumbers) {
  const Node half = input(Dtype::kFloat16, {2}), small = input(Dtype::kInt32, {2});
  const Node wide0 = input(Dtype::kFloat64, {}), long0 = input(Dtype::kInt64, {});
  const Node truth = input(Dtype::kBool, {2});
  auto dtype = [&](Node node) { return std::string(dtype_name(node.type().dtype)); };
  EXPECT_EQ(dtype(call("add.Tensor", {half, wide0})), "float16");
  EXPECT_EQ(dtype(call("add.Tensor", {small, long0})), "int32");
  EXPECT_EQ(dtype(call("add.Tensor", {small, wide0})), "float64");
  EXPECT_EQ(dtype(call("add.Tensor", {wide0, long0})), "float64");
  EXPECT_EQ(dtype(call("mul.Tensor", {small, f(2.5)})), "float32");
  EXPECT_EQ(dtype(call("mul.Tensor", {truth, i(2)})), "int64");
  EXPECT_EQ(dtype(call("mul.Tensor", {half, f(2.5)})), "float16");
  EXPECT_EQ(dtype(call("div.Tensor", {small, small})), "float32");
  EXPECT_EQ(dtype(call("exp.default", {truth})), "float32");
  EXPECT_EQ(dtype(call("lt.Tensor", {small, wide0})), "bool");
  EXPECT_EQ(dtype(call("logical_and.default", {small, half})), "bool");
  EXPECT_EQ(dtype(call("sum.default", {truth})), "int64");
  EXPECT_EQ(dtype(call("sum.default", {half})), "float16");
}

TEST_F(Types, PointwiseResultsBroadcastAndKeepDenseStrides) {
  const Node x = floats({2, 3}), row = floats({3});
  const Node turned = call("t.default", {x});
  EXPECT_EQ(type_text(call("add.Tensor", {x, row})), "float32[2, 3](3, 1)");
  EXPECT_EQ(type_text(turned), "float32[3, 2](1, 3)");
  EXPECT_EQ(type_text(call("exp.default", {turned})), "float32[3, 2](1, 3)");
  const Node spread = call("expand.default", {row, list({4, 3})});
  EXPECT_EQ(type_text(spread), "float32[4, 3](0, 1)");
  EXPECT_EQ(type_text(call("neg.default", {spread})), "float32[4, 3](3, 1)");
}

TEST_F(Types, ViewsHaveTheStridesOfTheirInput) {
  const Node x = floats({2, 3, 4});
  EXPECT_EQ(type_text(call("permute.default", {x, list({2, 0, -2})})),
            "float32[4, 2, 3](1, 12, 4)");
  EXPECT_EQ(type_text(call("select.int", {x, i(1), i(-1)})), "float32[2, 4](12, 1)");
  EXPECT_EQ(type_text(call("slice.Tensor", {x, i(2), i(1), i(INT64_MAX), i(2)})),
            "float32[2, 3, 2](12, 4, 2)");
  EXPECT_EQ(type_text(call("unsqueeze.default", {x, i(-1)})), "float32[2, 3, 4, 1](12, 4, 1, 1)");
  EXPECT_EQ(type_text(call("view.default", {x, list({-1, 4})})), "float32[6, 4](4, 1)");
  const Node one = floats({2, 1, 3});
  EXPECT_EQ(type_text(call("squeeze.dim", {one, i(1)})), "float32[2, 3](3, 1)");
  EXPECT_EQ(type_text(call("squeeze.dim", {one, i(0)})), "float32[2, 1, 3](3, 3, 1)");
}

TEST_F(Types, ReductionsDropOrKeepTheirDimensions) {
  const Node x = floats({2, 3, 4});
  EXPECT_EQ(type_text(call("sum.dim_IntList", {x, list({0, -1})})), "float32[3](1)");
  EXPECT_EQ(type_text(call("sum.dim_IntList", {x, list({1}), b(true)})),
            "float32[2, 1, 4](4, 4, 1)");
  EXPECT_EQ(type_text(call("sum.dim_IntList", {x, list({})})), "float32[]()");
  EXPECT_EQ(type_text(call("argmax.default", {x, i(1)})), "int64[2, 4](4, 1)");
  const Node both = call("max.dim", {x, i(2)});
  ASSERT_EQ(both.type().elements.size(), 2u);
  EXPECT_EQ(type_text(both.type().elements[1]), "int64[2, 3](3, 1)");
}

TEST_F(Types, SymbolicSizesStaySymbolic) {
  const SymExprId n = sym_symbol(*context, "s0");
  const SymExprId sizes[] = {n, sym_int(*context, 4)};
  const Node x = graph.add(NodeKind::kPlaceholder, "x", context->call({}), {}, "x",
                           contiguous_tensor(*context, Dtype::kFloat32, sizes));
  EXPECT_EQ(type_text(call("view.default", {x, list({-1})})), "float32[4*s0](1)");
  EXPECT_EQ(type_text(call("t.default", {x})), "float32[4, s0](1, 4)");
  EXPECT_EQ(type_text(call("sum.dim_IntList", {x, list({1})})), "float32[s0](1)");
  EXPECT_EQ(type_text(call("unsqueeze.default", {x, i(0)})), "float32[1, s0, 4](4*s0, 4, 1)");
}

TEST_F(Types, GathersAndFactories) {
  const Node x = floats({5, 3}), index = integers({7}), matrix = integers({2, 2});
  EXPECT_EQ(type_text(call("index_select.default", {x, i(0), index})), "float32[7, 3](3, 1)");
  EXPECT_EQ(type_text(call("embedding.default", {x, matrix})), "float32[2, 2, 3](6, 3, 1)");
  EXPECT_EQ(type_text(call("gather.default", {x, i(1), matrix})), "float32[2, 2](2, 1)");
  EXPECT_EQ(type_text(call("arange.start_step", {i(3), i(10), i(2)})), "int64[4](1)");
  EXPECT_EQ(type_text(call("arange.default", {f(2.5)})), "float32[3](1)");
  EXPECT_EQ(type_text(call("full.default", {list({2, 2}), b(true)})), "bool[2, 2](2, 1)");
  EXPECT_EQ(type_text(call("new_zeros.default", {index, list({3})})), "int64[3](1)");
  EXPECT_EQ(type_text(call("repeat.default", {x, list({2, 1, 2})})), "float32[2, 5, 6](30, 6, 1)");
  EXPECT_EQ(type_text(call("constant_pad_nd.default", {x, list({1, 2, -1, 0})})),
            "float32[4, 6](6, 1)");
}

}  // namespace
}  // namespace nfx::testing
