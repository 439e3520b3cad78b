// Finds a pattern that is a graph in another graph.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ir/argument_view.h"
#include "rewrite/subgraph_pattern.h"

namespace nfx {

// What the layer that owns Python objects knows of them.
class SubgraphHost {
 public:
  virtual ~SubgraphHost() = default;
  // Whether the attribute that `node` reads may stand for that of the pattern.
  virtual bool same_attribute(Node pattern, Node node);
  // Whether calling the module of `node` writes to what it is given.
  virtual bool module_writes(Node node);
};

class SubgraphMatch {
 public:
  SubgraphMatch(const SubgraphPattern& pattern, Graph& graph)
      : pattern_(&pattern), graph_(&graph), values_(pattern.graph().id_limit()) {}

  const SubgraphPattern& pattern() const { return *pattern_; }
  Graph& graph() const { return *graph_; }
  // What a placeholder of the pattern stands for.
  ArgumentView value(Node placeholder) const { return values_[placeholder.id().value].given; }
  ArgumentView value(std::string_view name) const;
  // The node that a call or a placeholder stands for; none for a constant.
  Node node(Node pattern_node) const { return values_[pattern_node.id().value].node; }
  Node node(std::string_view name) const;
  const Type* tensor(std::string_view name) const;  // its type; null if it is no tensor
  // Nodes that calls of the pattern matched, in the order of the graph.
  std::vector<Node> calls() const;
  Node root() const { return node(pattern_->roots().front()); }

 private:
  friend class SubgraphMatcher;
  struct Value {
    Node node;           // of a call, or of a placeholder that stands for a node
    ArgumentView given;  // of a placeholder
    explicit operator bool() const { return node || given; }
  };
  const SubgraphPattern* pattern_;
  Graph* graph_;
  std::vector<Value> values_;  // by NodeId of the pattern
};

// One search at a time. Its cost is bounded by a constant for a given pattern.
class SubgraphMatcher {
 public:
  // `commutes`: arguments of commutative ops in either order. Nodes with ids from
  // `first_new` on are values, but no part of a match.
  SubgraphMatcher(const SubgraphPattern& pattern, Graph& graph, SubgraphHost& host, bool commutes,
                  NodeId first_new);

  // With what the first root of the pattern matches given. The reference holds
  // until the next search.
  const SubgraphMatch* match(Node root);

 private:
  struct Task {
    ArgumentView pattern, graph;
  };
  // What to go on with if the way that was taken leads nowhere.
  struct Choice {
    std::vector<Task> agenda;
    size_t bound = 0;
    Node pattern, swapped;         // a node whose arguments may be swapped, or ...
    std::vector<Node> candidates;  // ... what else `pattern` may match, the next one last
  };

  bool search();
  bool resume();
  bool do_task(const Task& task);
  bool do_sequence(const Task& task);
  bool match_node(Node pattern, Node node);
  bool match_arguments(Node pattern, Node node);
  bool push_arguments(Node pattern, Node node, bool swapped);
  bool push_positional(Node pattern, Node node, bool swapped);
  bool bind_placeholder(Node pattern, ArgumentView given);
  bool same_target(Node pattern, Node node);
  bool plausible(ArgumentView pattern, ArgumentView given);
  bool place_next_root(Node root);
  std::vector<Node> candidates(Node pattern, Node from);
  std::vector<Node> unconnected(Node root);
  void unbind(size_t count);
  bool is_contained() const;

  SubgraphMatch match_;
  SubgraphHost& host_;
  bool commutes_;
  NodeId first_new_;
  std::vector<Task> agenda_;
  std::vector<Node> bound_;  // pattern nodes, as they were bound
  std::vector<Choice> choices_;
  struct Unconnected {
    Node root;
    std::vector<NodeId> nodes;  // what it may match, in order
    size_t first = 0;           // before it all are erased
  };
  std::vector<Unconnected> unconnected_;
  size_t attempts_ = 0;
};

// An assertion that tracing put there about the type of a value: it goes with the value.
bool asserts_type(Node node);

// Whether the first two arguments of the call may be swapped.
bool arguments_commute(Node node);

}  // namespace nfx
