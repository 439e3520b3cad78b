// Elements by the rules of rows, on small numbers.
#include <cmath>

#include "ops/op_case.h"

namespace nfx::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class Values : public OpCase {
 protected:
  Node matrix() { return floats({2, 3}, {1, 2, 3, 4, 5, 6}); }
};

TEST_F(Values, IntegerDivisionAndRemainderAsPython) {
  const Node x = integers({4}, {7, -7, 7, -7}), y = integers({4}, {2, 2, -2, -2});
  EXPECT_EQ(numbers(call("floor_divide.default", {x, y})), (Numbers{3, -4, -4, 3}));
  EXPECT_EQ(numbers(call("remainder.Tensor", {x, y})), (Numbers{1, 1, -1, -1}));
  EXPECT_EQ(numbers(call("fmod.Tensor", {x, y})), (Numbers{1, -1, 1, -1}));
  EXPECT_EQ(numbers(call("div.Tensor", {x, y})), (Numbers{3.5, -3.5, -3.5, 3.5}));
}

TEST_F(Values, AQuotientIsIntegralOnlyIfRounded) {
  const Node x = integers({2}, {7, -7}), y = integers({2}, {2, 2});
  auto quotient = [&](ArgId mode) {
    const ArgId both[] = {context->hole(), context->hole()};
    const ArgId keywords[] = {context->string("rounding_mode"), mode};
    const Node operands[] = {x, y};
    const Node node =
        graph.add(NodeKind::kCallFunction, "aten.div.Tensor_mode",
                  context->call(both, context->sequence(ArgKind::kDict, keywords)), operands);
    graph.set_type(node, *op_row(node)->type(node));
    return node;
  };
  EXPECT_EQ(type_text(quotient(none())), "float32[2](1)");
  EXPECT_EQ(numbers(quotient(none())), (Numbers{3.5, -3.5}));
  EXPECT_EQ(type_text(quotient(context->string("trunc"))), "int64[2](1)");
  EXPECT_EQ(numbers(quotient(context->string("trunc"))), (Numbers{3, -3}));
  EXPECT_EQ(numbers(quotient(context->string("floor"))), (Numbers{3, -4}));
}

TEST_F(Values, AnIntegerIsDividedByWhatIsNotZero) {
  auto problem = [](Node node) { return op_row(node)->refuses(node); };
  const Node x = integers({2}, {7, -7});
  EXPECT_EQ(problem(call("floor_divide.Scalar", {x, i(2)})), "");
  EXPECT_EQ(problem(call("remainder.Scalar", {x, i(0)})), "its divisor is zero");
  EXPECT_EQ(problem(call("fmod.Tensor", {x, x})), "its integer divisor may be zero");
  EXPECT_EQ(problem(call("fmod.Tensor", {floats({1}, {1}), floats({1}, {0})})), "");
}

TEST_F(Values, NanStaysNan) {
  const Node x = floats({3}, {kNan, -1, 2});
  const Numbers relu = numbers(call("relu.default", {x}));
  EXPECT_TRUE(std::isnan(relu[0]));
  EXPECT_EQ(relu[1], 0);
  EXPECT_TRUE(std::isnan(numbers(call("maximum.default", {x, floats({3}, {0, 0, 0})}))[0]));
  EXPECT_TRUE(std::isnan(numbers(call("clamp.default", {x, f(0), f(1)}))[0]));
  EXPECT_TRUE(std::isnan(numbers(call("amax.default", {x}))[0]));
  EXPECT_EQ(numbers(call("argmax.default", {x}))[0], 0);
}

