#include "compiler/memory_report.h"

#include <algorithm>
#include <unordered_map>

#include "runtime/memory_plan.h"

namespace nfx {
namespace {

// The numbers of a run whose sizes are the hints.
std::optional<std::vector<int64_t>> hinted_numbers(const Graph& graph, const Plan& plan) {
  std::unordered_map<std::string_view, const Type*> types;
  for (const Node node : graph.placeholders()) types.emplace(node.name(), &node.type());
  std::vector<int64_t> numbers = plan.numbers;
  const auto set = [&](NumberId number, SymExprId expr) {
    const auto value = expr ? evaluate_hint(graph.context(), expr) : std::nullopt;
    if (value) numbers[number] = *value;
    return value.has_value();
  };
  for (const PlanInput& input : plan.inputs) {
    const auto type = types.find(input.name);
    if (input.number == kNoIndex || type == types.end()) continue;
    if (!set(input.number, type->second->expr)) return std::nullopt;
  }
  for (const SymbolSource& source : plan.symbols) {
    const auto type = types.find(plan.slots[source.slot].name);
    if (type == types.end()) return std::nullopt;
    SymExprId expr = type->second->storage_offset;
    if (source.property == SymbolSource::Property::kSize) expr = type->second->sizes[source.dim];
    if (source.property == SymbolSource::Property::kStride) {
      expr = type->second->strides[source.dim];
    }
    if (!set(source.number, expr)) return std::nullopt;
  }
  std::vector<int64_t> scratch;
  if (!plan.program.run(numbers, scratch)) return std::nullopt;
  return numbers;
}

int64_t most_alive(std::span<const BufferLife> lives) {
  int64_t most = 0;
  for (const BufferLife& at : lives) {  // it grows only where a buffer begins
    int64_t alive = 0;
    for (const BufferLife& life : lives) {
      if (life.first <= at.first && at.first <= life.last) alive += life.bytes;
    }
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace

std::optional<MemoryReport> memory_report(const Graph& graph, const Plan& plan) {
  const auto numbers = hinted_numbers(graph, plan);
  if (!numbers) return std::nullopt;
  std::vector<BufferLife> lives;
  MemoryReport report;
  for (const ArenaBuffer& buffer : plan.arena) {
    const int64_t bytes = (*numbers)[plan.slots[buffer.slot].bytes];
    lives.push_back({bytes, buffer.first, buffer.last});
    report.bytes += bytes;
  }
  report.buffers = static_cast<int64_t>(lives.size());
  report.arena = plan_memory(lives).bytes;
  report.peak = most_alive(lives);
  return report;
}

}  // namespace nfx
