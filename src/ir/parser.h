// Reads the text form of graphs by recursive descent, one method a rule of
// docs/ir.md. Internal to src/ir; users call parse().
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "ir/text_reader.h"

namespace nfx {

class Parser {
 public:
  Parser(std::string_view text, std::shared_ptr<Context> context, std::string_view file)
      : in_(text, file), context_(std::move(context)) {}

  Result<std::unique_ptr<Graph>> file();

 private:
  // The order of users that a node's line asks for; they are defined later.
  struct UserOrder {
    NodeId node;
    std::vector<StringId> users;
    size_t position;  // in the text
  };

  // parser.cpp
  Status symbols();
  Status symbol();
  Result<int64_t> bound(int64_t infinity);
  Result<std::unique_ptr<Graph>> graph(int depth);
  Status statements(Graph& graph, int depth);
  Status attribute(Graph& graph, int depth);
  Status property(Graph& graph);
  Status order_users(Graph& graph, const UserOrder& order);

  // parse_node.cpp
  Status node(Graph& graph);
  Result<StringId> node_name(Graph& graph);  // of the line, none if it has none
  Result<StringId> target(NodeKind kind, StringId name);
  Status meta(Graph& graph, Node node);
  Status meta_part(NodeMeta& meta);
  Status users(Node node);

  // parse_argument.cpp
  Result<ArgId> call(Graph& graph);
  Status call_argument(Graph& graph, std::vector<ArgId>& keywords);
  Result<ArgId> argument(Graph& graph, int depth);
  Result<ArgId> plain_argument(Graph& graph, int depth);
  Result<ArgId> word_argument(Graph& graph, int depth);
  Result<ArgId> hole(Graph& graph);
  Result<ArgId> number();
  Result<ArgId> sequence(Graph& graph, Arg arg, char close, int depth);
  Result<ArgId> dict(Graph& graph, bool is_mutable, int depth);
  Result<ArgId> named_tuple(Graph& graph, int depth);
  Result<ArgId> symbolic();
  Result<ArgId> text_argument(ArgKind kind);
  Result<ArgId> dtype_argument();
  Result<ArgId> complex();
  Result<ArgId> op_value();
  Result<OpaqueId> handle(std::string_view expected_label);  // none if no `#` is next
  Result<OpaqueId> find_opaque(uint32_t number, std::string_view label, size_t position);
  Result<OpaqueId> opaque();
  bool label_matches(OpaqueId id, std::string_view label);

  // parse_type.cpp
  Result<TypeId> node_type();
  Result<TypeId> type(int depth);
  Result<TypeId> type_list(TypeKind kind, char close, int depth);
  Result<TypeId> scalar();
  Result<TypeId> tensor(Dtype dtype);
  Status strides(Type& type, std::vector<SymExprId>& ids);
  Status tensor_suffixes(Type& type);
  Status device(Type& type);
  Result<Dtype> dtype();
  Result<SymExprId> expression();
  Status expressions(char close, std::vector<SymExprId>& ids);

  Status too_deep(int depth);  // an error behind the limit

  TextReader in_;
  std::shared_ptr<Context> context_;
  std::vector<Node> operands_;                        // of the node that is being read
  std::vector<ArgId> stack_;                          // children of the structures that are open
  std::vector<UserOrder> orders_;                     // of the graph that is being read
  std::unordered_map<uint32_t, std::string> labels_;  // by OpaqueId
  std::unordered_map<std::string_view, TypeId> types_;
};

}  // namespace nfx