TEST_F(Values, ViewsReadTheirInput) {
  const Node x = matrix();
  EXPECT_EQ(numbers(call("t.default", {x})), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(numbers(call("view.default", {x, list({3, 2})})), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers(call("slice.Tensor", {x, i(1), i(1), i(3)})), (Numbers{2, 3, 5, 6}));
  EXPECT_EQ(numbers(call("select.int", {x, i(1), i(-1)})), (Numbers{3, 6}));
  EXPECT_EQ(numbers(call("expand.default", {call("select.int", {x, i(0), i(1)}), list({2, 3})})),
            (Numbers{4, 5, 6, 4, 5, 6}));
}

TEST_F(Values, ReductionsFold) {
  const Node x = matrix();
  EXPECT_EQ(numbers(call("sum.dim_IntList", {x, list({0})})), (Numbers{5, 7, 9}));
  EXPECT_EQ(numbers(call("mean.dim", {x, list({1})})), (Numbers{2, 5}));
  EXPECT_EQ(numbers(call("prod.default", {x})), (Numbers{720}));
  EXPECT_EQ(numbers(call("amin.default", {x, list({1})})), (Numbers{1, 4}));
  EXPECT_EQ(numbers(call("sum.default", {input(Dtype::kBool, {4}, {1, 1, 0, 1})})), (Numbers{3}));
  EXPECT_EQ(numbers(call("any.default", {floats({2}, {0, kNan})})), (Numbers{1}));
  EXPECT_EQ(numbers(call("all.default", {floats({2}, {0, 1})})), (Numbers{0}));
  EXPECT_EQ(numbers(call("sum.default", {floats({0})})), (Numbers{0}));
  EXPECT_EQ(numbers(call("amax.default", {input(Dtype::kInt8, {2}, {-5, -7})})), (Numbers{-5}));
}

TEST_F(Values, ArgumentsOfExtremaAreTheFirst) {
  const Node x = floats({6}, {1, 5, 2, 5, kNan, kNan});
  EXPECT_EQ(numbers(call("argmax.default", {x})), (Numbers{4}));
  EXPECT_EQ(numbers(call("argmin.default", {floats({4}, {3, 1, 1, 2})})), (Numbers{1}));
  EXPECT_EQ(numbers(call("argmax.default", {floats({3}, {-kInf, -kInf, -kInf})})), (Numbers{0}));
  const Node both = call("max.dim", {floats({2, 2}, {1, 3, 4, 4}), i(1)});
  EXPECT_EQ(numbers(reference.results(both)[0]), (Numbers{3, 4}));
  EXPECT_EQ(numbers(reference.results(both)[1]), (Numbers{1, 0}));
}

TEST_F(Values, GathersReadByIndex) {
  const Node x = matrix();
  const Node index = integers({3}, {1, 0, 1});
  EXPECT_EQ(numbers(call("index_select.default", {x, i(0), index})),
            (Numbers{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers(call("embedding.default", {x, integers({1}, {1})})), (Numbers{4, 5, 6}));
  EXPECT_EQ(numbers(call("gather.default", {x, i(1), integers({2, 2}, {2, 0, 1, 1})})),
            (Numbers{3, 1, 5, 5}));
  EXPECT_EQ(numbers(call("index_select.default", {x, i(0), integers({1}, {9})})),
            (Numbers{0, 0, 0}))
      << "a position outside reads nothing";
}

TEST_F(Values, IndexingBroadcastsItsIndices) {
  const Node x = floats({2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  auto index = [&](std::initializer_list<Node> nodes, std::initializer_list<bool> given) {
    std::vector<ArgId> children;
    for (bool there : given) children.push_back(there ? context->hole() : none());
    std::vector<Node> operands{x};
    operands.insert(operands.end(), nodes);
    const ArgId arguments[] = {context->hole(), context->sequence(ArgKind::kList, children)};
    const Node node =
        graph.add(NodeKind::kCallFunction, "aten.index.Tensor", context->call(arguments), operands);
    graph.set_type(node, *op_row(node)->type(node));
    return node;
  };
  const Node rows = integers({2}, {-1, 0}), columns = integers({2, 1}, {2, 0});
  const Node middle = index({rows}, {false, true});
  EXPECT_EQ(type_text(middle), "float32[2, 2, 3](6, 3, 1)");
  EXPECT_EQ(numbers(middle), (Numbers{3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8}));
  const Node apart = index({rows, columns}, {true, false, true});
  EXPECT_EQ(type_text(apart), "float32[2, 2, 2](4, 2, 1)");
  EXPECT_EQ(numbers(apart), (Numbers{8, 11, 2, 5, 6, 9, 0, 3}));
  const Node mask = index({input(Dtype::kBool, {2}, {1, 0})}, {true});
  EXPECT_EQ(op_row(mask)->refuses(mask), "an index is a mask");
}

TEST_F(Values, Factories) {
  EXPECT_EQ(numbers(call("arange.start_step", {i(7), i(0), i(-3)})), (Numbers{7, 4, 1}));
  EXPECT_EQ(numbers(call("full.default", {list({2}), f(1.5)})), (Numbers{1.5, 1.5}));
  EXPECT_EQ(numbers(call("eye.default", {i(2)})), (Numbers{1, 0, 0, 1}));
  EXPECT_EQ(numbers(call("ones_like.default", {matrix()})), Numbers(6, 1));
}

TEST_F(Values, Arrangements) {
  const Node x = matrix();
  const ArgId two[] = {context->hole(), context->hole()};
  const ArgId joined[] = {context->sequence(ArgKind::kList, two), i(1)};
  const Node parts[] = {x, floats({2, 1}, {7, 8})};
  const Node cat =
      graph.add(NodeKind::kCallFunction, "aten.cat.default", context->call(joined), parts);
  graph.set_type(cat, *op_row(cat)->type(cat));
  EXPECT_EQ(numbers(cat), (Numbers{1, 2, 3, 7, 4, 5, 6, 8}));
  EXPECT_EQ(numbers(call("constant_pad_nd.default", {x, list({1, -1}), f(9)})),
            (Numbers{9, 1, 2, 9, 4, 5}));
  EXPECT_EQ(numbers(call("flip.default", {x, list({0, 1})})), (Numbers{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(numbers(call("roll.default", {x, list({1}), list({1})})), (Numbers{3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(numbers(call("roll.default", {x, list({-1})})), (Numbers{2, 3, 4, 5, 6, 1}));
  EXPECT_EQ(numbers(call("repeat.default", {floats({2}, {1, 2}), list({2, 2})})),
            (Numbers{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(numbers(call("tril.default", {x, i(0)})), (Numbers{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(numbers(call("triu.default", {x, i(1)})), (Numbers{0, 2, 3, 0, 0, 6}));
}

TEST_F(Values, PartsArePlaced) {
  const Node x = matrix(), grad = floats({2}, {7, 8});
  EXPECT_EQ(numbers(call("select_backward.default", {grad, list({2, 3}), i(1), i(-1)})),
            (Numbers{0, 0, 7, 0, 0, 8}));
  EXPECT_EQ(numbers(call("slice_backward.default", {grad, list({5}), i(0), i(1), i(4), i(2)})),
            (Numbers{0, 7, 0, 8, 0}));
  EXPECT_EQ(numbers(call("select_scatter.default", {x, grad, i(1), i(0)})),
            (Numbers{7, 2, 3, 8, 5, 6}));
}

}  // namespace
}  // namespace nfx::testing
