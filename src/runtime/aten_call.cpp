#include "runtime/aten_call.h"

#include <algorithm>
#include <array>

#include "runtime/aten_stack.h"

namespace nfx {
namespace {

struct NeedsVectorcall {
  static constexpr std::string_view kCode = "needs-vectorcall";
  std::string op;
  std::string why;
  std::string message() const { return "`" + op + "` cannot be called natively: " + why; }
  std::string help() const { return "it runs through Python, at the cost of the interpreter lock"; }
};
NFX_DIAGNOSTIC(NeedsVectorcall);

struct SchemaMismatch {
  static constexpr std::string_view kCode = "schema-mismatch";
  std::string recorded;
  std::string running;
  std::string message() const {
    return "the running PyTorch declares `" + running + "`, the op table `" + recorded + "`";
  }
  std::string help() const { return "the operator runs through Python until its row is updated"; }
};
NFX_DIAGNOSTIC(SchemaMismatch);

// More slots than any operator has.
constexpr size_t kMaxStack = 64;

std::string full_name(const Schema& schema) {
  return schema.overload.empty() ? schema.name : schema.name + "." + schema.overload;
}

// The first reason why the dispatcher's entry refuses this signature, or nothing.
std::string dispatcher_refusal(const Schema& schema) {
  if (schema.vararg || schema.varresult) return "it takes any number of values";
  if (schema.args.size() > kMaxStack || schema.results.size() > kMaxStack) {
    return "it takes too many values";
  }
  for (const SchemaArg& arg : schema.args) {
    if (!crosses_as_arg(arg.type)) {
      return "argument `" + arg.name + "` is a `" + arg.type.text + "`";
    }
  }
  for (const SchemaArg& result : schema.results) {
    if (!crosses_as_result(result.type)) return "a result is a `" + result.type.text + "`";
  }
  return {};
}

// Whether some argument can cross by the C function but not by the dispatcher.
bool has_gap(const Schema& schema) {
  for (const SchemaArg& arg : schema.args) {
    const SchemaKind kind = arg.type.kind;
    if (kind == SchemaKind::kScalar || kind == SchemaKind::kString) return true;
  }
  return false;
}

bool reads_item(const Schema& schema) {
  return schema.name == "aten::_local_scalar_dense" || schema.name == "aten::item";
}

struct ToArg {
  AtenArg operator()(const NoneDefault&) const { return AtenArg::none(); }
  AtenArg operator()(bool value) const { return AtenArg::boolean(value); }
  AtenArg operator()(int64_t value) const {
    switch (kind) {
      case SchemaKind::kDtype: return AtenArg::dtype(static_cast<Dtype>(value));
      case SchemaKind::kLayout: return AtenArg::layout(static_cast<int>(value));
      case SchemaKind::kMemoryFormat: return AtenArg::memory_format(static_cast<int>(value));
      default: return AtenArg::of_int(value);
    }
  }
  AtenArg operator()(double value) const { return AtenArg::of_float(value); }
  AtenArg operator()(const std::string& value) const { return AtenArg::string(value); }
  AtenArg operator()(const std::vector<uint8_t>& value) const { return AtenArg::bools(value); }
  AtenArg operator()(const std::vector<int64_t>& value) const { return AtenArg::ints(value); }
  AtenArg operator()(const std::vector<double>& value) const { return AtenArg::floats(value); }
  SchemaKind kind;
};

}  // namespace

Result<AtenCall> AtenCall::create(std::string_view schema_text) {
  NFX_ASSIGN(Schema schema, parse_schema(schema_text));
  AtenCall call;
  NFX_ASSIGN(call.abi_, AtenAbi::get());
  call.schema_ = std::make_unique<const Schema>(std::move(schema));
  call.choose_path();
  call.writing_shim_ = find_writing_shim(*call.abi_, *call.schema_);
  return call;
}

// `Scalar` and `str` are the dispatcher's gaps, so an operator with one goes
// through its C function where there is one.
void AtenCall::choose_path() {
  why_ = dispatcher_refusal(*schema_);
  dispatchable_ = why_.empty();
  if (reads_item(*schema_)) {
    path_ = AtenPath::kItem;
    return;
  }
  if (!dispatchable_ || has_gap(*schema_)) shim_ = find_shim(*abi_, *schema_);
  if (shim_) {
    path_ = AtenPath::kShim;
  } else if (dispatchable_) {
    path_ = AtenPath::kDispatcher;
  }
}

std::vector<AtenArg> AtenCall::default_args() const {
  std::vector<AtenArg> args(schema_->args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const SchemaArg& arg = schema_->args[i];
    if (arg.default_value) args[i] = std::visit(ToArg{arg.type.kind}, *arg.default_value);
  }
  return args;
}

Status AtenCall::supports(std::span<const AtenArg> args,
                          std::span<const Dtype> tensor_dtypes) const {
  assert(args.size() == arg_count());
  if (path_ == AtenPath::kVectorcall) return declined(why_);
  if (path_ == AtenPath::kShim) {
    const bool floating = std::any_of(tensor_dtypes.begin(), tensor_dtypes.end(), [](Dtype dtype) {
      return is_floating(dtype) || is_complex(dtype);
    });
    if (scalars_cross(*schema_, args, floating)) return success();
    return declined("its `Scalar` would change the result's type");
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const SchemaType& type = schema_->args[i].type;
    if (args[i].kind == AtenArgKind::kNone || crosses_when_given(type)) continue;
    return declined("argument `" + schema_->args[i].name + "` is a `" + type.text + "`");
  }
  return success();
}

Status AtenCall::run(std::span<const AtenArg> args, std::span<AtenValue> results) const {
  assert(args.size() == arg_count() && results.size() == result_count());
  switch (path_) {
    case AtenPath::kDispatcher: return dispatch(args, results);
    case AtenPath::kShim: return run_shim(args, results);
    case AtenPath::kItem: return read_item(args, results);
    case AtenPath::kVectorcall: return declined(why_);
  }
  return success();
}

Status AtenCall::run_into(std::span<const AtenArg> args, AtenHandle out) const {
  assert(can_write() && args.size() == arg_count());
  switch (call_writing_shim(writing_shim_, *schema_, args, out)) {
    case ShimOutcome::kDone: return success();
    case ShimOutcome::kFailed: return aten_failure(full_name(*schema_));
    case ShimOutcome::kDeclined: break;
  }
  AtenValue result;
  NFX_TRY(run(args, {&result, 1}));
  const auto* tensor = std::get_if<AtenTensor>(&result);
  if (tensor == nullptr) return success();
  return abi_->copy_(out, tensor->get(), 0) == 0 ? success() : Status(aten_failure("aten::copy_"));
}

Status AtenCall::dispatch(std::span<const AtenArg> args, std::span<AtenValue> results) const {
  std::array<StableIValue, kMaxStack> stack;
  for (size_t i = 0; i < args.size(); ++i) {
    if (fill_slot(*abi_, schema_->args[i].type, args[i], stack[i])) continue;
    for (size_t filled = 0; filled < i; ++filled) {
      release_slot(*abi_, schema_->args[filled].type, stack[filled]);
    }
    return declined("the value of argument `" + schema_->args[i].name + "` does not cross as `" +
                    schema_->args[i].type.text + "`");
  }
  if (abi_->call_dispatcher(schema_->name.c_str(), schema_->overload.c_str(), stack.data()) != 0) {
    return dispatch_failure(stack);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = take_result(*abi_, schema_->results[i].type, stack[i]);
  }
  return success();
}

// PyTorch takes every slot before it calls the operator, so after a failure
// nothing is ours, unless it did not get as far as finding the operator.
Diagnostic AtenCall::dispatch_failure(std::span<const StableIValue> stack) const {
  Diagnostic failure = aten_failure(full_name(*schema_));
  const std::string not_found = "Could not find schema for " + full_name(*schema_);
  if (failure.message.find(not_found) != std::string::npos) {
    for (size_t i = 0; i < schema_->args.size(); ++i) {
      release_slot(*abi_, schema_->args[i].type, stack[i]);
    }
  }
  return failure;
}

Status AtenCall::run_shim(std::span<const AtenArg> args, std::span<AtenValue> results) const {
  switch (call_shim(*abi_, *shim_, *schema_, args, results)) {
    case ShimOutcome::kDone: return success();
    case ShimOutcome::kFailed: return aten_failure(full_name(*schema_));
    case ShimOutcome::kDeclined: break;
  }
  if (dispatchable_) return dispatch(args, results);
  return declined(why_ + ", and its C function takes no such arguments");
}

Status AtenCall::read_item(std::span<const AtenArg> args, std::span<AtenValue> results) const {
  if (args[0].kind != AtenArgKind::kTensor) return declined("its argument is no tensor");
  const AtenHandle tensor = args[0].tensor;
  const Dtype dtype = AtenView(tensor).dtype();
  AtenError error = 0;
  if (is_floating(dtype)) {
    double value = 0;
    error = abi_->item_float64(tensor, &value);
    results[0] = value;
  } else if (dtype == Dtype::kBool) {
    bool value = false;
    error = abi_->item_bool(tensor, &value);
    results[0] = value;
  } else if (is_integral(dtype) && dtype != Dtype::kUInt64) {
    int64_t value = 0;
    error = abi_->item_int64(tensor, &value);
    results[0] = value;
  } else {
    return declined("the C ABI reads no `" + std::string(dtype_name(dtype)) + "` element");
  }
  return error == 0 ? success() : Status(aten_failure(full_name(*schema_)));
}

Diagnostic AtenCall::declined(std::string why) const {
  return diagnose(NeedsVectorcall{full_name(*schema_), std::move(why)});
}

bool needs_vectorcall(const Diagnostic& diagnostic) {
  return diagnostic.code == NeedsVectorcall::kCode;
}

Status check_recorded_schema(std::string_view recorded, std::string_view running) {
  if (recorded == running) return success();
  return diagnose(SchemaMismatch{std::string(recorded), std::string(running)});
}

}  // namespace nfx
