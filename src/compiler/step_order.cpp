#include "compiler/step_order.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace nfx {
namespace {

struct CyclicSteps {
  static constexpr std::string_view kCode = "cyclic-steps";
  std::string name;
  std::string message() const { return "`" + name + "` needs a value that needs it"; }
  std::string help() const { return "this is a fault in fusion: please report the graph"; }
};
NFX_DIAGNOSTIC(CyclicSteps);

constexpr uint32_t kNoUnit = UINT32_MAX;

class Ordering {
 public:
  Ordering(const Graph& graph, const ValueTable& values, const Runners& runners,
           const MemoryRoots& memory, const Fusion* fusion)
      : graph_(graph), values_(values), runners_(runners), memory_(memory) {
    unit_of_.assign(graph.id_limit(), kNoUnit);
    make_units(fusion);
    for (const Node node : graph.nodes()) define_symbols(node);
    for (size_t i = 0; fusion != nullptr && i < fusion->kernels.size(); ++i) {
      add_kernel_needs(fusion->kernels[i], static_cast<uint32_t>(i));
    }
    for (const Node node : graph.nodes()) add_needs(node);
    add_write_order();
    add_effect_order();
  }

  Result<std::vector<StepUnit>> order() {
    const auto later = [this](uint32_t a, uint32_t b) { return key_[a] > key_[b]; };
    std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> ready(later);
    std::vector<uint32_t> missing(units_.size(), 0);
    for (const std::vector<uint32_t>& after : after_) {
      for (const uint32_t unit : after) ++missing[unit];
    }
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (missing[unit] == 0) ready.push(unit);
    }
    std::vector<StepUnit> ordered;
    while (!ready.empty()) {
      const uint32_t unit = ready.top();
      ready.pop();
      ordered.push_back(units_[unit]);
      for (const uint32_t next : after_[unit]) {
        if (--missing[next] == 0) ready.push(next);
      }
    }
    if (ordered.size() == units_.size()) return ordered;
    const auto stuck = std::ranges::find_if(missing, [](uint32_t count) { return count > 0; });
    const auto unit = static_cast<size_t>(stuck - missing.begin());
    return diagnose(CyclicSteps{"step at node " + std::to_string(key_[unit])});
  }

 private:
  uint32_t add_unit(StepUnit unit) {
    units_.push_back(unit);
    key_.push_back(0);
    after_.emplace_back();
    return static_cast<uint32_t>(units_.size() - 1);
  }

  void make_units(const Fusion* fusion) {
    for (size_t i = 0; fusion != nullptr && i < fusion->kernels.size(); ++i) {
      add_unit({static_cast<int32_t>(i), Node()});
    }
    uint32_t position = 0;
    for (const Node node : graph_.nodes()) {
      const NodeRunner& choice = runners_.of(node);
      uint32_t unit = kNoUnit;
      if (choice.runner == Runner::kKernel) unit = static_cast<uint32_t>(choice.kernel);
      if (choice.runner == Runner::kAten || choice.runner == Runner::kPython) {
        unit = add_unit({-1, node});
      }
      unit_of_[node.id().value] = unit;
      if (unit != kNoUnit) key_[unit] = ++position;
    }
  }

