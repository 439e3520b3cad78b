#include "compiler/runners.h"

#include <unordered_set>

#include "compiler/call_arguments.h"

namespace nfx {
namespace {

void collect_symbols(const Context& context, SymExprId expr,
                     std::unordered_set<SymExprId>& symbols) {
  if (!expr) return;
  const SymNode& node = sym_node(context, expr);
  if (node.op == SymOp::kSymbol || node.op == SymOp::kOpaque) symbols.insert(expr);
  for (const SymExprId operand : node.operands) collect_symbols(context, operand, symbols);
}

// The symbols that nodes so far have made known.
class KnownSymbols {
 public:
  explicit KnownSymbols(const Context& context) : context_(context) {}

  void add(const Type& type) {
    collect_symbols(context_, type.expr, symbols_);
    collect_symbols(context_, type.storage_offset, symbols_);
    for (const SymExprId size : type.sizes) collect_symbols(context_, size, symbols_);
    for (const SymExprId stride : type.strides) collect_symbols(context_, stride, symbols_);
    for (const TypeId element : type.elements) add(context_.type(element));
  }
  bool cover(SymExprId expr) const {
    std::unordered_set<SymExprId> needed;
    collect_symbols(context_, expr, needed);
    for (const SymExprId symbol : needed) {
      if (!symbols_.contains(symbol)) return false;
    }
    return true;
  }

 private:
  const Context& context_;
  std::unordered_set<SymExprId> symbols_;
};

bool viewable(const Context& context, const Type& base, TypeId id) {
  const Type& type = context.type(id);
  return type.kind == TypeKind::kTensor && type.layout == Layout::kStrided &&
         type.dtype == base.dtype && type.strides.size() == type.sizes.size() &&
         type.device == base.device;
}

std::string schema_text(Node node, const CompileHooks& hooks) {
  if (hooks.schema) return hooks.schema(node);
  return node.op() != nullptr && node.op()->schema != nullptr ? node.op()->schema->str() : "";
}

// PyTorch itself: natively if the C ABI takes this call, else by Python.
void choose_pytorch(Node node, const CompileHooks& hooks, NodeRunner& choice) {
  choice.runner = Runner::kPython;
  const std::string schema = schema_text(node, hooks);
  if (schema.empty()) {
    choice.reason = "its target is no operator";
    return;
  }
  Result<AtenCall> call = AtenCall::create(schema);
  if (!call) {
    choice.reason = call.error().message;
    return;
  }
  choice.call = std::move(*call);
  if (node.op() != nullptr && node.op()->schema != nullptr) {
    const Status same = check_recorded_schema(node.op()->schema->str(), schema);
    if (!same) {
      choice.reason = same.error().message;
      return;
    }
  }
  choice.reason = argument_problem(node, *choice.call);
  if (!choice.reason.empty()) return;
  choice.runner = Runner::kAten;
}

class Choosing {
 public:
  Choosing(const Graph& graph, const Fusion* fusion, const CompileHooks& hooks)
      : fusion_(fusion), hooks_(hooks), known_(graph.context()) {}

  void choose(Node node, NodeRunner& choice) {
    if (node.kind() == NodeKind::kOutput) return;
    if (node.kind() == NodeKind::kCallFunction && value_of(node).index < 0) {
      choose_function(node, choice);
    } else if (node.kind() == NodeKind::kCallMethod || node.kind() == NodeKind::kCallModule) {
      choice = {Runner::kPython, -1, "it is no operator but Python code", std::nullopt};
    }
    known_.add(node.type());
  }

 private:
  void choose_function(Node node, NodeRunner& choice) {
    if (fusion_ != nullptr && take_from_fusion(node, choice)) return;
    if (is_number(node) && known_.cover(node.type().expr)) {
      choice.runner = Runner::kNumber;
    } else if (is_memory_view(node)) {
      choice.runner = Runner::kView;
    } else {
      std::string why_no_kernel = std::move(choice.reason);
      choose_pytorch(node, hooks_, choice);
      if (choice.runner == Runner::kAten || choice.reason.empty()) {
        choice.reason = std::move(why_no_kernel);
      }
    }
  }

  bool take_from_fusion(Node node, NodeRunner& choice) {
    const Fusion::Choice& fused = fusion_->choices[node.id().value];
    switch (fused.disposition) {
      case Disposition::kKernel:
        choice = {Runner::kKernel, fused.kernel, {}, std::nullopt};
        return true;
      case Disposition::kView: choice.runner = Runner::kView; return true;
      case Disposition::kUnused: choice.runner = Runner::kNothing; return true;
      case Disposition::kOther: choice.reason = fused.reason; break;
    }
    return false;
  }

  const Fusion* fusion_;
  const CompileHooks& hooks_;
  KnownSymbols known_;
};

}  // namespace

bool is_number(Node node) {
  return node.type().kind == TypeKind::kScalar && static_cast<bool>(node.type().expr);
}

bool is_memory_view(Node node) {
  if (!node.has(Trait::kView) || node.num_operands() == 0) return false;
  const Context& context = node.graph().context();
  const Type& base = node.operand(0).type();
  if (base.kind != TypeKind::kTensor || is_complex(base.dtype)) return false;
  if (!viewable(context, base, node.operand(0).type_id())) return false;
  const Type& type = node.type();
  if (type.kind == TypeKind::kTensor) return viewable(context, base, node.type_id());
  for (const TypeId element : type.elements) {
    if (!viewable(context, base, element)) return false;
  }
  return type.kind == TypeKind::kTuple || type.kind == TypeKind::kList;
}

Runners choose_runners(const Graph& graph, const Fusion* fusion, const CompileHooks& hooks) {
  Runners runners;
  runners.nodes.resize(graph.id_limit());
  Choosing choosing(graph, fusion, hooks);
  for (const Node node : graph.nodes()) choosing.choose(node, runners.of(node));
  return runners;
}

}  // namespace nfx
