// One broken graph for each rule of the verifier.
#include <gtest/gtest.h>

#include "ir/graph.h"

namespace nfx {
namespace {

struct Ops : OpTable {
  const OpInfo* find(std::string_view name) const override {
    if (name == add.name) return &add;
    return name == max.name ? &max : nullptr;
  }
  Schema add_schema =
      parse_schema("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
          .value();
  Schema max_schema =
      parse_schema("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)")
          .value();
  OpInfo add{.name = "aten.add.Tensor", .schema = &add_schema};
  OpInfo max{.name = "aten.max.dim", .schema = &max_schema};
};

class VerifierTest : public testing::Test {
 protected:
  Graph& read(std::string_view lines) {
    auto result =
        parse("graph { %x = placeholder %y = placeholder " + std::string(lines) + " }", context);
    EXPECT_TRUE(result.ok()) << result.error().str();
    graph = std::move(*result);
    return *graph;
  }
  // `code: message`, and where.
  std::string error() const {
    const Status status = verify(*graph);
    if (status) return "";
    const Diagnostic& found = status.error();
    EXPECT_FALSE(found.help.empty());
    return found.code + ": " + found.message +
           (found.place.node.empty() ? "" : " @" + found.place.node);
  }
  NodeRecord& record(std::string_view name) {
    return graph->table().records[graph->find(name).id().value];
  }
  OperandSlot& slot(std::string_view name, uint32_t index) {
    return graph->table().slots[record(name).first_operand + index];
  }

