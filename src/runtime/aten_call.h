// A call of one operator overload in PyTorch, prepared once and run many times.
//
//   NFX_ASSIGN(AtenCall call, AtenCall::create(schema_text));
//   std::vector<AtenArg> args = call.default_args();   // one a schema argument
//   args[0] = AtenArg::of_tensor(x);
//   std::vector<AtenValue> results(call.result_count());
//   NFX_TRY(call.run(args, results));
//
// A run takes the calling thread's grad mode, autocast and dispatch keys as they
// are, and needs no interpreter lock. Any number of threads may run one call.
// Test: tests/python/test_aten_calls.py
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "ir/schema.h"
#include "runtime/aten_arg.h"
#include "runtime/aten_shim.h"
#include "runtime/aten_value.h"

namespace nfx {

enum class AtenPath : uint8_t {
  kDispatcher,  // by name through PyTorch's dispatcher
  kShim,        // through a C function of that operator
  kItem,        // reads one element
  kVectorcall,  // neither can: the caller goes through Python
};

class AtenCall {
 public:
  // Prepares a call from the schema text that the running PyTorch prints.
  // Errors: `bad-schema`, `no-pytorch`, `pytorch-abi`. An operator that cannot be
  // called natively is no error: its path is kVectorcall.
  static Result<AtenCall> create(std::string_view schema_text);

  AtenPath path() const { return path_; }
  std::string_view why() const { return why_; }  // why not the dispatcher; empty if it is
  const Schema& schema() const { return *schema_; }
  size_t arg_count() const { return schema_->args.size(); }
  size_t result_count() const { return schema_->results.size(); }

  // The arguments with their defaults filled in; required ones are none. Lists
  // and texts in it live as long as this call.
  std::vector<AtenArg> default_args() const;

  // Whether a run with these constants and tensors of these types will be native.
  // Tensor slots may be unfilled. For planning: `run` asks the same of what it gets.
  // Errors: `needs-vectorcall` with the reason.
  Status supports(std::span<const AtenArg> args, std::span<const Dtype> tensor_dtypes) const;

  // Runs it: one argument a schema argument, one result a schema result.
  // Errors: `pytorch-error` with PyTorch's text; `needs-vectorcall` if nothing
  // was called because these arguments do not cross natively.
  Status run(std::span<const AtenArg> args, std::span<AtenValue> results) const;

  // Whether its only result can be written into memory of the caller.
  bool can_write() const { return writing_shim_ != nullptr; }
  // Runs it so, into a CPU tensor that has the result's type.
  // Errors: as `run`.
  Status run_into(std::span<const AtenArg> args, AtenHandle out) const;

 private:
  AtenCall() = default;
  void choose_path();
  Status dispatch(std::span<const AtenArg> args, std::span<AtenValue> results) const;
  Status run_shim(std::span<const AtenArg> args, std::span<AtenValue> results) const;
  Status read_item(std::span<const AtenArg> args, std::span<AtenValue> results) const;
  Diagnostic declined(std::string why) const;
  Diagnostic dispatch_failure(std::span<const StableIValue> stack) const;

  const AtenAbi* abi_ = nullptr;
  std::unique_ptr<const Schema> schema_;  // its address stays when the call moves
  AtenPath path_ = AtenPath::kVectorcall;
  bool dispatchable_ = false;
  std::optional<AtenShim> shim_;
  void* writing_shim_ = nullptr;
  std::string why_;
};

// Whether a failed run means "go through Python" rather than an error.
bool needs_vectorcall(const Diagnostic& diagnostic);

// Errors: `schema-mismatch` if the running PyTorch prints another schema for this
// operator than the one that was recorded when its row was written.
Status check_recorded_schema(std::string_view recorded, std::string_view running);

}  // namespace nfx
