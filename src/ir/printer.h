// Writes the text form of graphs. Internal to src/ir; users call print().
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace nfx {

class Printer {
 public:
  Printer(Context& context, const PrintOptions& options) : context_(context), options_(options) {}

  void file(const Graph& graph);  // symbols, then the graph
  void node(Node node);           // one line, without its end
  void argument(ArgId id, Node node, uint32_t& hole, int depth = 0);
  void type(TypeId id, int depth = 0);

  std::string take() { return std::move(out_); }

 private:
  // printer.cpp
  void graph(const Graph& graph, int depth);
  void attributes(const Graph& graph, int depth);
  void indent(int depth) { out_.append(2 * static_cast<size_t>(depth), ' '); }
  void target(Node node);
  void meta(Node node);
  void users(Node node);

  // print_argument.cpp
  void call(ArgId root, Node node, bool always);
  void keywords(const Arg& dict, Node node, uint32_t& hole, bool first);
  void list(std::string_view open, std::string_view close, const Arg& arg, Node node,
            uint32_t& hole, int depth);
  void dict(const Arg& arg, Node node, uint32_t& hole, int depth);
  void constant(const Arg& arg);
  void symbolic(const Arg& arg);
  void node_name(Node node);
  // `#7 "label"`; the label is left out if it is `expected`.
  void handle(OpaqueId id, std::string_view expected);
  void opaque(OpaqueId id);  // `opaque#7 "label"`

  // print_type.cpp
  void tensor(const Type& type);
  void expression(SymExprId id);
  void expressions(std::string_view open, std::span<const SymExprId> ids, std::string_view close);
  void symbols(const Graph& graph);

  Context& context_;
  PrintOptions options_;
  std::string out_;
  std::unordered_map<uint32_t, std::string> type_texts_;  // by TypeId
  std::unordered_map<uint32_t, std::string> labels_;      // by OpaqueId
};

}  // namespace nfx
