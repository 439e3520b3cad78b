// Ops that read elements next to, across or on the diagonal of an element.
#include "ops/op_case.h"

namespace nfx::testing {
namespace {

class Neighbours : public OpCase {
 protected:
  Node matrix() { return floats({2, 3}, {1, 2, 3, 4, 5, 6}); }
};

TEST_F(Neighbours, PaddingRepeatsOrMirrors) {
  const Node x = floats({1, 3}, {1, 2, 3});
  EXPECT_EQ(numbers(call("replication_pad1d.default", {x, list({2, 1})})),
            (Numbers{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(numbers(call("replication_pad1d.default", {x, list({-1, 1})})), (Numbers{2, 3, 3}));
  EXPECT_EQ(numbers(call("reflection_pad1d.default", {x, list({2, 1})})),
            (Numbers{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(type_text(call("reflection_pad1d.default", {x, list({2, 1})})), "float32[1, 6](6, 1)");
}

TEST_F(Neighbours, Diagonals) {
  const Node x = matrix();
  EXPECT_EQ(numbers(call("diagonal.default", {x})), (Numbers{1, 5}));
  EXPECT_EQ(numbers(call("diagonal.default", {x, i(1)})), (Numbers{2, 6}));
  EXPECT_EQ(numbers(call("diagonal.default", {x, i(-1)})), (Numbers{4}));
  EXPECT_EQ(type_text(call("diagonal.default", {x, i(5)})), "float32[0](4)");
  EXPECT_EQ(numbers(call("diagonal_copy.default", {x, i(1)})), (Numbers{2, 6}));
  const Node line = floats({2}, {7, 8});
  EXPECT_EQ(numbers(call("diag_embed.default", {line})), (Numbers{7, 0, 0, 8}));
  EXPECT_EQ(numbers(call("diag_embed.default", {line, i(-1)})),
            (Numbers{0, 0, 0, 7, 0, 0, 0, 8, 0}));
  EXPECT_EQ(numbers(call("diagonal_scatter.default", {x, line, i(1)})),
            (Numbers{1, 7, 3, 4, 5, 8}));
  EXPECT_EQ(numbers(call("diagonal_backward.default", {line, list({2, 3}), i(0), i(0), i(1)})),
            (Numbers{7, 0, 0, 0, 8, 0}));
}

TEST_F(Neighbours, WindowsOverlap) {
  const Node x = floats({5}, {1, 2, 3, 4, 5});
  const Node windows = call("unfold.default", {x, i(0), i(3), i(2)});
  EXPECT_EQ(numbers(windows), (Numbers{1, 2, 3, 3, 4, 5}));
  EXPECT_EQ(type_text(windows), "float32[2, 3](2, 1)");
}

TEST_F(Neighbours, GatesMultiplyHalves) {
  const Node x = floats({4}, {1, 2, 0, 0}), grad = floats({2}, {1, 2});
  EXPECT_EQ(numbers(call("glu.default", {x, i(0)})), (Numbers{0.5, 1}));
  EXPECT_EQ(numbers(call("glu_backward.default", {grad, x, i(0)})), (Numbers{0.5, 1, 0.25, 1}));
}

TEST_F(Neighbours, TakingCountsFromBothEnds) {
  EXPECT_EQ(numbers(call("take.default", {matrix(), integers({3}, {0, -1, 4})})),
            (Numbers{1, 6, 5}));
}

TEST_F(Neighbours, SlicesStartInside) {
  const Node x = floats({3}, {1, 2, 3});
  EXPECT_EQ(numbers(call("slice.Tensor", {x, i(0), i(-9), i(2)})), (Numbers{1, 2}));
  EXPECT_EQ(numbers(call("slice.Tensor", {x, i(0), i(1), i(-9)})), Numbers{});
  EXPECT_EQ(numbers(call("slice.Tensor", {x, i(0), i(-2), i(9)})), (Numbers{2, 3}));
}

}  // namespace
}  // namespace nfx::testing
