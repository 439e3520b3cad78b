#include "ir/context.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace nfx {
namespace {

TEST(Context, InternsText) {
  Context context;
  EXPECT_FALSE(context.find_text("a"));
  const StringId a = context.intern("a");
  EXPECT_EQ(context.intern(std::string("a")), a);
  EXPECT_EQ(context.find_text("a"), a);
  EXPECT_EQ(context.text(a), "a");
  EXPECT_FALSE(context.intern(""));
  EXPECT_EQ(context.text({}), "");
}

TEST(Context, FloatsAreKeptToTheBit) {
  Context context;
  EXPECT_NE(context.real(0.0), context.real(-0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(context.real(nan), context.real(nan));
  EXPECT_NE(context.real(nan), context.real(std::bit_cast<double>(0x7ff8000000000001u)));
  EXPECT_NE(context.real(1.0), context.integer(1));
  EXPECT_NE(context.boolean(true), context.integer(1));
}

TEST(Context, CountsHolesAndDepth) {
  Context context;
  const ArgId pair[] = {context.hole(), context.hole()};
  const ArgId inner[] = {context.sequence(ArgKind::kList, pair), context.integer(1)};
  const ArgId call = context.call(inner);
  EXPECT_EQ(context.arg(call).holes, 2u);
  EXPECT_EQ(context.arg(call).depth, 3u);
}

TEST(Context, TypesWithoutForeignFieldsAreOne) {
  Context context;
  const TypeId none = context.intern(Type{.kind = TypeKind::kNone});
  EXPECT_EQ(context.intern(Type{.kind = TypeKind::kNone, .dtype = Dtype::kBool}), none);
  const SymExprId sizes[] = {sym_int(context, 2)};
  Type tensor{.kind = TypeKind::kTensor, .sizes = sizes};
  const TypeId plain = context.intern(tensor);
  tensor.storage_offset = sym_int(context, 0);
  EXPECT_EQ(context.intern(tensor), plain);
  EXPECT_FALSE(context.intern(Type{}));
}

TEST(Context, AsksForAnOpOnce) {
  struct Ops : OpTable {
    const OpInfo* find(std::string_view name) const override {
      ++asked;
      return name == "aten.relu.default" ? &relu : nullptr;
    }
    mutable int asked = 0;
    OpInfo relu{.name = "aten.relu.default"};
  } ops;
  Context context(&ops);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(context.op(context.intern("aten.relu.default")), &ops.relu);
    EXPECT_EQ(context.op(context.intern("torch.relu")), nullptr);
  }
  EXPECT_EQ(ops.asked, 2);
}

// Counts references; labels are given by the test.
class Owner : public OpaqueOwner {
 public:
  void retain(void* object) override {
    const std::lock_guard lock(mutex);
    ++count[object];
  }
  void release(void* object) override {
    const std::lock_guard lock(mutex);
    --count[object];
  }
  std::string label(void*) override { return "thing"; }
  std::mutex mutex;
  std::map<void*, int> count;
};

TEST(Context, KeepsOpaqueObjectsAlive) {
  Owner owner;
  int a = 0, b = 0;
  {
    Context context(nullptr, &owner);
    const OpaqueId first = context.opaque(&a);
    EXPECT_EQ(context.opaque(&a), first);
    EXPECT_NE(context.opaque(&b), first);
    EXPECT_EQ(context.object(first), &a);
    EXPECT_EQ(context.opaque_label(first), "thing");
    EXPECT_EQ(context.num_opaques(), 2u);
    EXPECT_EQ(owner.count[&a], 1);
  }
  EXPECT_EQ(owner.count[&a], 0);
  EXPECT_EQ(owner.count[&b], 0);
}

TEST(Context, StandsInForObjectsOfAnotherProcess) {
  Context context;
  const OpaqueId id = context.opaque_stand_in(12, "torch.relu");
  EXPECT_EQ(context.opaque_stand_in(12, "torch.relu"), id);
  EXPECT_NE(context.opaque_stand_in(12, "torch.tanh"), id);
  EXPECT_EQ(context.object(id), nullptr);
  EXPECT_EQ(context.opaque_number(id), 12u);
  EXPECT_EQ(context.opaque_label(id), "torch.relu");
}

TEST(Context, ThreadsAgreeOnIds) {
  Owner owner;
  static int objects[64];
  Context context(nullptr, &owner);
  constexpr int kThreads = 4, kValues = 5000;
  std::vector<std::vector<uint32_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kValues; ++i) {
        const ArgId parts[] = {context.integer(i), context.string("s" + std::to_string(i))};
        ids[t].push_back(context.call(parts).value);
        ids[t].push_back(context.opaque(&objects[i % 64]).value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(ids[t], ids[0]);
  for (int& object : objects) EXPECT_EQ(owner.count[&object], 1);
}

}  // namespace
}  // namespace nfx
