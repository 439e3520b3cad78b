#include "plugin/plugin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <thread>

#include "ops/op_table.h"
#include "partition/extract.h"
#include "plugin/dl_dtype.h"
#include "plugin/plugin_backend.h"

namespace nfx {
namespace {

const std::string kModules = NFX_BINARY_DIR "/unit/modules/";
const std::string kNull = NFX_BINARY_DIR "/plugins/nfx_null.so";

// Sets NFX_TEST_FAULT for a scope.
class Fault {
 public:
  explicit Fault(const char* name) { setenv("NFX_TEST_FAULT", name, 1); }
  ~Fault() { unsetenv("NFX_TEST_FAULT"); }
};

std::shared_ptr<Plugin> load(const std::string& path) {
  auto plugin = Plugin::load(path);
  EXPECT_TRUE(plugin.ok()) << (plugin ? "" : plugin.error().str());
  return plugin ? *plugin : nullptr;
}

std::shared_ptr<Graph> parsed(std::string_view text) {
  static const SchemaOpTable ops;
  auto graph = parse(text, std::make_shared<Context>(&ops));
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().str());
  return graph ? std::shared_ptr<Graph>(std::move(*graph)) : nullptr;
}

struct LoadCase {
  const char* fault;
  const char* code;
  const char* says;
};
class Loading : public ::testing::TestWithParam<LoadCase> {};

TEST_P(Loading, AFaultIsADiagnostic) {
  const Fault fault(GetParam().fault);
  const auto plugin = Plugin::load(kModules + "faulty.so");
  ASSERT_FALSE(plugin.ok());
  EXPECT_EQ(plugin.error().code, GetParam().code);
  EXPECT_NE(plugin.error().message.find(GetParam().says), std::string::npos)
      << plugin.error().str();
  EXPECT_FALSE(plugin.error().help.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, Loading,
    ::testing::Values(LoadCase{"init", "plugin-init", "no chip found"},
                      LoadCase{"init-silent", "plugin-init", "status 8"},
                      LoadCase{"refuses-version", "plugin-version", "version"},
                      LoadCase{"version", "plugin-version", "2.0"},
                      LoadCase{"nameless", "plugin-malformed", "no name"},
                      LoadCase{"null-backends", "plugin-malformed", "backends are null"},
                      LoadCase{"null-backend", "plugin-malformed", "a backend is null"},
                      LoadCase{"small-backend", "plugin-malformed", "struct_size"},
                      LoadCase{"nameless-backend", "plugin-malformed", "has no name"},
                      LoadCase{"no-run", "plugin-malformed", "lacks a function"}),
    [](const auto& param) {
      std::string name = param.param.fault;
      std::erase(name, '-');
      return name;
    });

TEST(LoadingFiles, WhatIsNoPlugin) {
  const auto missing = Plugin::load("/does/not/exist.so");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "plugin-open");
  const auto other = Plugin::load(kModules + "no_entry.so");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, "plugin-entry");
}

TEST(LoadingFiles, NullSaysWhoItIs) {
  const auto plugin = load(kNull);
  ASSERT_NE(plugin, nullptr);
  EXPECT_EQ(plugin->name(), "null");
  EXPECT_EQ(plugin->version(), "1");
  EXPECT_EQ(plugin->backends().size(), 1U);
}

// ---- asking

TEST(NullPlugin, SaysWhatItTakesAndWhyNot) {
  const auto plugin = load(kNull);
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x" : float32[4]
  %d = placeholder "d" : float64[4]
  %yes = call aten.add.Tensor(%x, %x) : float32[4]
  %one = call aten.add.Tensor(%x, %x, alpha=1) : float32[4]
  %two = call aten.add.Tensor(%x, %x, alpha=2) : float32[4]
  %number = call aten.add.Tensor(%x, 1) : float32[4]
  %double = call aten.add.Tensor(%x, %d) : float64[4]
  %mul = call aten.mul.Tensor(%x, %x) : float32[4]
  output(%mul)
}
)");
  const std::map<std::string, std::string> expected = {
      {"yes", ""},
      {"one", ""},
      {"two", "alpha is not 1"},
      {"number", "an operand is a number"},
      {"double", "the result is not a float32 tensor on the CPU"},
      {"mul", "it is no addition of tensors"}};
  for (const auto& [name, reason] : expected) {
    const Support support = backend.supports(graph->find(name));
    EXPECT_EQ(support.yes, reason.empty()) << name;
    EXPECT_EQ(support.reason, reason) << name;
  }
}

TEST(FaultyPlugin, AFailingAnswerIsANo) {
  const auto plugin = load(kModules + "faulty.so");
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto graph = parsed("graph @main {\n  %x = placeholder \"x\"\n  output(%x)\n}\n");
  const std::map<std::string, std::string> expected = {{"supports", "cannot think"},
                                                       {"supports-silent", "status 8"},
                                                       {"no-reason", "it gives no reason"}};
  for (const auto& [name, says] : expected) {
    const Fault fault(name.c_str());
    const Support support = backend.supports(graph->first());
    EXPECT_FALSE(support.yes);
    EXPECT_NE(support.reason.find(says), std::string::npos) << support.reason;
    const bool failed = name != "no-reason";
    EXPECT_EQ(support.reason.starts_with("plugin-supports: "), failed) << support.reason;
  }
}

