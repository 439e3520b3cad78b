#include "expr/expr_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "expr/evaluate.h"

namespace nfx {
namespace {

// Binding strength of infix operators; calls and leaves bind strongest.
int strength(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd:
    case ExprOp::kSub: return 1;
    case ExprOp::kMul:
    case ExprOp::kDiv: return 2;
    default: return 3;
  }
}

std::string_view infix(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd: return " + ";
    case ExprOp::kSub: return " - ";
    case ExprOp::kMul: return "*";
    default: return "/";
  }
}

template <class T>
std::string shortest(T value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string nan_text(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (bits == std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())) return "nan";
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, bits, 16).ptr;
  return "nan(0x" + std::string(digits, end) + ")";
}

std::string float_text(Dtype dtype, double value) {
  const std::string suffix = ":" + std::string(dtype_name(dtype));
  const bool plain = dtype == Dtype::kFloat64;
  if (std::isnan(value)) return nan_text(value) + (plain ? "" : suffix);
  if (std::isinf(value)) return std::string(value < 0 ? "-inf" : "inf") + (plain ? "" : suffix);
  std::string text = plain ? shortest(value) : shortest(static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (dtype == Dtype::kFloat32) return text + "f";
  return plain ? text : text + suffix;
}

class Writer {
 public:
  Writer(const ExprPool& pool, const ExprNames& names, std::string& out)
      : pool_(pool), names_(names), out_(out) {}

  // In parentheses if it binds less than `least`.
  void write(ExprId id, int least) {
    if (id == kNoExpr) {
      out_ += "none";
      return;
    }
    if (names_.bound != nullptr && id < names_.bound->size() && !(*names_.bound)[id].empty()) {
      out_ += (*names_.bound)[id];
      return;
    }
    const int own = strength(pool_[id].op);
    if (own < least) out_ += '(';
    write_node(pool_[id], own);
    if (own < least) out_ += ')';
  }

 private:
  void write_node(const ExprNode& node, int own) {
    if (is_leaf(node.op)) return write_leaf(node);
    if (node.op == ExprOp::kLoad) return write_load(node);
    if (own == 3) return write_call(node);
    write(node.operands[0], own);
    out_ += infix(node.op);
    write(node.operands[1], own + 1);
  }

  void write_call(const ExprNode& node) {
    out_ += node.op == ExprOp::kCast ? dtype_name(node.dtype) : name(node.op);
    out_ += '(';
    for (int i = 0; i < arity(node.op); ++i) {
      if (i > 0) out_ += ", ";
      write(node.operands[i], 0);
    }
    out_ += ')';
  }

  void write_load(const ExprNode& node) {
    out_ += "load b" + std::to_string(node.payload) + "[";
    write(node.operands[0], 0);
    if (node.operands[1] != kNoExpr) {
      out_ += " if ";
      write(node.operands[1], 0);
    }
    out_ += ']';
  }

  void write_leaf(const ExprNode& node) {
    switch (node.op) {
      case ExprOp::kConst: out_ += constant_text(node); return;
      case ExprOp::kIndex: return write_index(node.payload);
      case ExprOp::kScalar: out_ += "s" + std::to_string(node.payload); return;
      case ExprOp::kReduced: return write_reduced(node.payload);
      default: out_ += std::string(name(node.op)) + std::to_string(node.payload); return;
    }
  }

  void write_index(uint64_t dim) {
    const bool named = names_.dims != nullptr && dim < names_.dims->size();
    out_ += named ? (*names_.dims)[dim] : "d" + std::to_string(dim);
  }

  void write_reduced(uint64_t payload) {
    out_ += "r" + std::to_string(payload >> 8);
    if ((payload & 0xff) != 0) out_ += "." + std::to_string(payload & 0xff);
  }

  const ExprPool& pool_;
  const ExprNames& names_;
  std::string& out_;
};

}  // namespace

void append_text(const ExprPool& pool, ExprId id, const ExprNames& names, std::string& out) {
  Writer(pool, names, out).write(id, 0);
}

std::string constant_text(const ExprNode& node) {
  const Value value = constant_value(node);
  if (is_floating(node.dtype)) return float_text(node.dtype, value.number);
  if (node.dtype == Dtype::kBool) return value.integer != 0 ? "true" : "false";
  const std::string digits = node.dtype == Dtype::kUInt64
                                 ? std::to_string(static_cast<uint64_t>(value.integer))
                                 : std::to_string(value.integer);
  if (node.dtype == Dtype::kInt64) return digits;
  return digits + ":" + std::string(dtype_name(node.dtype));
}

std::string print(const ExprPool& pool, ExprId id) {
  std::string out;
  append_text(pool, id, {}, out);
  return out;
}

}  // namespace nfx
