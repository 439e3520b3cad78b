#include "python/fx_sync.h"

#include <algorithm>
#include <string>

#include "python/callable_name.h"
#include "python/fx_fields.h"
#include "python/node_meta.h"
#include "python/py_opaque.h"
#include "python/type_description.h"

namespace nfx::python {
namespace {

nb::module_ rewriting() { return nb::module_::import_("nativefx.rewritten_module"); }

// A symbolic number in a rule came from Python and comes back as its object.
nb::object no_symbol(SymExprId) { throw nb::value_error("a rule makes no symbolic numbers"); }

std::vector<NodeId> distinct(std::vector<NodeId> ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

}  // namespace

FxSync::FxSync(const Graph& graph, nb::handle fx_graph, const nb::list& nodes)
    : graph_(graph),
      fx_graph_(nb::borrow(fx_graph)),
      maker_(fx_graph),
      writer_(graph.context(), no_symbol),
      objects_(std::max(graph.id_limit(), nodes.size() + 1)),
      read_(nodes.size()) {
  for (size_t i = 0; i < read_; ++i) objects_[i + 1] = nb::borrow(nodes[i]);
}

void FxSync::run(const RewriteRecord& record) {
  place_nodes(record);
  update_users(record);
  erase_matched(record);
  maker_.finish(graph_.size());
}

// From the end, so that the next node that keeps its place is known.
void FxSync::place_nodes(const RewriteRecord& record) {
  const std::vector<NodeId> moved = distinct(record.moved());
  struct Place {
    NodeId node, before;
  };
  std::vector<Place> places;
  NodeId next;
  for (Node node = graph_.last(); node; node = node.prev()) {
    const bool is_read = node.id().value <= read_;
    if (is_read && (moved.empty() || !std::ranges::binary_search(moved, node.id()))) {
      next = node.id();
    } else {
      places.push_back({node.id(), next});
    }
  }
  std::vector<NodeId> replaced(graph_.id_limit());
  for (const auto& [with, node] : record.results()) replaced[with.value] = node;
  for (size_t i = places.size(); i-- > 0;) {
    const nb::handle before = objects_[places[i].before.value];
    if (places[i].node.value <= read_) {
      maker_.put_before(objects_[places[i].node.value], before);
    } else {
      make(graph_.node(places[i].node), before, replaced[places[i].node.value]);
    }
  }
}

void FxSync::make(Node node, nb::handle before, NodeId replaced) {
  const ArgumentWriter::Call call = arguments(node);
  const nb::object made = maker_.make(node.kind(), py_text(node.name()), target(node), nb::none(),
                                      call.args, call.kwargs, before);
  objects_[node.id().value] = made;
  made_.append(made);
  fill_meta(node, made, replaced);
}

// What computes the same as another node has its `meta`; what is new in between
// has where it came from.
void FxSync::fill_meta(Node node, nb::handle made, NodeId replaced) {
  const nb::object origin = meta_dict(graph_, node);
  const nb::object meta = FxFields::get().read(made.ptr(), FxField::kMeta);
  if (!replaced) unknown_.append(made);
  if (!origin.is_valid() || PyDict_GET_SIZE(origin.ptr()) == 0) return;
  if (!replaced) {
    rewriting().attr("inherit")(meta, origin);
  } else if (PyDict_Update(meta.ptr(), origin.ptr()) != 0) {
    nb::raise_python_error();
  }
}

void FxSync::update_users(const RewriteRecord& record) {
  for (const NodeId id : distinct(record.users())) {
    const bool erased = graph_.table().records[id.value].erased;
    if (erased || id.value > read_) continue;
    const ArgumentWriter::Call call = arguments(graph_.node(id));
    maker_.set_arguments(objects_[id.value], call.args, call.kwargs);
  }
}

void FxSync::erase_matched(const RewriteRecord& record) {
  const std::vector<NodeId> matched = distinct(record.matched());
  const nb::object erase = fx_graph_.attr("erase_node");
  for (size_t i = matched.size(); i-- > 0;) {
    const NodeId id = matched[i];
    if (id.value <= read_ && graph_.table().records[id.value].erased) erase(objects_[id.value]);
  }
}

nb::object FxSync::target(Node node) const {
  if (node.kind() != NodeKind::kCallFunction) return py_text(node.target());
  nb::object object = object_of(graph_.context(), node.target_object());
  if (!object.is_valid()) object = resolve_callable(node.target());
  if (object.is_valid()) return object;
  throw nb::value_error(
      ("this process has no `" + std::string(node.target()) + "` that a rule calls").c_str());
}

ArgumentWriter::Call FxSync::arguments(ArgId structure, const std::vector<NodeId>& operands) {
  operands_.clear();
  for (const NodeId id : operands) operands_.push_back(objects_[id.value].ptr());
  return writer_.write_call(structure, operands_.data(), false);
}

ArgumentWriter::Call FxSync::arguments(Node node) {
  std::vector<NodeId> operands;
  for (uint32_t i = 0; i < node.num_operands(); ++i) operands.push_back(node.operand(i).id());
  return arguments(node.arguments(), operands);
}

nb::dict FxSync::nodes_map(const RewriteRecord::Application& match, const nb::list& pattern_nodes) {
  nb::dict found;
  Context& context = graph_.context();
  for (const RewriteRecord::Value& value : match.values) {
    const nb::handle key = pattern_nodes[value.pattern.value - 1];
    if (value.node) {
      found[key] = objects_[value.node.value];
      continue;
    }
    const ArgId only[] = {value.structure};
    found[key] = nb::object(arguments(context.call(only), value.operands).args[0]);
  }
  return found;
}

}  // namespace nfx::python