// ---- running

// Tensors over vectors.
struct Tensor {
  std::vector<float> data;
  std::vector<int64_t> sizes, strides;
  nfx_tensor view() {
    nfx_tensor made{};
    made.data = data.data();
    made.device = {1, 0};
    made.ndim = static_cast<int32_t>(sizes.size());
    made.dtype = *to_dl(Dtype::kFloat32);
    made.shape = sizes.data();
    made.strides = strides.data();
    return made;
  }
};

class VectorOutputs final : public OutputAllocator {
 public:
  Result<void*> allocate(size_t index, std::span<const int64_t> sizes,
                         std::span<const int64_t> strides, Dtype) override {
    int64_t count = 1;
    for (int64_t size : sizes) count *= size;
    Tensor& made = tensors[index];
    made.data.assign(static_cast<size_t>(count) + 1, -1.0f);
    made.sizes.assign(sizes.begin(), sizes.end());
    made.strides.assign(strides.begin(), strides.end());
    return static_cast<void*>(made.data.data());
  }
  std::map<size_t, Tensor> tensors;
};

std::shared_ptr<PluginExecutable> compiled(PluginBackend& backend, std::string_view text) {
  auto made = backend.compile(parsed(text));
  EXPECT_TRUE(made.ok()) << (made ? "" : made.error().str());
  return made ? *made : nullptr;
}

constexpr std::string_view kSums = R"(graph @region {
  %x = placeholder "x" : float32[s0, 3]
  %y = placeholder "y" : float32[3]
  %a = call aten.add.Tensor(%x, %y) : float32[s0, 3]
  %b = call aten.add.Tensor(%a, %x) : float32[s0, 3]
  %c = call aten.add.Tensor(%y, %b) : float32[s0, 3]
  output((%c, %a))
}
)";

TEST(NullPlugin, RunsStridedBroadcastAnySize) {
  const auto plugin = load(kNull);
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto executable = compiled(backend, kSums);
  ASSERT_NE(executable, nullptr);
  for (const int64_t rows : {0, 1, 5}) {
    Tensor x{{}, {rows, 3}, {1, rows}};  // columns lie together
    for (int64_t i = 0; i < 3 * rows; ++i) x.data.push_back(static_cast<float>(i));
    Tensor y{{10, 0, 20, 0, 30}, {3}, {2}};
    const nfx_tensor views[] = {x.view(), y.view()};
    const nfx_tensor* inputs[] = {&views[0], &views[1]};
    VectorOutputs outputs;
    const Status status = executable->run(inputs, {}, outputs);
    ASSERT_TRUE(status.ok()) << status.error().str();
    EXPECT_EQ(outputs.tensors[0].sizes, (std::vector<int64_t>{rows, 3}));
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < 3; ++c) {
        const float xv = static_cast<float>(r + c * rows), yv = static_cast<float>(10 * (c + 1));
        const auto at = static_cast<size_t>(3 * r + c);
        EXPECT_EQ(outputs.tensors[0].data[at], yv + (xv + yv + xv));
        EXPECT_EQ(outputs.tensors[1].data[at], xv + yv);
      }
    }
  }
}

TEST(NullPlugin, RunsOnSeveralThreadsAtOnce) {
  const auto plugin = load(kNull);
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto executable = compiled(backend, kSums);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&executable, t] {
      Tensor x{std::vector<float>(30, static_cast<float>(t)), {10, 3}, {3, 1}};
      Tensor y{{1, 2, 3}, {3}, {1}};
      const nfx_tensor views[] = {x.view(), y.view()};
      const nfx_tensor* inputs[] = {&views[0], &views[1]};
      for (int i = 0; i < 100; ++i) {
        VectorOutputs outputs;
        ASSERT_TRUE(executable->run(inputs, {}, outputs).ok());
        EXPECT_EQ(outputs.tensors[0].data[29], static_cast<float>(2 * t + 6));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Region, InputsThatDoNotFit) {
  const auto plugin = load(kNull);
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto executable = compiled(backend, kSums);
  Tensor x{{1, 2, 3}, {3}, {1}};
  nfx_tensor view = x.view();
  const nfx_tensor* inputs[] = {&view, &view};
  VectorOutputs outputs;
  const auto expect_misfit = [&](std::span<const nfx_tensor* const> given,
                                 std::span<const int64_t> integers) {
    const Status status = executable->run(given, integers, outputs);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, "region-inputs");
  };
  const int64_t extra[] = {1};
  expect_misfit(std::span(inputs).first(1), {});
  expect_misfit(inputs, extra);
  expect_misfit(inputs, {});  // the first has rank 2
  Tensor wide{std::vector<float>(8), {2, 4}, {4, 1}};
  const nfx_tensor wide_view = wide.view();
  const nfx_tensor* others[] = {&wide_view, &view};
  expect_misfit(others, {});  // its rows have three elements
}

