#include "passes/fold_constants.h"

#include <algorithm>
#include <unordered_map>

#include "ir/argument_view.h"
#include "ops/op_row.h"
#include "rewrite/constant.h"
#include "rewrite/effects.h"
#include "rewrite/memory_facts.h"

namespace nfx {
namespace {

class ConstantFolder {
 public:
  explicit ConstantFolder(Graph& graph) : graph_(graph), memory_(graph) {}

  Changed run() {
    Changed changed = Changed::kNo;
    for (const Node node : graph_.nodes()) {
      if (node.type().kind == TypeKind::kScalar) {
        changed |= fold_number(node);
      } else {
        changed |= fold_tensor(node);
      }
    }
    return changed;
  }

 private:
  Context& context() { return graph_.context(); }

  // ---- symbolic numbers
  Changed fold_number(Node node) {
    const std::optional<int64_t> value = as_int(context(), node.type().expr);
    if (!value || !node.has_uses() || node.type().dtype != Dtype::kInt64) return Changed::kNo;
    const ArgId constant = context().integer(*value);
    std::vector<Node> users;
    for (const Use use : graph_.uses(node)) users.push_back(graph_.node(use.user));
    Changed changed = Changed::kNo;
    for (const Node user : users) {
      if (user.kind() == NodeKind::kOutput) continue;  // what is returned keeps its node
      fill_holes(user, node, constant);
      changed = Changed::kYes;
    }
    return changed;
  }

  void fill_holes(Node user, Node value, ArgId constant) {
    std::vector<Node> operands;
    uint32_t hole = 0;
    const ArgId arguments = filled(user.arguments(), user, value, constant, hole);
    for (uint32_t i = 0; i < user.num_operands(); ++i) {
      if (user.operand(i) != value) operands.push_back(user.operand(i));
    }
    graph_.set_arguments(user, arguments, operands);
  }

  ArgId filled(ArgId id, Node user, Node value, ArgId constant, uint32_t& hole) {
    Arg arg = context().arg(id);
    if (arg.kind == ArgKind::kHole) return user.operand(hole++) == value ? constant : id;
    if (arg.holes == 0) return id;
    std::vector<ArgId> children;
    for (const ArgId child : arg.children) {
      children.push_back(filled(child, user, value, constant, hole));
    }
    arg.children = children;
    return context().intern(arg);
  }

  // ---- tensors of one number
  Changed fold_tensor(Node node) {
    if (!may_be_constant(node)) return Changed::kNo;
    const std::optional<Constant> constant =
        constant_of(node, [this](Node operand) { return known(operand); });
    if (!constant) return Changed::kNo;
    known_.emplace(node.id().value, *constant);
    if (node.has(Trait::kFactory) && !has_tensor_operand(node)) return Changed::kNo;
    return replace_by_full(node, *constant);
  }

  bool may_be_constant(Node node) {
    if (node.type().kind != TypeKind::kTensor || !is_pure(node) || memory_.is_written(node)) {
      return false;
    }
    if (node.has(Trait::kFactory)) return true;
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const Node operand = node.operand(i);
      if (operand.type().kind == TypeKind::kTensor && !known(operand)) return false;
    }
    return true;
  }

  static bool has_tensor_operand(Node node) {
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      if (node.operand(i).type().kind == TypeKind::kTensor) return true;
    }
    return false;
  }

  std::optional<Constant> known(Node node) const {
    const auto found = known_.find(node.id().value);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  Changed replace_by_full(Node node, const Constant& constant) {
    const Type type = node.type();
    const std::vector<SymExprId> dense = contiguous_strides(context(), type.sizes);
    const bool is_view_of_output = node.has(Trait::kView) && memory_.escapes(node);
    if (type.requires_grad || type.layout != Layout::kStrided || is_view_of_output ||
        !std::ranges::equal(dense, type.strides)) {
      return Changed::kNo;
    }
    const std::optional<ArgId> value = constant_argument(context(), constant);
    const std::optional<ArgId> sizes = static_sizes(type);
    if (!value || !sizes) return Changed::kNo;
    graph_.set_insertion_point(node);
    const Node full = graph_.add(NodeKind::kCallFunction, "aten.full.default",
                                 full_arguments(type, *sizes, *value), {}, {}, node.type_id());
    graph_.set_insertion_point({});
    if (full.op() == nullptr) {  // a table without `full`
      graph_.erase(full);
      return Changed::kNo;
    }
    graph_.inherit_meta(full, node);
    memory_.added(full);
    memory_.replaced(node, full);
    known_.emplace(full.id().value, constant);
    graph_.replace_all_uses(node, full);
    graph_.erase(node);
    return Changed::kYes;
  }

  std::optional<ArgId> static_sizes(const Type& type) {
    std::vector<ArgId> sizes;
    for (const SymExprId size : type.sizes) {
      const std::optional<int64_t> value = as_int(context(), size);
      if (!value) return std::nullopt;
      sizes.push_back(context().integer(*value));
    }
    return context().sequence(ArgKind::kList, sizes);
  }

  ArgId full_arguments(const Type& type, ArgId sizes, ArgId value) {
    const Arg dtype{.kind = ArgKind::kDtype, .dtype = type.dtype};
    const Arg layout{.kind = ArgKind::kLayout, .text = context().intern("strided")};
    const Arg device{.kind = ArgKind::kDevice, .text = type.device};
    const ArgId keywords = context().sequence(
        ArgKind::kDict,
        std::vector<ArgId>{context().string("dtype"), context().intern(dtype),
                           context().string("layout"), context().intern(layout),
                           context().string("device"), context().intern(device),
                           context().string("pin_memory"), context().boolean(false)});
    return context().call(std::vector<ArgId>{sizes, value}, keywords);
  }

  Graph& graph_;
  MemoryFacts memory_;
  std::unordered_map<uint32_t, Constant> known_;  // by NodeId
};

}  // namespace

Changed fold_constants(Graph& graph) { return ConstantFolder(graph).run(); }

NFX_PASS(fold_constants, "compute what depends on nothing but constants");

}  // namespace nfx
