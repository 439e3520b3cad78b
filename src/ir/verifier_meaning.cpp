#include <vector>

#include "ir/argument_view.h"
#include "ir/context_tables.h"
#include "ir/verifier.h"

namespace nfx {
namespace {

struct UnknownSubgraph {
  static constexpr std::string_view kCode = "unknown-subgraph";
  std::string name;
  std::string message() const { return "there is no attribute for subgraph `@" + name + "`"; }
  std::string help() const { return "add the subgraph to the attributes of its graph"; }
};
NFX_DIAGNOSTIC(UnknownSubgraph);

struct ForeignSubgraph {
  static constexpr std::string_view kCode = "foreign-subgraph";
  std::string name;
  std::string message() const { return "subgraph `" + name + "` belongs to another context"; }
  std::string help() const { return "make a graph and its subgraphs in one context"; }
};
NFX_DIAGNOSTIC(ForeignSubgraph);

struct BadTensorType {
  static constexpr std::string_view kCode = "bad-tensor-type";
  std::string what;
  std::string message() const { return "the type of the node is malformed: " + what; }
  std::string help() const { return "give every dimension a size, and a stride or none at all"; }
};
NFX_DIAGNOSTIC(BadTensorType);

struct TooManyArguments {
  static constexpr std::string_view kCode = "too-many-arguments";
  std::string op;
  size_t given, taken;
  std::string message() const {
    return "`" + op + "` takes " + std::to_string(taken) + " positional arguments, not " +
           std::to_string(given);
  }
  std::string help() const { return "the others are given by keyword"; }
};
NFX_DIAGNOSTIC(TooManyArguments);

struct BadKeyword {
  static constexpr std::string_view kCode = "bad-keyword";
  std::string op, keyword;
  bool known;
  std::string message() const {
    return "`" + op + "` " + (known ? "is given" : "has no") + " argument `" + keyword + "`" +
           (known ? " twice" : "");
  }
  std::string help() const { return "compare the call with the schema of the op"; }
};
NFX_DIAGNOSTIC(BadKeyword);

struct MissingArgument {
  static constexpr std::string_view kCode = "missing-argument";
  std::string op, argument;
  std::string message() const { return "`" + op + "` needs argument `" + argument + "`"; }
  std::string help() const { return "it has no default"; }
};
NFX_DIAGNOSTIC(MissingArgument);

struct BadResultType {
  static constexpr std::string_view kCode = "bad-result-type";
  std::string op;
  size_t results;
  std::string message() const {
    return "`" + op + "` gives " + std::to_string(results) + " results; the type says otherwise";
  }
  std::string help() const { return "infer the type anew, or leave it out"; }
};
NFX_DIAGNOSTIC(BadResultType);

bool is_tuple(const Type& type) {
  return type.kind == TypeKind::kTuple || type.kind == TypeKind::kList;
}

// Calls of one op.
class CallVerifier {
 public:
  explicit CallVerifier(Node node) : node_(node), op_(*node.op()), schema_(*op_.schema) {}

  Status run() {
    given_.assign(schema_.args.size(), false);
    NFX_TRY(positionals());
    NFX_TRY(keywords());
    NFX_TRY(required());
    return results();
  }

 private:
  std::string op_name() const { return std::string(op_.name); }

  Status positionals() {
    size_t taken = 0;
    while (taken < schema_.args.size() && !schema_.args[taken].kwarg_only) ++taken;
    const size_t count = num_positional(node_);
    if (count > taken && !schema_.vararg) {
      return diagnose(TooManyArguments{op_name(), count, taken}, node_place(node_));
    }
    for (size_t i = 0; i < std::min(count, taken); ++i) given_[i] = true;
    return success();
  }

  Status keywords() {
    const Context& context = node_.graph().context();
    const Arg& dict = context.arg(context.arg(node_.arguments()).children[1]);
    for (size_t i = 0; i + 1 < dict.children.size(); i += 2) {
      const std::string_view key = context.text(context.arg(dict.children[i]).text);
      const std::optional<size_t> index = schema_.arg_index(key);
      if (!index || given_[*index]) {
        return diagnose(BadKeyword{op_name(), std::string(key), index.has_value()},
                        node_place(node_));
      }
      given_[*index] = true;
    }
    return success();
  }

