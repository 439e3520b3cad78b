#include "plugin/region_shapes.h"

#include <algorithm>
#include <string>

#include "plugin/dl_dtype.h"

namespace nfx {
namespace {

struct RegionBoundary {
  static constexpr std::string_view kCode = "region-boundary";
  std::string node;
  std::string message() const {
    return "`%" + node + "` cannot cross the boundary of a region of a plug-in";
  }
  std::string help() const {
    return "only strided CPU tensors cross, and integers on the way in; it will run in PyTorch";
  }
};
NFX_DIAGNOSTIC(RegionBoundary);

struct RegionInputs {
  static constexpr std::string_view kCode = "region-inputs";
  std::string what;
  std::string message() const { return "a region was called with inputs that do not fit: " + what; }
  std::string help() const { return "this call runs in PyTorch"; }
};
NFX_DIAGNOSTIC(RegionInputs);

bool crosses(const Context& context, const Type& type) {
  return type.kind == TypeKind::kTensor && type.layout == Layout::kStrided &&
         type.strides.size() == type.sizes.size() && context.text(type.device) == "cpu" &&
         to_dl(type.dtype).has_value();
}

Diagnostic boundary(Node node) {
  return diagnose(RegionBoundary{std::string(node.name())}, node_place(node));
}

void append(std::vector<SymExprId>& to, const Type& type) {
  to.insert(to.end(), type.sizes.begin(), type.sizes.end());
  to.insert(to.end(), type.strides.begin(), type.strides.end());
}

}  // namespace

Result<RegionShapes> RegionShapes::of(const Graph& region) {
  RegionShapes made;
  std::vector<SymExprId> wanted;
  NFX_TRY(made.add_inputs(region));
  NFX_TRY(made.add_outputs(region, wanted));
  const std::vector<SymExprId> known = made.choose_known(region.context());
  NFX_ASSIGN(made.program_, SymProgram::compile(region.context(), known, wanted));
  return made;
}

Status RegionShapes::add_inputs(const Graph& region) {
  const Context& context = region.context();
  std::vector<Number> strides, integers;
  for (const Node node : region.placeholders()) {
    const Type& type = node.type();
    if (type.kind == TypeKind::kScalar && type.dtype == Dtype::kInt64 && type.expr) {
      integers.push_back({SIZE_MAX, integers.size(), type.expr, {}});
      continue;
    }
    if (!crosses(context, type)) return boundary(node);
    for (size_t d = 0; d < type.rank(); ++d) {
      numbers_.push_back({inputs_.size(), d, type.sizes[d], as_int(context, type.sizes[d])});
      strides.push_back({inputs_.size(), type.rank() + d, type.strides[d], {}});
    }
    inputs_.push_back({type.dtype, static_cast<uint32_t>(type.rank())});
  }
  num_integers_ = integers.size();
  numbers_.insert(numbers_.end(), integers.begin(), integers.end());
  numbers_.insert(numbers_.end(), strides.begin(), strides.end());
  return success();
}

Status RegionShapes::add_outputs(const Graph& region, std::vector<SymExprId>& wanted) {
  const Node output = region.output();
  for (uint32_t i = 0; output && i < output.num_operands(); ++i) {
    const Type& type = output.operand(i).type();
    if (!crosses(region.context(), type)) return boundary(output.operand(i));
    outputs_.push_back({type.dtype, static_cast<uint32_t>(type.rank())});
    append(wanted, type);
  }
  return success();
}

std::vector<SymExprId> RegionShapes::choose_known(const Context& context) {
  std::vector<SymExprId> known;
  for (const Number& number : numbers_) {
    if (as_int(context, number.expr) || std::ranges::find(known, number.expr) != known.end())
      continue;
    known.push_back(number.expr);
    known_.push_back(number);
  }
  return known;
}

Result<std::vector<int64_t>> RegionShapes::evaluate(std::span<const nfx_tensor* const> inputs,
                                                    std::span<const int64_t> integers) const {
  if (inputs.size() != inputs_.size() || integers.size() != num_integers_)
    return diagnose(RegionInputs{"there are too few or too many"});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool fits = static_cast<uint32_t>(inputs[i]->ndim) == inputs_[i].rank &&
                      same_dl(inputs[i]->dtype, *to_dl(inputs_[i].dtype));
    if (!fits) return diagnose(RegionInputs{"tensor " + std::to_string(i) + " has another type"});
  }
  auto value = [&](const Number& number) {
    if (number.tensor == SIZE_MAX) return integers[number.place];
    const nfx_tensor& tensor = *inputs[number.tensor];
    const auto rank = static_cast<size_t>(tensor.ndim);
    return number.place < rank ? tensor.shape[number.place] : tensor.strides[number.place - rank];
  };
  for (const Number& number : numbers_) {
    if (number.constant && *number.constant != value(number))
      return diagnose(
          RegionInputs{"tensor " + std::to_string(number.tensor) + " has another size"});
  }
  std::vector<int64_t> known, wanted(program_.num_outputs());
  for (const Number& number : known_) known.push_back(value(number));
  if (!program_.run(known, wanted)) return diagnose(RegionInputs{"a size is undefined"});
  return wanted;
}

}  // namespace nfx
