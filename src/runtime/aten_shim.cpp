#include "runtime/aten_shim.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/aten_shim_frame.h"

namespace nfx {
namespace {

// Operators whose C function has another name than theirs, or exists only as an
// `out` function whose result has the element type of the first tensor.
struct Renamed {
  std::string_view op;
  std::string_view function;
  ShimForm form;
};
constexpr Renamed kRenamed[] = {
    {"aten::sub.Tensor", "aoti_torch_aten_subtract_Tensor", ShimForm::kResults},
    {"aten::addmm", "aoti_torch_cpu_addmm_out", ShimForm::kFreshOut},
    {"aten::baddbmm", "aoti_torch_cpu_baddbmm_out", ShimForm::kFreshOut},
    {"aten::scatter.value", "aoti_torch_cpu_scatter_value_out", ShimForm::kFreshOut},
    {"aten::scatter_reduce.two", "aoti_torch_cpu_scatter_reduce_two_out", ShimForm::kFreshOut},
};

// Operators that convert their `Scalar` to the result's element type first, so
// that 2 and 2.0 mean the same.
constexpr std::string_view kConvertsScalar[] = {"aten::full", "aten::fill_.Scalar",
                                                "aten::scatter.value", "aten::scatter.value_out"};

// Every integer up to this has a double of its own.
constexpr int64_t kExactInteger = int64_t{1} << 53;

std::string full_name(const Schema& schema) {
  return schema.overload.empty() ? schema.name : schema.name + "." + schema.overload;
}

bool is_out_arg(const SchemaArg& arg) { return arg.kwarg_only && arg.alias.write; }

// A later signature of the same function is exported beside it as `_v2`, `_v3`.
void* newest(const AtenAbi& abi, const std::string& name) {
  void* function = abi.symbol(name);
  for (int version = 2; function != nullptr; ++version) {
    void* later = abi.symbol(name + "_v" + std::to_string(version));
    if (later == nullptr) break;
    function = later;
  }
  return function;
}

std::optional<AtenShim> by_own_name(const AtenAbi& abi, const Schema& schema) {
  constexpr std::string_view kNamespace = "aten::";
  if (!schema.name.starts_with(kNamespace)) return std::nullopt;
  std::string base = schema.name.substr(kNamespace.size());
  if (!schema.overload.empty()) base += "_" + schema.overload;
  const ShimForm form = schema.writes() ? ShimForm::kInPlace : ShimForm::kResults;
  if (void* function = newest(abi, "aoti_torch_aten_" + base)) {
    return AtenShim{function, form, true};
  }
  if (void* function = newest(abi, "aoti_torch_cpu_" + base)) {
    return AtenShim{function, form, false};
  }
  return std::nullopt;
}

// What is written must be `out` arguments, or the first argument alone.
bool writes_fit(const Schema& schema) {
  for (size_t i = 1; i < schema.args.size(); ++i) {
    const SchemaArg& arg = schema.args[i];
    if (arg.alias.write && !is_out_arg(arg)) return false;
  }
  return true;
}

bool signature_fits(const Schema& schema, ShimForm form) {
  if (!ShimFrame::kCallable || schema.vararg || schema.varresult || !writes_fit(schema)) {
    return false;
  }
  for (const SchemaArg& arg : schema.args) {
    if (!ShimFrame::takes(arg.type)) return false;
  }
  for (const SchemaArg& result : schema.results) {
    const SchemaType& type = result.type;
    const bool word = type.kind == SchemaKind::kTensor || type.kind == SchemaKind::kInt;
    if (!word || type.list || type.optional) return false;
    if (form == ShimForm::kInPlace && type.kind != SchemaKind::kTensor) return false;
  }
  return true;
}

bool is_plain(AtenHandle tensor) { return AtenView(tensor).on_cpu_strided(); }

// `_cpu_` functions enter the CPU kernel directly: every tensor must be its kind.
bool all_plain(std::span<const AtenArg> args) {
  for (const AtenArg& arg : args) {
    if (arg.kind == AtenArgKind::kTensor && !is_plain(arg.tensor)) return false;
    if (arg.kind != AtenArgKind::kTensorList) continue;
    for (const AtenHandle item : arg.items<AtenHandle>()) {
      if (item != nullptr && !is_plain(item)) return false;
    }
  }
  return true;
}

bool some_tensor_is_floating(std::span<const AtenArg> args) {
  for (const AtenArg& arg : args) {
    if (arg.kind != AtenArgKind::kTensor) continue;
    const Dtype dtype = AtenView(arg.tensor).dtype();
    if (is_floating(dtype) || is_complex(dtype)) return true;
  }
  return false;
}

// `full` takes its type from an integer fill value; the double would make it float.
AtenArg inferred_dtype(const Schema& schema, std::span<const AtenArg> args, size_t index) {
  const AtenArg& given = args[index];
  if (given.kind != AtenArgKind::kNone || schema.args[index].name != "dtype") return given;
  const auto fill = schema.arg_index("fill_value");
  if (!fill) return given;
  if (args[*fill].kind == AtenArgKind::kInt) return AtenArg::dtype(Dtype::kInt64);
  if (args[*fill].kind == AtenArgKind::kBool) return AtenArg::dtype(Dtype::kBool);
  return given;
}

bool push_args(ShimFrame& frame, const Schema& schema, std::span<const AtenArg> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (is_out_arg(schema.args[i]) && !frame.push(schema.args[i].type, args[i])) return false;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (is_out_arg(schema.args[i])) continue;
    if (!frame.push(schema.args[i].type, inferred_dtype(schema, args, i))) return false;
  }
  return true;
}

ShimOutcome call_with_results(const AtenAbi& abi, const AtenShim& shim, const Schema& schema,
                              ShimFrame& frame, std::span<AtenValue> results) {
  std::array<uint64_t, ShimFrame::kMaxWords> places{};
  for (size_t i = 0; i < schema.results.size(); ++i) {
    if (!frame.push_result(&places[i])) return ShimOutcome::kDeclined;
  }
  if (frame.call(shim.function) != 0) return ShimOutcome::kFailed;
  for (size_t i = 0; i < schema.results.size(); ++i) {
    if (schema.results[i].type.kind == SchemaKind::kInt) {
      results[i] = static_cast<int64_t>(places[i]);
      continue;
    }
    AtenTensor tensor(reinterpret_cast<AtenHandle>(static_cast<uintptr_t>(places[i])));
    bool defined = false;
    if (tensor) abi.is_defined(tensor.get(), &defined);
    results[i] = defined ? AtenValue(std::move(tensor)) : AtenValue(AtenNone{});
  }
  return ShimOutcome::kDone;
}

// The results of an in-place call are the arguments written, in their order.
void share_written(const Schema& schema, std::span<const AtenArg> args,
                   std::span<AtenValue> results) {
  size_t next = 0;
  for (size_t i = 0; i < args.size() && next < results.size(); ++i) {
    if (schema.args[i].alias.write) results[next++] = AtenTensor::share(args[i].tensor);
  }
}

// The result's sizes where they are those of a matrix product of the second and
// third argument, so that the call need not resize. Otherwise one empty
// dimension, which the call resizes, reporting wrong shapes in its own words.
std::vector<int64_t> fresh_sizes(const Schema& schema, std::span<const AtenArg> args) {
  const bool product = schema.name == "aten::addmm" || schema.name == "aten::baddbmm";
  if (!product || args[1].kind != AtenArgKind::kTensor || args[2].kind != AtenArgKind::kTensor) {
    return {0};
  }
  const auto left = AtenView(args[1].tensor).sizes();
  const auto right = AtenView(args[2].tensor).sizes();
  if (left.size() != right.size() || left.size() < 2 || left.size() > 3) return {0};
  std::vector<int64_t> sizes(left.begin(), left.end());
  sizes.back() = right.back();
  return sizes;
}

Result<AtenTensor> fresh_out(const Schema& schema, std::span<const AtenArg> args) {
  const std::vector<int64_t> sizes = fresh_sizes(schema, args);
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  }
  return AtenTensor::empty_strided(sizes, strides, AtenView(args[0].tensor).dtype());
}

