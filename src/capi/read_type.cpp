#include <string>
#include <vector>

#include "capi/handles.h"

namespace nfx::capi {
namespace {

std::string_view expression_text(Context& context, SymExprId expression) {
  if (!expression) return {};
  return context.text(context.intern(print_sym(context, expression)));
}

nfx_status give_number(Context& context, SymExprId expression, nfx_number* number) {
  nfx_number made{};
  const std::optional<int64_t> value = as_int(context, expression);
  made.is_constant = value.has_value();
  made.value = value.value_or(0);
  made.text = give(expression_text(context, expression));
  return give(made, number);
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_type_read(const nfx_graph* graph, nfx_type type, nfx_type_info* info) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_type(*graph->graph, type)) return NFX_BAD_ARGUMENT;
    nfx::Context& context = graph->graph->context();
    const nfx::Type& read = context.type(nfx::TypeId{type});
    nfx_type_info made{};
    made.kind = static_cast<nfx_type_kind>(read.kind);
    made.dtype = static_cast<nfx_dtype>(read.dtype);
    made.rank = static_cast<uint32_t>(read.sizes.size());
    made.has_strides = read.strides.size() == read.sizes.size();
    made.requires_grad = read.requires_grad;
    made.device = give(context.text(read.device));
    made.layout = give(nfx::layout_name(read.layout));
    made.expression = give(expression_text(context, read.expr));
    made.num_elements = read.elements.size();
    return give(made, info);
  });
}

nfx_status nfx_type_size(const nfx_graph* graph, nfx_type type, size_t dimension,
                         nfx_number* size) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_type(*graph->graph, type)) return NFX_BAD_ARGUMENT;
    nfx::Context& context = graph->graph->context();
    const auto sizes = context.type(nfx::TypeId{type}).sizes;
    return dimension < sizes.size() ? give_number(context, sizes[dimension], size)
                                    : NFX_OUT_OF_RANGE;
  });
}

nfx_status nfx_type_stride(const nfx_graph* graph, nfx_type type, size_t dimension,
                           nfx_number* stride) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_type(*graph->graph, type)) return NFX_BAD_ARGUMENT;
    nfx::Context& context = graph->graph->context();
    const auto strides = context.type(nfx::TypeId{type}).strides;
    return dimension < strides.size() ? give_number(context, strides[dimension], stride)
                                      : NFX_OUT_OF_RANGE;
  });
}

nfx_status nfx_type_element(const nfx_graph* graph, nfx_type type, size_t index,
                            nfx_type* element) {
  if (graph == nullptr || element == nullptr || !is_type(*graph->graph, type))
    return NFX_BAD_ARGUMENT;
  const auto elements = graph->graph->context().type(nfx::TypeId{type}).elements;
  if (index >= elements.size()) return NFX_OUT_OF_RANGE;
  *element = elements[index].value;
  return NFX_OK;
}

nfx_status nfx_type_tensor(const nfx_graph* graph, nfx_dtype dtype, const nfx_string* sizes,
                           size_t rank, nfx_string device, nfx_type* type) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || type == nullptr || (sizes == nullptr && rank != 0) ||
        !readable(device) || nfx_dtype_name(dtype).size == 0)
      return NFX_BAD_ARGUMENT;
    nfx::Context& context = graph->graph->context();
    std::vector<nfx::SymExprId> expressions;
    for (size_t i = 0; i < rank; ++i) {
      if (!readable(sizes[i]) || sizes[i].size == 0) return NFX_BAD_ARGUMENT;
      expressions.push_back(parse_sym(context, take(sizes[i])));
    }
    const std::string_view place = device.size == 0 ? "cpu" : take(device);
    *type = contiguous_tensor(context, static_cast<nfx::Dtype>(dtype), expressions, place).value;
    return NFX_OK;
  });
}