  Ops ops;
  std::shared_ptr<Context> context = std::make_shared<Context>(&ops);
  std::unique_ptr<Graph> graph;
};

TEST_F(VerifierTest, AcceptsWhatIsRight) {
  read(
      "%w = get_attr \"w\" %p = placeholder %a = call aten.add.Tensor(%x, other=%y) : none "
      "%m = call aten.max.dim(%a, dim=0) : (none, none) output((%m, %m))");
  EXPECT_EQ(error(), "");
}

TEST_F(VerifierTest, BrokenOrder) {
  read("%a = call f(%x) output(%a)");
  record("a").order = 0;
  EXPECT_EQ(error(), "broken-order: the order of nodes is broken: links and labels disagree @a");
  read("%a = call f(%x) output(%a)");
  record("y").erased = true;
  EXPECT_EQ(error(), "broken-order: the order of nodes is broken: an erased node is linked");
  read("%a = call f(%x) output(%a)");
  graph->table().live = 9;
  EXPECT_EQ(error(), "broken-order: the order of nodes is broken: nodes are missing");
  read("%a = call f(%x) output(%a)");
  record("output").next = graph->first().id();  // a cycle
  EXPECT_EQ(error(), "broken-order: the order of nodes is broken: links and labels disagree @x");
}

TEST_F(VerifierTest, BrokenUses) {
  read("%a = call f(%x) output(%a)");
  record("x").last_use = 7;
  EXPECT_EQ(error(), "broken-uses: the use list of `%x` is not that of its users @x");
  read("%a = call f(%x) output(%a)");
  slot("a", 0).value = record("y").next.value ? graph->find("y").id() : NodeId{};
  EXPECT_EQ(error(), "broken-uses: the use list of `%x` is not that of its users @x");
  read("%a = call f(%x) output(%a)");
  record("x").first_use = record("x").last_use = kNoSlot;
  EXPECT_EQ(error(), "broken-order: the order of nodes is broken: a use is in no list");
  read("%a = call f(%x, %x) output(%a)");
  const uint32_t first = record("a").first_operand;
  graph->table().slots[first + 1].next_use = first;  // a cycle
  EXPECT_EQ(error(), "broken-uses: the use list of `%x` is not that of its users @x");
}

TEST_F(VerifierTest, BadOperand) {
  read("%a = call f(%x) %b = call f(%a, %y) output(%b)");
  graph->table().records[graph->find("a").id().value].first_use = kNoSlot;
  graph->erase(graph->find("a"));
  EXPECT_EQ(error(), "bad-operand: operand 0 is missing or was erased @b");
  read("%a = call f(%x) output(%a)");
  slot("a", 0).value = {};
  record("x").first_use = record("x").last_use = kNoSlot;
  EXPECT_EQ(error(), "bad-operand: operand 0 is missing or was erased @a");
}

TEST_F(VerifierTest, UseBeforeDefinition) {
  read("%a = call f(%x) %b = call f(%a) output(%b)");
  graph->move_before(graph->find("b"), graph->find("a"));
  EXPECT_EQ(error(), "use-before-definition: `%a` is used above its definition @b");
  read("%a = call f(%x) output(%a)");
  graph->set_operand(graph->find("a"), 0, graph->find("a"));
  EXPECT_EQ(error(), "use-before-definition: `%a` is used above its definition @a");
}

TEST_F(VerifierTest, BadArguments) {
  read("%a = call f(%x) output(%a)");
  record("a").arguments = {};
  EXPECT_EQ(error(), "bad-arguments: the arguments are malformed: they are no call @a");
  read("%a = call f(%x) output(%a)");
  record("a").arguments = context->call({});
  EXPECT_EQ(error(), "bad-arguments: the arguments are malformed: 0 holes and 1 operands @a");
}

TEST_F(VerifierTest, DeepArgument) {
  read("%a = call f() output(%a)");
  ArgId deep = context->none();
  for (int i = 0; i < 1000; ++i) deep = context->sequence(ArgKind::kTuple, std::span(&deep, 1));
  graph->set_arguments(graph->find("a"), context->call(std::span(&deep, 1)), {});
  EXPECT_EQ(error(), "deep-argument: an argument is nested more than 200 levels deep @a");
  EXPECT_NE(print(*graph).find("..."), std::string::npos);
}

TEST_F(VerifierTest, MisplacedPlaceholder) {
  read("%a = call f(%x) %z = placeholder output(%a)");
  EXPECT_EQ(error(), "misplaced-placeholder: a placeholder stands behind a call @z");
}

TEST_F(VerifierTest, Outputs) {
  read("%a = call f(%x)");
  EXPECT_EQ(error(), "missing-output: graph `@main` does not end with an output");
  read("output(%x) %a = call f(%x) output(%a)");
  EXPECT_EQ(error(), "misplaced-output: an output is not the last node @output");
  read("output(%x) %a = call f(%x)");
  EXPECT_EQ(error(), "misplaced-output: an output is not the last node @output");
  Graph empty(context);
  EXPECT_EQ(verify(empty).error().code, "missing-output");
}

TEST_F(VerifierTest, BadNodeName) {
  read("%a = call f(%x) output(%a)");
  record("a").name = context->intern("x");
  EXPECT_EQ(error(), "bad-node-name: two nodes are named `%x` @x");
  read("%a = call f(%x) output(%a)");
  record("a").name = {};
  EXPECT_EQ(error(), "bad-node-name: a node has no name");
}

TEST_F(VerifierTest, Subgraphs) {
  read("%a = call cond(%x, @body) output(%a)");
  EXPECT_EQ(error(), "unknown-subgraph: there is no attribute for subgraph `@body` @a");
  auto& body = graph->attributes()["body"].subgraph;
  body = std::make_shared<Graph>(std::make_shared<Context>(), "body");
  EXPECT_EQ(error(), "foreign-subgraph: subgraph `body` belongs to another context");
  body = std::make_shared<Graph>(context, "body");
  EXPECT_EQ(error(), "missing-output: graph `@body` does not end with an output");
  body->add(NodeKind::kOutput, "output", context->call({}), {});
  EXPECT_EQ(error(), "");
}

TEST_F(VerifierTest, BadTensorType) {
  read("%a = call f(%x) : (none, float32[2, 3]{1}) output(%a)");
  EXPECT_EQ(error(),
            "bad-tensor-type: the type of the node is malformed: 2 sizes and 1 strides @a");
  read("%a = call f(%x) output(%a)");
  const SymExprId sizes[] = {SymExprId{}};
  graph->set_type(graph->find("a"),
                  context->intern(Type{.kind = TypeKind::kTensor, .sizes = sizes}));
  EXPECT_EQ(error(), "bad-tensor-type: the type of the node is malformed: a size is missing @a");
  EXPECT_NE(print(*graph).find("float32[?]"), std::string::npos);
}

TEST_F(VerifierTest, CallsOfKnownOps) {
  const std::pair<const char*, const char*> cases[] = {
      {"%a = call aten.add.Tensor(%x, %y, 1)",
       "too-many-arguments: `aten.add.Tensor` takes 2 positional arguments, not 3 @a"},
      {"%a = call aten.add.Tensor(%x, %y, beta=1)",
       "bad-keyword: `aten.add.Tensor` has no argument `beta` @a"},
      {"%a = call aten.add.Tensor(%x, %y, other=%y)",
       "bad-keyword: `aten.add.Tensor` is given argument `other` twice @a"},
      {"%a = call aten.add.Tensor(%x)",
       "missing-argument: `aten.add.Tensor` needs argument `other` @a"},
      {"%a = call aten.add.Tensor(%x, %y) : (none,)",
       "bad-result-type: `aten.add.Tensor` gives 1 results; the type says otherwise @a"},
      {"%a = call aten.max.dim(%x, 0) : float32[]",
       "bad-result-type: `aten.max.dim` gives 2 results; the type says otherwise @a"},
      {"%a = call aten.max.dim(%x, 0) : (none,)",
       "bad-result-type: `aten.max.dim` gives 2 results; the type says otherwise @a"},
  };
  for (const auto& [line, expected] : cases) {
    read(std::string(line) + " output(%a)");
    EXPECT_EQ(error(), expected);
  }
}

TEST_F(VerifierTest, NamesTheSourceLine) {
  read(
      "%a = call aten.add.Tensor(%x) meta(source \"model.py:41\", module \"layers.0\") output(%a)");
  EXPECT_EQ(verify(*graph).error().str(),
            "error[missing-argument]: `aten.add.Tensor` needs argument `other`\n"
            "  --> model.py:41 in layers.0, node %a\n"
            "  help: it has no default");
}

}  // namespace
}  // namespace nfx
