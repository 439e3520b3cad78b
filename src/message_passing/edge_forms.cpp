#include "message_passing/edge_forms.h"

#include <string_view>

#include "message_passing/row_index.h"
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

// The op without its overload and the mark of writing in place.
std::string_view base_name(Node node, bool& in_place) {
  std::string_view name = node.target();
  if (!name.starts_with("aten.")) return {};
  name.remove_prefix(5);
  name = name.substr(0, name.find('.'));
  in_place = name.ends_with('_') && !name.starts_with('_');
  if (in_place) name.remove_suffix(1);
  return name;
}

bool is_tensor(Node node) {
  return node && node.type().kind == TypeKind::kTensor && node.type().layout == Layout::kStrided &&
         node.type().strides.size() == node.type().rank();
}

bool is_first_dim(Node node) {
  const size_t rank = argument(node, "self").node().type().rank();
  return rank > 0 && wrapped_dim(int_argument(node, "dim"), rank) == 0;
}

bool is_row_list(Node index) { return index && is_index(index) && index.type().rank() == 1; }

bool same_sizes(Node a, Node b, size_t first) {
  if (a.type().rank() != b.type().rank()) return false;
  for (size_t d = first; d < a.type().rank(); ++d) {
    if (!known_equal(a.graph().context(), a.type().sizes[d], b.type().sizes[d])) return false;
  }
  return true;
}

// The only tensor in a list of indices, if it stands at the first dimension.
Node single_index(Node node) {
  const ArgumentView list = argument(node, "indices");
  if (!list || list.is_node() || list.is_none() || list.size() == 0) return {};
  for (size_t d = 1; d < list.size(); ++d) {
    if (list.child(d).is_node()) return {};
  }
  return list.child(0).node();
}

std::optional<Combine> combine_of(std::string_view name) {
  if (name == "sum" || name == "add") return Combine::kSum;
  if (name == "mean") return Combine::kMean;
  if (name == "amax") return Combine::kMax;
  if (name == "amin") return Combine::kMin;
  return std::nullopt;
}

// Fills in what an op names its operands; nothing if it is no scatter.
std::optional<ScatterForm> read_scatter(Node node) {
  ScatterForm form;
  const std::string_view name = base_name(node, form.in_place);
  const auto operand = [&](std::string_view argument_name) {
    return argument(node, argument_name).node();
  };
  if (name == "index_add" || name == "index_reduce") {
    form.value = operand("source");
    form.index = operand("index");
    if (name == "index_add") form.scale = argument(node, "alpha").as_number().value_or(0);
  } else if (name == "scatter_add" || name == "scatter_reduce") {
    form.value = operand("src");
    form.index = operand("index");
    if (!is_tensor(form.value) || !is_tensor(form.index)) return std::nullopt;
    if (!same_sizes(form.value, form.index, 0)) return std::nullopt;
    form.index = row_index(form.index);
  } else if (name == "index_put" || name == "_unsafe_index_put") {
    if (argument(node, "accumulate").as_int() != 1) return std::nullopt;
    form.value = operand("values");
    form.index = single_index(node);
    form.wraps = true;
  } else {
    return std::nullopt;
  }
  if (name == "scatter_reduce" || name == "index_reduce") {
    const std::optional<Combine> combine = combine_of(string_argument(node, "reduce"));
    if (!combine) return std::nullopt;
    form.combine = *combine;
    form.includes_base = argument(node, "include_self").as_int() != 0;
  }
  form.base = operand("self");
  return form;
}

}  // namespace

std::optional<GatherForm> gather_form(Node node) {
  bool in_place = false;
  const std::string_view name = base_name(node, in_place);
  GatherForm form;
  if (name == "index_select" || name == "gather") {
    if (!is_tensor(argument(node, "self").node()) || !is_first_dim(node)) return std::nullopt;
    form = {argument(node, "self").node(), argument(node, "index").node(), false};
    if (name == "gather") {
      if (!same_sizes(form.x, form.index, 1)) return std::nullopt;
      form.index = row_index(form.index);
    }
  } else if (name == "index" && node.target() == "aten.index.Tensor") {
    form = {argument(node, "self").node(), single_index(node), true};
  } else if (name == "embedding") {
    if (int_argument(node, "padding_idx", -1) >= 0) return std::nullopt;
    form = {argument(node, "weight").node(), argument(node, "indices").node(), false};
  } else {
    return std::nullopt;
  }
  if (!is_tensor(form.x) || !is_row_list(form.index)) return std::nullopt;
  return form;
}

std::optional<ScatterForm> scatter_form(Node node) {
  std::optional<ScatterForm> form = read_scatter(node);
  if (!form || !is_tensor(form->base) || !is_tensor(form->value)) return std::nullopt;
  if (!is_row_list(form->index) || form->value.type().rank() == 0 || form->scale == 0)
    return std::nullopt;
  const bool has_dim = form->wraps == false;
  if (has_dim && !is_first_dim(node)) return std::nullopt;
  Context& context = node.graph().context();
  if (!same_sizes(form->base, form->value, 1)) return std::nullopt;
  if (!known_equal(context, form->value.type().sizes[0], form->index.type().sizes[0]))
    return std::nullopt;
  if (form->base.type().dtype != form->value.type().dtype) return std::nullopt;
  if (form->combine == Combine::kMean && !is_floating(form->base.type().dtype)) return std::nullopt;
  return form;
}

}  // namespace nfx
