// Brings a torch.fx graph up to date with the native graph that was read from it
// and then rewritten. Nodes that were not touched stay the same objects.
#pragma once
#include <nanobind/nanobind.h>

#include <vector>

#include "python/fx_arguments_out.h"
#include "python/fx_node_maker.h"
#include "python/rewrite_record.h"

namespace nfx::python {

namespace nb = nanobind;

class FxSync {
 public:
  // `nodes`: the nodes of `fx_graph` in order, which have the ids 1, 2, ... natively.
  FxSync(const Graph& graph, nb::handle fx_graph, const nb::list& nodes);

  void run(const RewriteRecord& record);

  // The objects of a match by the nodes of its pattern, which have ids likewise.
  nb::dict nodes_map(const RewriteRecord::Application& match, const nb::list& pattern_nodes);
  // New nodes, and those of them whose value no node had before.
  const nb::list& made() const { return made_; }
  const nb::list& unknown() const { return unknown_; }

 private:
  void place_nodes(const RewriteRecord& record);
  void make(Node node, nb::handle before, NodeId replaced);
  void fill_meta(Node node, nb::handle made, NodeId replaced);
  void update_users(const RewriteRecord& record);
  void erase_matched(const RewriteRecord& record);
  nb::object target(Node node) const;
  ArgumentWriter::Call arguments(ArgId structure, const std::vector<NodeId>& operands);
  ArgumentWriter::Call arguments(Node node);

  const Graph& graph_;
  nb::object fx_graph_;
  FxNodeMaker maker_;
  ArgumentWriter writer_;
  std::vector<nb::object> objects_;  // by NodeId
  std::vector<PyObject*> operands_;
  size_t read_;  // ids up to here were read
  nb::list made_, unknown_;
};

}  // namespace nfx::python
