// The second way into PyTorch: C functions that take an operator's arguments
// one by one (`aoti_torch_cpu_<op>`, `aoti_torch_aten_<op>`). There are about
// 150. Unlike the dispatcher's entry they accept `Scalar`, always as a double.
#pragma once
#include <optional>
#include <span>

#include "ir/schema.h"
#include "runtime/aten_arg.h"
#include "runtime/aten_value.h"

namespace nfx {

// How the C function gives its result.
enum class ShimForm : uint8_t {
  kResults,   // in pointers behind the arguments
  kInPlace,   // into a written argument, `out` first
  kFreshOut,  // as kInPlace, into a fresh empty tensor: the functional form of an `out` function
};

struct AtenShim {
  void* function = nullptr;
  ShimForm form = ShimForm::kResults;
  // `aoti_torch_aten_*` dispatches. `_cpu_*` enters the CPU kernel directly: it
  // does not count an `out` tensor's version up.
  bool through_dispatcher = false;
};

// The function of this operator, if PyTorch exports one that takes these types.
std::optional<AtenShim> find_shim(const AtenAbi& abi, const Schema& schema);

// Whether every `Scalar` among the arguments means the same as a double: an
// integer would change the result's type unless a tensor makes it floating
// anyway, and a complex number has no double.
bool scalars_cross(const Schema& schema, std::span<const AtenArg> args, bool floating_tensor);

// The C function that writes the only result of this functional operator into a
// tensor that it is given, entering the CPU kernel directly; null if there is none.
void* find_writing_shim(const AtenAbi& abi, const Schema& schema);

enum class ShimOutcome : uint8_t {
  kDone,
  kFailed,    // in PyTorch: see AtenAbi::last_error
  kDeclined,  // nothing was called: `Scalar` would change its type, or a tensor is not a plain
              // CPU tensor, or an argument does not fit
};

// Calls it. On kDone `results` holds one value a schema result.
ShimOutcome call_shim(const AtenAbi& abi, const AtenShim& shim, const Schema& schema,
                      std::span<const AtenArg> args, std::span<AtenValue> results);

// Calls a function of `find_writing_shim` with a tensor of the result's type.
ShimOutcome call_writing_shim(void* function, const Schema& schema, std::span<const AtenArg> args,
                              AtenHandle out);

}  // namespace nfx
