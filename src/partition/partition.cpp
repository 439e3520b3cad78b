#include "partition/partition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "partition/call_facts.h"
#include "partition/functional.h"
#include "partition/hazards.h"

namespace nfx {
namespace {

// Predecessors by hazards, as offsets into one array.
struct HazardEdges {
  explicit HazardEdges(const Graph& graph) : offsets(graph.id_limit() + 1, 0) {
    const auto pairs = hazards(graph);
    for (const auto& [earlier, later] : pairs) ++offsets[later.value + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    sources.resize(pairs.size());
    std::vector<size_t> fill(offsets.begin(), offsets.end() - 1);
    for (const auto& [earlier, later] : pairs) sources[fill[later.value]++] = earlier;
  }
  std::span<const NodeId> before(Node node) const {
    const size_t begin = offsets[node.id().value];
    return {sources.data() + begin, offsets[node.id().value + 1] - begin};
  }
  std::vector<size_t> offsets;
  std::vector<NodeId> sources;
};

// Segments of one backend on the longest path that ends in each node.
std::vector<int> segment_levels(const Graph& graph, const std::vector<int>& claims,
                                const HazardEdges& order) {
  std::vector<int> levels(graph.id_limit(), 0);
  for (const Node node : graph.nodes()) {
    const int claim = claims[node.id().value];
    int level = claim == kUnclaimed ? 0 : 1;
    auto follow = [&](NodeId source) {
      const bool enters = claim != kUnclaimed && claims[source.value] != claim;
      level = std::max(level, levels[source.value] + (enters ? 1 : 0));
    };
    for (uint32_t i = 0; i < node.num_operands(); ++i) follow(node.operand(i).id());
    for (NodeId source : order.before(node)) follow(source);
    levels[node.id().value] = level;
  }
  return levels;
}

// Nodes of a region that reach each other within it carry the same number.
class Components {
 public:
  explicit Components(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  uint32_t find(uint32_t id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  // The smaller number stays, so that the result depends on the graph alone.
  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<uint32_t> parent_;
};

// Joins what depends on each other inside a level, by data or by a hazard.
Components connected_parts(const Graph& graph, const std::vector<int>& claims,
                           const std::vector<int>& levels, const HazardEdges& order) {
  Components components(graph.id_limit());
  for (const Node node : graph.nodes()) {
    const uint32_t id = node.id().value;
    auto connect = [&](NodeId source) {
      if (claims[id] != kUnclaimed && claims[id] == claims[source.value] &&
          levels[id] == levels[source.value])
        components.join(id, source.value);
    };
    for (uint32_t i = 0; i < node.num_operands(); ++i) connect(node.operand(i).id());
    for (NodeId source : order.before(node)) connect(source);
  }
  return components;
}

void divide_into_regions(const Graph& graph, const std::vector<int>& claims,
                         const HazardEdges& order, const PartitionOptions& options,
                         Partition& result) {
  const std::vector<int> levels = segment_levels(graph, claims, order);
  Components components(0);
  if (options.connected_only) components = connected_parts(graph, claims, levels, order);
  using Key = std::pair<std::pair<int, int>, uint32_t>;
  std::map<Key, std::vector<Node>> groups;
  for (const Node node : graph.nodes()) {
    const uint32_t id = node.id().value;
    if (claims[id] == kUnclaimed) continue;
    groups[{{levels[id], claims[id]}, options.connected_only ? components.find(id) : 0}].push_back(
        node);
  }
  for (auto& [key, nodes] : groups) {
    if (nodes.size() < options.min_nodes) continue;
    for (Node node : nodes)
      result.region_of[node.id().value] = static_cast<int>(result.regions.size());
    result.regions.push_back({{}, key.first.second, std::move(nodes), {}, {}});
  }
}

void find_boundary(const Graph& graph, Partition& partition) {
  std::vector<int> seen_by(graph.id_limit(), -1);
  for (size_t r = 0; r < partition.regions.size(); ++r) {
    Region& region = partition.regions[r];
    const int number = static_cast<int>(r);
    for (Node node : region.nodes) {
      for (uint32_t i = 0; i < node.num_operands(); ++i) {
        const Node input = node.operand(i);
        if (partition.region_of[input.id().value] == number || seen_by[input.id().value] == number)
          continue;
        seen_by[input.id().value] = number;
        region.inputs.push_back(input);
      }
      for (const Use use : graph.uses(node)) {
        if (partition.region_of[use.user.value] == number) continue;
        region.outputs.push_back(node);
        break;
      }
    }
  }
}

}  // namespace

Partition partition(const Graph& graph, const std::vector<int>& claims,
                    const std::vector<std::string>& backend_names,
                    const PartitionOptions& options) {
  Partition result;
  result.region_of.assign(graph.id_limit(), -1);
  const HazardEdges order(graph);
  divide_into_regions(graph, claims, order, options, result);
  std::vector<int> counts(backend_names.size(), 0);
  for (Region& region : result.regions) {
    const size_t backend = static_cast<size_t>(region.backend);
    region.name = backend_names[backend] + "_" + std::to_string(counts[backend]++);
  }
  find_boundary(graph, result);
  return result;
}

namespace {

int ask(Node node, const std::vector<Backend*>& backends, std::vector<std::string>& refusals) {
  for (size_t b = 0; b < backends.size(); ++b) {
    Support support = backends[b]->supports(node);
    if (support.yes) return static_cast<int>(b);
    refusals.push_back(std::string(backends[b]->name()) + ": " + support.reason);
  }
  return kUnclaimed;
}

}  // namespace

Partition partition(const Graph& graph, const std::vector<Backend*>& backends,
                    const PartitionOptions& options) {
  std::vector<int> claims(graph.id_limit(), kUnclaimed);
  std::vector<std::vector<std::string>> refusals(graph.id_limit());
  std::vector<std::string> names;
  for (Backend* backend : backends) names.emplace_back(backend->name());
  for (const Node node : graph.nodes()) {
    if (!is_call(node)) continue;
    const uint32_t id = node.id().value;
    const NodeValue projected = value_of(node);
    claims[id] = projected.index >= 0 ? claims[projected.node.id().value]  // with its producer
                                      : ask(node, backends, refusals[id]);
  }
  if (options.functional) drop_unsafe_claims(graph, claims, refusals);
  Partition result = partition(graph, claims, names, options);
  while (options.functional && drop_shared_outputs(graph, result, claims, refusals))
    result = partition(graph, claims, names, options);
  result.refusals = std::move(refusals);
  return result;
}

}  // namespace nfx
