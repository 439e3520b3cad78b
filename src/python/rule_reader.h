// Rules as Python gives them: pairs of GraphModules, or the name of a native set.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "rewrite/rule_text.h"

namespace nfx::python {

namespace nb = nanobind;

class RuleReader {
 public:
  explicit RuleReader(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}

  // A tuple (name, pattern, replacement, where, commutes), or a str.
  void read(nb::handle rule);
  const std::vector<SubgraphRule>& rules() const { return rules_; }
  // Whether conditions of native sets look at the types of nodes.
  bool ask_types() const { return !bound_.empty(); }
  // The fx nodes of a pattern in order.
  nb::list pattern_nodes(const Graph* pattern) const;

 private:
  void read_pair(nb::handle rule);

  std::shared_ptr<Graph> graph_;
  std::vector<SubgraphRule> rules_;
  std::vector<std::shared_ptr<Graph>> sides_;
  std::vector<std::pair<const Graph*, nb::object>> patterns_;
  std::vector<BoundRules> bound_;
};

// Compares attributes of modules and asks modules whether they write.
class PythonHost final : public SubgraphHost {
 public:
  // `same_values`: tensors must be equal, otherwise of one type only.
  explicit PythonHost(bool same_values) : same_values_(same_values) {}
  bool same_attribute(Node pattern, Node node) override;
  bool module_writes(Node node) override;

 private:
  bool same_values_;
};

}  // namespace nfx::python
