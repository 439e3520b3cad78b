// What a pattern matched.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/argument_view.h"
#include "ir/graph.h"
#include "rewrite/constant.h"
#include "rewrite/pattern.h"

namespace nfx {

class Match {
 public:
  explicit Match(Node root) : root_(root) {}

  Node root() const { return root_; }
  Context& context() const { return root_.graph().context(); }

  // By the name of a variable of the left side.
  Node value(std::string_view name) const;
  Dtype dtype(std::string_view name) const { return value(name).type().dtype; }
  ArgumentView number(std::string_view name) const;

  // The node that a call equal to `pattern` matched; none if there was none.
  Node call(const Pattern& pattern) const;
  // Nodes whose values were looked at: root, inner calls, variables.
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  friend class Matcher;
  struct Binding {
    std::string_view name;
    Node node;
    ArgumentView number;
  };
  Node root_;
  std::vector<Binding> bindings_;
  std::vector<std::pair<const Pattern*, Node>> calls_;
  std::vector<Node> nodes_;
};

class Matcher {
 public:
  // `constants` tells which nodes a literal matches.
  explicit Matcher(OperandConstant constants) : constants_(std::move(constants)) {}

  std::optional<Match> match(const Pattern& pattern, Node root) const;

 private:
  bool call(const Pattern& pattern, Node node, Match& match) const;
  bool children(const Pattern& pattern, Node node, bool swapped, Match& match) const;
  bool child(const Pattern& pattern, ArgumentView argument, Match& match) const;
  bool value(const Pattern& pattern, ArgumentView argument, Match& match) const;
  bool number(const Pattern& pattern, ArgumentView argument, Match& match) const;
  bool literal(const Pattern& pattern, ArgumentView argument, Match& match) const;

  OperandConstant constants_;
};

}  // namespace nfx
