#include "loop/normaliser.h"

#include <gtest/gtest.h>

#include "loop/attention.h"
#include "loop/verify.h"

namespace nfx {
namespace {

TEST(Normaliser, DividesTheSumOfAttentionOnce) {
  Attention gat = attention(3, 8);
  Kernel divided = gat.kernel;
  ASSERT_TRUE(divide_sums_last(divided));
  ASSERT_TRUE(verify(divided).ok());
  EXPECT_EQ(divided.stages.size(), 2u);
  std::vector<Memory> memory = gat.memory;
  run_reference(gat.kernel, gat.memory, gat.scalars);
  run_reference(divided, memory, gat.scalars);
  EXPECT_EQ(difference(memory[5], gat.memory[5], 1e-6), "");  // rows without edges too
}

Kernel with_last_stage(const std::string& statements, const char* dims = "map f reduce j") {
  return testing_kernels::parsed((R"(
kernel k(b0: float32 in, b1: float32 in, b2: float32 out, b3: float32 out)
dim i = dense(4)
dim j = dense(5)
dim f = dense(6)
rows i
stage reduce j
  r0 = max(load b0[i*5 + j])
stage reduce j
  let weight = exp(load b0[i*5 + j] - r0)
  r1 = sum(weight)
)" + std::string("stage ") + dims +
                                  "\n" + statements)
                                     .c_str());
}

TEST(Normaliser, OnlyASoftmaxThatNothingElseNeeds) {
  Kernel kernel = with_last_stage("r2 = sum(weight/r1*load b1[j*6 + f])\nstore b2[i*6 + f] = r2\n");
  EXPECT_TRUE(divide_sums_last(kernel));
  for (const char* statements :
       {"r2 = sum(weight/r1*load b1[j*6 + f])\nstore b2[i*6 + f] = r2\nstage\nstore b3[i] = r1\n",
        "r2 = sum(weight/r1*(weight/r1))\nstore b2[i*6 + f] = r2\n",
        "r2 = sum(weight/r1 + load b1[j*6 + f])\nstore b2[i*6 + f] = r2\n",
        "r2 = sum(weight/r0*load b1[j*6 + f])\nstore b2[i*6 + f] = r2\n",
        "r2 = max(weight/r1*load b1[j*6 + f])\nstore b2[i*6 + f] = r2\n"}) {
    kernel = with_last_stage(statements);
    EXPECT_FALSE(divide_sums_last(kernel)) << statements;
  }
  kernel = with_last_stage("store b2[i*5 + j] = weight/r1\n", "map j");
  EXPECT_FALSE(divide_sums_last(kernel));
}

}  // namespace
}  // namespace nfx
