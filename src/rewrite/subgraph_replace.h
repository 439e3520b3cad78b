// Puts another graph in the place of what a pattern matched.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rewrite/subgraph_match.h"
#include "rewrite/write_order.h"

namespace nfx {

// One application of a rule, told before the uses of what was matched change.
struct SubgraphRewrite {
  const SubgraphMatch& match;
  std::span<const Node> made;    // new nodes in order
  std::span<const Node> with;    // what takes the place of each result of the pattern
  std::span<const Node> moved;   // users that now stand behind the new nodes
  std::span<const Node> erased;  // with what was matched: assertions about it
};

class SubgraphListener {
 public:
  virtual ~SubgraphListener() = default;
  virtual void applied(const SubgraphRewrite& rewrite) = 0;
};

// Gives a constant that follows from the match, by the name of a placeholder of the
// replacement; nothing if the rule does not apply after all.
using ComputedInput =
    std::function<std::optional<ArgId>(const SubgraphMatch& match, std::string_view name)>;

// Whether the replacement takes the arguments of the pattern (more, if some are
// computed) and returns as many values. Errors: `unlike-replacement`,
// `unbound-argument`, `replaced-input`.
Status check_replacement(const SubgraphPattern& pattern, const Graph& replacement, bool computes);

class SubgraphReplacer {
 public:
  SubgraphReplacer(const SubgraphPattern& pattern, const Graph& replacement,
                   const ComputedInput& compute, Graph& graph, WriteOrder& writes);

  // The new nodes stand before the last node of the match. They take type and
  // origin of what they replace. False, with the graph as it was, if that would
  // make a cycle, move a read across a write, or put a constant where a node is.
  bool replace(const SubgraphMatch& match, SubgraphListener* listener);

  std::span<const Node> with() const { return with_; }  // of the last replacement

 private:
  bool find_late_users(const SubgraphMatch& match, Node last);
  bool follow(Node node, Node last);
  bool is_inside(Node node) const;
  bool reads_itself(const SubgraphMatch& match) const;
  bool has_results(const SubgraphMatch& match) const;
  bool compute_inputs(const SubgraphMatch& match);
  Node input_node(uint32_t input, const SubgraphMatch& match) const;
  void build(const SubgraphMatch& match, Node before);
  Node copy(Node source, const SubgraphMatch& match);
  ArgId substitute(ArgumentView argument, const SubgraphMatch& match);
  void infer_type(Node made);
  void find_assertions();
  void finish(const SubgraphMatch& match, Node last);

  const SubgraphPattern& pattern_;
  const Graph& replacement_;
  Graph& graph_;
  WriteOrder& writes_;
  const ComputedInput& compute_;
  std::vector<Node> inputs_;  // of the pattern, in order
  std::vector<Node> given_;   // of the replacement, those that are computed last
  std::vector<ArgId> computed_;
  std::vector<Node> results_;       // of the replacement
  std::vector<uint32_t> input_of_;  // by NodeId of the replacement: its place among inputs
  std::vector<Node> copies_;        // by NodeId of the replacement
  std::vector<Node> operands_;
  std::vector<Node> calls_;       // of the match, in order
  std::vector<Node> late_;        // users of results that stand before its last node
  std::vector<Node> assertions_;  // about nodes that go
  std::vector<Node> made_;
  std::vector<Node> with_;
};

}  // namespace nfx
