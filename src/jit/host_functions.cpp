#include "jit/host_functions.h"

#include "expr/evaluate.h"

namespace nfx::jit {
namespace {

template <class T>
struct Traits;
template <>
struct Traits<float> {
  static constexpr Dtype kDtype = Dtype::kFloat32;
  static constexpr std::string_view kSuffix = "f32";
  static Value value(float x) { return {kDtype, double{x}, 0}; }
  static float plain(const Value& value) { return static_cast<float>(value.number); }
};
template <>
struct Traits<double> {
  static constexpr Dtype kDtype = Dtype::kFloat64;
  static constexpr std::string_view kSuffix = "f64";
  static Value value(double x) { return {kDtype, x, 0}; }
  static double plain(const Value& value) { return value.number; }
};
template <>
struct Traits<int64_t> {
  static constexpr Dtype kDtype = Dtype::kInt64;
  static constexpr std::string_view kSuffix = "i64";
  static Value value(int64_t x) { return {kDtype, 0, x}; }
  static int64_t plain(const Value& value) { return value.integer; }
};
template <>
struct Traits<uint64_t> {
  static constexpr Dtype kDtype = Dtype::kUInt64;
  static constexpr std::string_view kSuffix = "u64";
  static Value value(uint64_t x) { return {kDtype, 0, static_cast<int64_t>(x)}; }
  static uint64_t plain(const Value& value) { return static_cast<uint64_t>(value.integer); }
};

// The definition that the interpreter has, so that the two agree to the bit.
template <class T, ExprOp op>
void run_lanes(const T* x, const T* y, T* out, int64_t lanes) {
  for (int64_t i = 0; i < lanes; ++i) {
    const Value a = Traits<T>::value(x[i]);
    if constexpr (op >= ExprOp::kAdd) {
      out[i] = Traits<T>::plain(evaluate_binary(op, a, Traits<T>::value(y[i])));
    } else {
      out[i] = Traits<T>::plain(evaluate_unary(op, a));
    }
  }
}

template <class T, ExprOp op>
HostFunction row() {
  return {host_symbol(name(op), Traits<T>::kSuffix), reinterpret_cast<void*>(&run_lanes<T, op>)};
}

template <ExprOp... ops>
void add_floats(std::vector<HostFunction>& rows) {
  (rows.push_back(row<float, ops>()), ...);
  (rows.push_back(row<double, ops>()), ...);
}

std::vector<HostFunction> make_rows() {
  std::vector<HostFunction> rows;
  add_floats<ExprOp::kSin, ExprOp::kCos, ExprOp::kTan, ExprOp::kAsin, ExprOp::kAcos, ExprOp::kAtan,
             ExprOp::kErfc, ExprOp::kLgamma>(rows);
  add_floats<ExprOp::kFloorDiv, ExprOp::kRemainder, ExprOp::kFmod, ExprOp::kPow, ExprOp::kAtan2,
             ExprOp::kHypot, ExprOp::kNextafter>(rows);
  rows.push_back(row<int64_t, ExprOp::kPow>());
  rows.push_back(row<uint64_t, ExprOp::kPow>());
  return rows;
}

}  // namespace

const std::vector<HostFunction>& host_functions() {
  static const std::vector<HostFunction> rows = make_rows();
  return rows;
}

std::string host_symbol(std::string_view name, std::string_view suffix) {
  return "nfx_lanes_" + std::string(name) + "_" + std::string(suffix);
}

}  // namespace nfx::jit