ShimOutcome write_into(void* function, const Schema& schema, std::span<const AtenArg> args,
                       AtenHandle out) {
  SchemaType tensor;
  tensor.kind = SchemaKind::kTensor;
  ShimFrame frame;
  if (!frame.push(tensor, AtenArg::of_tensor(out))) return ShimOutcome::kDeclined;
  if (!push_args(frame, schema, args)) return ShimOutcome::kDeclined;
  return frame.call(function) == 0 ? ShimOutcome::kDone : ShimOutcome::kFailed;
}

ShimOutcome call_fresh_out(const AtenShim& shim, const Schema& schema,
                           std::span<const AtenArg> args, std::span<AtenValue> results) {
  if (args[0].kind != AtenArgKind::kTensor) return ShimOutcome::kDeclined;
  auto out = fresh_out(schema, args);
  if (!out) return ShimOutcome::kFailed;
  const ShimOutcome outcome = write_into(shim.function, schema, args, out->get());
  if (outcome == ShimOutcome::kDone) results[0] = std::move(*out);
  return outcome;
}

}  // namespace

std::optional<AtenShim> find_shim(const AtenAbi& abi, const Schema& schema) {
  std::optional<AtenShim> shim;
  const std::string name = full_name(schema);
  for (const Renamed& row : kRenamed) {
    if (row.op != name) continue;
    void* function = newest(abi, std::string(row.function));
    if (function == nullptr) return std::nullopt;
    shim = AtenShim{function, row.form, row.function.starts_with("aoti_torch_aten_")};
  }
  if (!shim) shim = by_own_name(abi, schema);
  if (!shim || !signature_fits(schema, shim->form)) return std::nullopt;
  return shim;
}

