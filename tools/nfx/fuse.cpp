// `nfx fuse FILE`: the loop kernels that a graph becomes.
#include <iostream>

#include "loop/fuse.h"
#include "loop/print.h"
#include "nfx/command.h"
#include "nfx/input.h"
#include "passes/expand_composites.h"

namespace nfx {
namespace {

void print_operands(const FusedKernel& fused) {
  for (size_t b = 0; b < fused.buffers.size(); ++b) {
    std::cout << "; b" << b << " = %" << fused.buffers[b].node.name();
    if (fused.buffers[b].result >= 0) std::cout << "[" << fused.buffers[b].result << "]";
    std::cout << "\n";
  }
  const Graph* graph = fused.ops.empty() ? nullptr : &fused.ops[0].graph();
  for (size_t s = 0; s < fused.scalars.size(); ++s) {
    std::cout << "; s" << s << " = ";
    const FusedKernel::Scalar& scalar = fused.scalars[s];
    if (scalar.node)
      std::cout << "%" << scalar.node.name() << "\n";
    else
      std::cout << print_sym(graph->context(), scalar.expr) << "\n";
  }
}

Status fuse_graph(const std::string& path) {
  NFX_ASSIGN(const std::unique_ptr<Graph> graph, read_graph(path));
  expand_composites(*graph);
  NFX_ASSIGN(const Fusion fusion, fuse(*graph));
  for (const FusedKernel& fused : fusion.kernels) {
    std::cout << ";";
    for (Node op : fused.ops) std::cout << " %" << op.name();
    std::cout << "\n";
    print_operands(fused);
    std::cout << print(fused.kernel, KernelNames::kOwn) << "\n";
  }
  for (const Node node : graph->nodes()) {
    const Fusion::Choice& choice = fusion.choices[node.id().value];
    if (choice.disposition != Disposition::kOther || node.kind() != NodeKind::kCallFunction)
      continue;
    std::cout << "; %" << node.name() << " is not in a kernel: " << choice.reason << "\n";
  }
  return success();
}

NFX_COMMAND(fuse) {
  CLI::App* command = app.add_subcommand("fuse", "print the loop kernels that a graph becomes");
  auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "graph in text form, - for the standard input")->required();
  command->callback([=, &result] { result = fuse_graph(*path); });
}

}  // namespace
}  // namespace nfx
