// Functions of the host that generated code calls for what it does not inline:
// `void f(const T* x, const T* y, T* out, int64_t lanes)`; unary ones ignore y.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nfx::jit {

struct HostFunction {
  std::string symbol;
  void* address;
};

const std::vector<HostFunction>& host_functions();

// The symbol of function `name` (as expr_op.h spells it) for f32, f64, i64 or u64.
std::string host_symbol(std::string_view name, std::string_view suffix);

}  // namespace nfx::jit