TEST(Region, ValuesThatCannotCross) {
  const auto plugin = load(kModules + "faulty.so");
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto graph = parsed(R"(graph @region {
  %x = placeholder "x" : float32[4]
  %y = call my.f(%x) : float32[4]
  output((%y,))
}
)");
  Context& context = graph->context();
  const TypeId good = graph->first().type_id();
  const TypeId elements[] = {good, good};
  const SymExprId size[] = {sym_int(context, 4)};
  const TypeId bad[] = {
      {},
      contiguous_tensor(context, Dtype::kFloat32, size, "cuda:0"),
      contiguous_tensor(context, Dtype::kQInt8, size),
      context.intern(Type{.kind = TypeKind::kTuple, .elements = elements}),
      context.intern(Type{.kind = TypeKind::kScalar,
                          .dtype = Dtype::kFloat64,
                          .expr = sym_symbol(context, "z", SymKind::kFloat)}),
      context.intern(Type{.kind = TypeKind::kTensor,
                          .layout = Layout::kSparseCoo,
                          .device = context.intern("cpu"),
                          .sizes = size}),
  };
  for (const Node node : {graph->first(), graph->find("y")}) {
    for (const TypeId type : bad) {
      graph->set_type(node, type);
      const auto made = backend.compile(graph);
      ASSERT_FALSE(made.ok()) << print(node);
      EXPECT_EQ(made.error().code, "region-boundary");
      EXPECT_EQ(made.error().place.node, node.name());
    }
    graph->set_type(node, good);
  }
}

TEST(Region, IntegersGoIn) {
  const auto plugin = load(kModules + "faulty.so");
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto graph = parsed(R"(graph @region {
  %x = placeholder "x" : float32[4]
  %y = call my.f(%x) : float32[2*s1]
  output((%y,))
}
)");
  Context& context = graph->context();
  const auto without = backend.compile(graph);
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, "unbound-symbol");
  const Node place = graph->first();
  graph->set_insertion_point(place);
  const SymExprId s1 = sym_symbol(context, "s1");
  graph->add(NodeKind::kPlaceholder, "n", context.call({}), {}, "n",
             context.intern(Type{.kind = TypeKind::kScalar, .dtype = Dtype::kInt64, .expr = s1}));
  const auto made = backend.compile(graph);
  ASSERT_TRUE(made.ok()) << made.error().str();
  Tensor x{{1, 2, 3, 4}, {4}, {1}};
  const nfx_tensor view = x.view();
  const nfx_tensor* inputs[] = {&view};
  const int64_t integers[] = {3};
  VectorOutputs outputs;
  ASSERT_TRUE((*made)->run(inputs, integers, outputs).ok());
  EXPECT_EQ(outputs.tensors[0].sizes, std::vector<int64_t>{6});
}

struct RunCase {
  const char* fault;
  const char* code;
  const char* says;
};
class Running : public ::testing::TestWithParam<RunCase> {};

TEST_P(Running, AFaultIsADiagnostic) {
  const auto plugin = load(kModules + "faulty.so");
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const auto executable = compiled(backend, kSums);
  Tensor x{{1, 2, 3}, {1, 3}, {3, 1}}, y{{1, 2, 3}, {3}, {1}};
  const nfx_tensor views[] = {x.view(), y.view()};
  const nfx_tensor* inputs[] = {&views[0], &views[1]};
  VectorOutputs outputs;
  ASSERT_TRUE(executable->run(inputs, {}, outputs).ok());
  const Fault fault(GetParam().fault);
  const Status status = executable->run(inputs, {}, outputs);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, GetParam().code);
  EXPECT_NE(status.error().message.find(GetParam().says), std::string::npos)
      << status.error().str();
}

INSTANTIATE_TEST_SUITE_P(All, Running,
                         ::testing::Values(RunCase{"run", "plugin-run", "smoke [chip-on-fire]"},
                                           RunCase{"run-silent", "plugin-run", "status 7"},
                                           RunCase{"no-output", "plugin-output", "never allocated"},
                                           RunCase{"far-output", "plugin-output", "no such output"},
                                           RunCase{"wrong-shape", "plugin-output",
                                                   "another shape"}),
                         [](const auto& param) {
                           std::string name = param.param.fault;
                           std::erase(name, '-');
                           return name;
                         });

TEST(FaultyPlugin, AFailingCompileIsADiagnostic) {
  const auto plugin = load(kModules + "faulty.so");
  ASSERT_NE(plugin, nullptr);
  PluginBackend backend(plugin, plugin->backends()[0]);
  const Fault fault("compile");
  const auto made = backend.compile(parsed(kSums));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, "plugin-compile");
  EXPECT_NE(made.error().message.find("no room on the chip"), std::string::npos);
  EXPECT_EQ(made.error().help, "cool it");
}

}  // namespace
}  // namespace nfx
