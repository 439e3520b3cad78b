// A value, or the diagnostic that says why there is none.
#pragma once
#include <cassert>
#include <utility>
#include <variant>

#include "support/diagnostic.h"

namespace nfx {

// What a fallible function returns when it has no value to give.
struct Unit {};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok() && "value() of a failed Result");
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok() && "value() of a failed Result");
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok() && "value() of a failed Result");
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Diagnostic& error() const {
    assert(!ok() && "error() of a Result that has a value");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Diagnostic> state_;
};

using Status = Result<Unit>;
inline Status success() { return Unit{}; }

}  // namespace nfx

// Leaves the enclosing function with the error of `expr`, if it has one.
#define NFX_TRY(expr)                                    \
  do {                                                   \
    if (auto nfx_try_result = (expr); !nfx_try_result) { \
      return nfx_try_result.error();                     \
    }                                                    \
  } while (0)

#define NFX_CONCAT_INNER(a, b) a##b
#define NFX_CONCAT(a, b) NFX_CONCAT_INNER(a, b)

// Declares `lhs` as the value of `expr`, or leaves the function with its error.
#define NFX_ASSIGN(lhs, expr) NFX_ASSIGN_INNER(NFX_CONCAT(nfx_result_, __LINE__), lhs, expr)
#define NFX_ASSIGN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                     \
  if (!tmp) return tmp.error();          \
  lhs = std::move(*tmp)