void* find_writing_shim(const AtenAbi& abi, const Schema& schema) {
  constexpr std::string_view kNamespace = "aten::";
  if (!schema.name.starts_with(kNamespace) || !schema.overload.empty() || schema.writes()) {
    return nullptr;
  }
  if (schema.results.size() != 1 || schema.results[0].alias) return nullptr;
  if (!signature_fits(schema, ShimForm::kInPlace)) return nullptr;
  return newest(abi, "aoti_torch_cpu_" + schema.name.substr(kNamespace.size()) + "_out");
}

ShimOutcome call_writing_shim(void* function, const Schema& schema, std::span<const AtenArg> args,
                              AtenHandle out) {
  if (!all_plain(args)) return ShimOutcome::kDeclined;
  if (!scalars_cross(schema, args, some_tensor_is_floating(args))) return ShimOutcome::kDeclined;
  return write_into(function, schema, args, out);
}

bool scalars_cross(const Schema& schema, std::span<const AtenArg> args, bool floating_tensor) {
  bool integer_scalar = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const AtenArg& arg = args[i];
    if (schema.args[i].type.kind != SchemaKind::kScalar) continue;
    if (arg.kind == AtenArgKind::kComplex) return false;
    if (arg.kind != AtenArgKind::kInt && arg.kind != AtenArgKind::kBool) continue;
    if (arg.integer > kExactInteger || arg.integer < -kExactInteger) return false;
    integer_scalar = true;
  }
  if (!integer_scalar || floating_tensor) return true;
  const std::string name = full_name(schema);
  return std::find(std::begin(kConvertsScalar), std::end(kConvertsScalar), name) !=
         std::end(kConvertsScalar);
}

ShimOutcome call_shim(const AtenAbi& abi, const AtenShim& shim, const Schema& schema,
                      std::span<const AtenArg> args, std::span<AtenValue> results) {
  assert(args.size() == schema.args.size() && results.size() == schema.results.size());
  if (!shim.through_dispatcher && !all_plain(args)) return ShimOutcome::kDeclined;
  if (!scalars_cross(schema, args, some_tensor_is_floating(args))) return ShimOutcome::kDeclined;
  if (shim.form == ShimForm::kFreshOut) return call_fresh_out(shim, schema, args, results);
  ShimFrame frame;
  if (!push_args(frame, schema, args)) return ShimOutcome::kDeclined;
  if (shim.form == ShimForm::kResults) {
    return call_with_results(abi, shim, schema, frame, results);
  }
  if (frame.call(shim.function) != 0) return ShimOutcome::kFailed;
  share_written(schema, args, results);
  return ShimOutcome::kDone;
}

}  // namespace nfx