  Status required() const {
    for (size_t i = 0; i < given_.size(); ++i) {
      const SchemaArg& formal = schema_.args[i];
      if (given_[i] || formal.default_value) continue;
      return diagnose(MissingArgument{op_name(), formal.name}, node_place(node_));
    }
    return success();
  }

  Status results() const {
    const Type& type = node_.type();
    const size_t count = schema_.results.size();
    if (type.kind == TypeKind::kUnknown || schema_.varresult) return success();
    bool fits = true;
    if (count > 1) fits = is_tuple(type) && type.elements.size() == count;
    if (count == 1 && schema_.results[0].type.kind == SchemaKind::kTensor) {
      fits = schema_.results[0].type.list || !is_tuple(type);
    }
    if (fits) return success();
    return diagnose(BadResultType{op_name(), count}, node_place(node_));
  }

  Node node_;
  const OpInfo& op_;
  const Schema& schema_;
  std::vector<bool> given_;
};

class MeaningVerifier {
 public:
  explicit MeaningVerifier(const Graph& graph)
      : graph_(graph),
        context_(graph.context()),
        good_types_(context_.tables().types.size()),
        good_args_(context_.tables().args.size()) {}

  Status run() {
    for (const auto& [name, attribute] : graph_.attributes()) {
      if (attribute.subgraph && &attribute.subgraph->context() != &context_) {
        return diagnose(ForeignSubgraph{name});
      }
    }
    for (const Node node : graph_.nodes()) {
      NFX_TRY(type(node.type_id(), node));
      NFX_TRY(subgraphs(node.arguments(), node));
      const OpInfo* op = node.op();
      if (op != nullptr && op->schema != nullptr) NFX_TRY(CallVerifier(node).run());
    }
    return success();
  }

 private:
  Status type(TypeId root, Node node) {
    pending_types_.assign(1, root);
    while (!pending_types_.empty()) {
      const TypeId id = pending_types_.back();
      pending_types_.pop_back();
      if (!id || good_types_[id.value]) continue;
      const Type& type = context_.type(id);
      for (const SymExprId size : type.sizes) {
        if (!size) return diagnose(BadTensorType{"a size is missing"}, node_place(node));
      }
      if (!type.strides.empty() && type.strides.size() != type.sizes.size()) {
        return diagnose(BadTensorType{std::to_string(type.sizes.size()) + " sizes and " +
                                      std::to_string(type.strides.size()) + " strides"},
                        node_place(node));
      }
      good_types_[id.value] = true;
      pending_types_.insert(pending_types_.end(), type.elements.begin(), type.elements.end());
    }
    return success();
  }

  // Structures are shared, so each is searched once.
  Status subgraphs(ArgId root, Node node) {
    pending_args_.assign(1, root);
    while (!pending_args_.empty()) {
      const ArgId id = pending_args_.back();
      pending_args_.pop_back();
      if (!id || good_args_[id.value]) continue;
      const Arg& arg = context_.arg(id);
      if (arg.kind == ArgKind::kGraph && !graph_.attributes().contains(context_.text(arg.text))) {
        return diagnose(UnknownSubgraph{std::string(context_.text(arg.text))}, node_place(node));
      }
      good_args_[id.value] = true;
      pending_args_.insert(pending_args_.end(), arg.children.begin(), arg.children.end());
    }
    return success();
  }

  const Graph& graph_;
  const Context& context_;
  std::vector<bool> good_types_;  // by TypeId
  std::vector<bool> good_args_;   // by ArgId
  std::vector<TypeId> pending_types_;
  std::vector<ArgId> pending_args_;
};

}  // namespace

Status verify_meaning(const Graph& graph) { return MeaningVerifier(graph).run(); }

}  // namespace nfx
