#include "partition/partition.h"

#include <deque>

#include "capi/handles.h"
#include "partition/extract.h"
#include "partition/split.h"

namespace nfx::capi {
namespace {

struct SplitTwice {
  static constexpr std::string_view kCode = "split-twice";
  std::string message() const { return "the graph is not as it was when it was partitioned"; }
  std::string help() const { return "make a partition of the graph as it is now"; }
};
NFX_DIAGNOSTIC(SplitTwice);

// A region's node numbers, side by side as the C interface gives them.
struct RegionNodes {
  std::vector<nfx_node> nodes, inputs, outputs;
};

std::vector<nfx_node> numbers(const std::vector<Node>& nodes) {
  std::vector<nfx_node> made;
  made.reserve(nodes.size());
  for (const Node node : nodes) made.push_back(node.id().value);
  return made;
}

// Asks a function of the C interface.
class Supporter final : public Backend {
 public:
  Supporter(const nfx_graph* graph, const nfx_supporter& asked)
      : graph_(graph), asked_(asked), name_(take(asked.name)) {}
  std::string_view name() const override { return name_; }
  Support supports(Node node) override {
    nfx_support answer{};
    answer.struct_size = sizeof answer;
    const nfx_status status = asked_.supports(asked_.state, graph_, node.id().value, &answer);
    if (status != NFX_OK) return {false, "failed with status " + std::to_string(status)};
    if (answer.yes != 0) return {true, {}};
    const bool has_reason = answer.reason.data != nullptr && answer.reason.size != 0;
    return {false, has_reason ? std::string(take(answer.reason)) : "it gives no reason"};
  }

 private:
  const nfx_graph* graph_;
  const nfx_supporter& asked_;
  std::string name_;
};

bool usable(const nfx_supporter* supporter) {
  return supporter != nullptr && supporter->struct_size >= sizeof(nfx_supporter) &&
         supporter->supports != nullptr && readable(supporter->name) && supporter->name.size != 0;
}

std::string lines(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : "\n") + text;
  return joined;
}

}  // namespace
}  // namespace nfx::capi

struct nfx_partition {
  std::shared_ptr<nfx::Graph> graph;
  nfx::Partition value;
  std::vector<nfx::capi::RegionNodes> regions;
  std::vector<std::string> refusals;  // by node
  nfx::NodeArrangement arrangement;
  bool is_split = false;
};

namespace nfx::capi {
namespace {

nfx_partition* make_partition(const nfx_graph* graph, Partition value) {
  auto made = std::make_unique<nfx_partition>();
  made->graph = graph->graph;
  made->value = std::move(value);
  for (const Region& region : made->value.regions)
    made->regions.push_back(
        {numbers(region.nodes), numbers(region.inputs), numbers(region.outputs)});
  for (const auto& reasons : made->value.refusals) made->refusals.push_back(lines(reasons));
  return made.release();
}

bool as_it_was(const nfx_partition& partition) {
  const Graph& graph = *partition.graph;
  if (partition.is_split || graph.id_limit() != partition.value.region_of.size()) return false;
  for (const RegionNodes& region : partition.regions) {
    for (const nfx_node node : region.nodes) {
      if (!is_node(graph, node)) return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_graph_partition(const nfx_graph* graph, const nfx_supporter* const* supporters,
                               size_t num_supporters, const nfx_partition_options* options,
                               nfx_partition** partition, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || partition == nullptr || supporters == nullptr) return NFX_BAD_ARGUMENT;
    if (options != nullptr && options->struct_size < sizeof *options) return NFX_BAD_ARGUMENT;
    std::deque<Supporter> asked;
    std::vector<nfx::Backend*> backends;
    for (size_t i = 0; i < num_supporters; ++i) {
      if (!usable(supporters[i])) return NFX_BAD_ARGUMENT;
      backends.push_back(&asked.emplace_back(graph, *supporters[i]));
    }
    nfx::PartitionOptions chosen;
    if (options != nullptr) {
      chosen.connected_only = options->connected_only != 0;
      chosen.functional = options->functional != 0;
      chosen.min_nodes = options->min_nodes;
    }
    *partition = make_partition(graph, nfx::partition(*graph->graph, backends, chosen));
    return NFX_OK;
  });
}

void nfx_partition_free(nfx_partition* partition) { delete partition; }

nfx_status nfx_partition_size(const nfx_partition* partition, size_t* num_regions) {
  if (partition == nullptr || num_regions == nullptr) return NFX_BAD_ARGUMENT;
  *num_regions = partition->regions.size();
  return NFX_OK;
}

nfx_status nfx_partition_region(const nfx_partition* partition, size_t index,
                                nfx_region_info* info) {
  if (partition == nullptr) return NFX_BAD_ARGUMENT;
  if (index >= partition->regions.size()) return NFX_OUT_OF_RANGE;
  const RegionNodes& region = partition->regions[index];
  nfx_region_info made{};
  made.supporter = static_cast<uint32_t>(partition->value.regions[index].backend);
  made.name = give(partition->value.regions[index].name);
  made.nodes = region.nodes.data();
  made.num_nodes = region.nodes.size();
  made.inputs = region.inputs.data();
  made.num_inputs = region.inputs.size();
  made.outputs = region.outputs.data();
  made.num_outputs = region.outputs.size();
  return give(made, info);
}

nfx_status nfx_partition_refusal(const nfx_partition* partition, nfx_node node,
                                 nfx_string* reasons) {
  if (partition == nullptr || reasons == nullptr) return NFX_BAD_ARGUMENT;
  if (node == 0 || node >= partition->refusals.size()) return NFX_OUT_OF_RANGE;
  *reasons = give(partition->refusals[node]);
  return NFX_OK;
}

nfx_status nfx_partition_extract(const nfx_partition* partition, size_t index, nfx_graph** region) {
  return guarded([&]() -> nfx_status {
    if (partition == nullptr || region == nullptr) return NFX_BAD_ARGUMENT;
    if (index >= partition->regions.size()) return NFX_OUT_OF_RANGE;
    if (!as_it_was(*partition)) return NFX_INVALID;
    *region = new nfx_graph{nfx::extract(*partition->graph, partition->value.regions[index])};
    return NFX_OK;
  });
}

nfx_status nfx_graph_split(nfx_graph* graph, nfx_partition* partition,
                           nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || partition == nullptr || graph->graph != partition->graph)
      return NFX_BAD_ARGUMENT;
    if (!as_it_was(*partition)) return fail(NFX_INVALID, diagnostic, nfx::diagnose(SplitTwice{}));
    partition->arrangement = nfx::split(*graph->graph, partition->value);
    partition->is_split = true;
    return NFX_OK;
  });
}

nfx_status nfx_graph_inline(nfx_graph* graph, const nfx_partition* partition,
                            nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr) return NFX_BAD_ARGUMENT;
    const nfx::NodeArrangement none;
    const nfx::Status status =
        nfx::inline_calls(*graph->graph, partition != nullptr ? partition->arrangement : none);
    return status ? NFX_OK : fail(NFX_INVALID, diagnostic, status.error());
  });
}
