// What rules did to a graph, so that it can be done to what the graph was read from.
#pragma once
#include <utility>
#include <vector>

#include "rewrite/subgraph_rule.h"

namespace nfx::python {

class RewriteRecord final : public SubgraphListener {
 public:
  // What a node of the pattern matched: a node, or a structure with its operands.
  struct Value {
    NodeId pattern;
    NodeId node;
    ArgId structure;
    std::vector<NodeId> operands;
  };
  struct Application {
    const Graph* pattern = nullptr;
    std::vector<Value> values;
  };

  // `keep_matches`: also what every node of a pattern matched.
  explicit RewriteRecord(bool keep_matches) : keep_matches_(keep_matches) {}

  void applied(const SubgraphRewrite& rewrite) override;

  const std::vector<Application>& applications() const { return applications_; }
  // Users of results, nodes that changed their place, nodes that matched; some twice.
  const std::vector<NodeId>& users() const { return users_; }
  const std::vector<NodeId>& moved() const { return moved_; }
  const std::vector<NodeId>& matched() const { return matched_; }
  // New nodes that compute what another one did.
  const std::vector<std::pair<NodeId, NodeId>>& results() const { return results_; }

 private:
  void keep(const SubgraphMatch& match);

  bool keep_matches_;
  std::vector<Application> applications_;
  std::vector<NodeId> users_, moved_, matched_;
  std::vector<std::pair<NodeId, NodeId>> results_;
};

}  // namespace nfx::python