  // What a kernel computes again it does not need: its buffers say what it reads.
  void add_kernel_needs(const FusedKernel& kernel, uint32_t unit) {
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      if (kernel.kernel.buffers[i].use == BufferUse::kOut) continue;
      need_value(values_.of(kernel.buffers[i].node, kernel.buffers[i].result), unit);
    }
    for (const FusedKernel::Scalar& scalar : kernel.scalars) {
      if (scalar.node) need_value(values_.of(scalar.node), unit);
      need_symbols(scalar.expr, unit);
    }
  }

  void add_edge(uint32_t before, uint32_t after) {
    if (before == kNoUnit || after == kNoUnit || before == after) return;
    after_[before].push_back(after);
  }

  // A step whose result holds symbols that nothing before it knows.
  void define_symbols(Node node) {
    const uint32_t unit = unit_of_[node.id().value];
    for_each_symbol(node.type(), [&](SymExprId symbol) { definer_.try_emplace(symbol, unit); });
  }

  template <class Visit>
  void for_each_symbol(SymExprId expr, const Visit& visit) {
    if (!expr) return;
    const SymNode& node = sym_node(graph_.context(), expr);
    if (node.op == SymOp::kSymbol) visit(expr);
    for (const SymExprId operand : node.operands) for_each_symbol(operand, visit);
  }
  template <class Visit>
  void for_each_symbol(const Type& type, const Visit& visit) {
    for_each_symbol(type.expr, visit);
    for_each_symbol(type.storage_offset, visit);
    for (const SymExprId size : type.sizes) for_each_symbol(size, visit);
    for (const SymExprId stride : type.strides) for_each_symbol(stride, visit);
    for (const TypeId element : type.elements) {
      for_each_symbol(graph_.context().type(element), visit);
    }
  }
  template <class Symbols>
  void need_symbols(const Symbols& from, uint32_t unit) {
    for_each_symbol(from, [&](SymExprId symbol) {
      const auto definer = definer_.find(symbol);
      if (definer != definer_.end()) add_edge(definer->second, unit);
    });
  }

  void add_needs(Node node) {
    const uint32_t unit = unit_of_[node.id().value];
    if (unit == kNoUnit) return;
    need_symbols(node.type(), unit);
    if (runners_.of(node).runner == Runner::kKernel) return;
    for (uint32_t i = 0; i < node.num_operands(); ++i)
      need_value(values_.of(node.operand(i)), unit);
  }

  void need_value(ValueId value, uint32_t unit) {
    if (value == kNoValue) return;
    const ValueId root = memory_.root(value);
    add_edge(unit_of_[values_.producer(root).id().value], unit);
    add_edge(unit_of_[values_.producer(value).id().value], unit);
    need_symbols(values_.type(value), unit);
    if (values_.type(root).kind == TypeKind::kTensor) {
      readers_[memory_.family(root)].push_back(unit);
    }
  }

  // Who reads memory before it is written in the graph reads it before, and so on.
  void add_write_order() {
    for (const Node node : graph_.nodes()) {
      const uint32_t writer = unit_of_[node.id().value];
      if (writer == kNoUnit) continue;
      for (const ValueId root : memory_.written(node)) {
        const auto readers = readers_.find(memory_.family(root));
        if (readers == readers_.end()) continue;
        for (const uint32_t reader : readers->second) {
          if (reader == writer) continue;
          if (key_[reader] < key_[writer]) {
            add_edge(reader, writer);
          } else {
            add_edge(writer, reader);
          }
        }
      }
    }
  }

  void add_effect_order() {
    uint32_t previous = kNoUnit;
    for (const Node node : graph_.nodes()) {
      const NodeRunner& choice = runners_.of(node);
      const bool ordered = node.has(Trait::kRandom) || node.has(Trait::kEffect) ||
                           (choice.runner == Runner::kPython && !node.has(Trait::kPure)) ||
                           (choice.runner == Runner::kAten && node.op() == nullptr);
      if (!ordered || unit_of_[node.id().value] == kNoUnit) continue;
      add_edge(previous, unit_of_[node.id().value]);
      previous = unit_of_[node.id().value];
    }
  }

  const Graph& graph_;
  const ValueTable& values_;
  const Runners& runners_;
  const MemoryRoots& memory_;
  std::vector<StepUnit> units_;
  std::vector<uint32_t> key_;  // position of the unit's last node
  std::vector<std::vector<uint32_t>> after_;
  std::vector<uint32_t> unit_of_;  // by NodeId
  std::unordered_map<SymExprId, uint32_t> definer_;
  std::unordered_map<ValueId, std::vector<uint32_t>> readers_;  // by family
};

}  // namespace

Result<std::vector<StepUnit>> order_steps(const Graph& graph, const ValueTable& values,
                                          const Runners& runners, const MemoryRoots& memory,
                                          const Fusion* fusion) {
  return Ordering(graph, values, runners, memory, fusion).order();
}

}  // namespace nfx
