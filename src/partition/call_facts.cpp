#include "partition/call_facts.h"

#include <algorithm>
#include <array>
#include <string>

#include "ir/argument_view.h"

namespace nfx {
namespace {

constexpr std::array<std::string_view, 13> kInPlaceOperators = {
    "iadd", "iand", "iconcat", "ifloordiv", "ilshift",  "imatmul", "imod",
    "imul", "ipow", "irshift", "isub",      "itruediv", "ixor"};

bool is_operator(Node node) {
  const std::string_view target = node.target();
  return target.starts_with("operator.") || target.starts_with("_operator.");
}

// `relu_` of the method `relu_`, of `torch.relu_` and `torch.nn.functional.relu_`.
std::string_view base_name(Node node) {
  const std::string_view target = node.target();
  if (node.kind() == NodeKind::kCallMethod) return target;
  return target.substr(target.rfind('.') + 1);
}

bool is_in_place(Node node) {
  const std::string_view name = base_name(node);
  if (is_operator(node)) {
    return name == "setitem" || name == "delitem" ||
           std::ranges::find(kInPlaceOperators, name) != kInPlaceOperators.end();
  }
  return name.size() > 1 && name.ends_with('_') && !name.starts_with("__");
}

void append_nodes(ArgumentView argument, std::vector<Node>& nodes) {
  if (!argument) return;
  if (argument.is_node()) return nodes.push_back(argument.node());
  for (size_t i = 0; i < argument.size(); ++i) append_nodes(argument.child(i), nodes);
}

}  // namespace

bool is_call(Node node) {
  return node.kind() == NodeKind::kCallFunction || node.kind() == NodeKind::kCallMethod ||
         node.kind() == NodeKind::kCallModule;
}

bool is_unknown_call(Node node) {
  const OpInfo* op = node.op();
  return is_call(node) && (op == nullptr || op->schema == nullptr);
}

std::vector<Node> operands_written_by_name(Node node) {
  std::vector<Node> written;
  if (node.kind() == NodeKind::kCallModule) return written;
  const bool by_trait = node.has(Trait::kMutates);
  if ((by_trait || is_in_place(node)) && num_positional(node) > 0) {
    append_nodes(positional(node, 0), written);
  }
  append_nodes(keyword(node, "out"), written);
  return written;
}

bool computes_only(Node node) {
  if (node.kind() == NodeKind::kCallModule || is_in_place(node)) return false;
  if (is_operator(node)) return true;
  if (node.kind() == NodeKind::kCallFunction && !node.target().starts_with("torch.")) return false;
  Context& context = node.graph().context();
  const std::string stem = "aten." + std::string(base_name(node)) + ".";
  return std::ranges::any_of(
      std::array{"default", "Tensor", "dim", "int", "self"},
      [&](const char* overload) { return context.op(context.intern(stem + overload)) != nullptr; });
}

}  // namespace nfx
