// Expressions: where a value is computed, and in which form.
#include <bit>

#include "jit/emitter.h"
#include "jit/scalar_op.h"
#include "jit/types.h"

namespace nfx::jit {

LaneValue Emitter::uniform(llvm::Value* value, int level) const {
  LaneValue result;
  result.level = level;
  result.parts.push_back(value);
  return result;
}

llvm::IRBuilder<>& Emitter::at(int level) {
  builder_.SetInsertPoint(scopes_[static_cast<size_t>(level)].at);
  return builder_;
}

llvm::Value* Emitter::constant(const ExprNode& node) {
  llvm::Type* type = register_type(builder_.getContext(), node.dtype);
  if (is_floating(node.dtype)) {
    return llvm::ConstantFP::get(type, std::bit_cast<double>(node.payload));
  }
  return llvm::ConstantInt::get(type, node.payload);
}

llvm::Value* Emitter::iota(llvm::Type* element, int width, int first) {
  llvm::SmallVector<llvm::Constant*, 64> values;
  for (int lane = 0; lane < width; ++lane) {
    values.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(first + lane)));
  }
  return width == 1 ? values[0] : llvm::ConstantVector::get(values);
}

// The value as one vector for each part of the lanes at `level`.
Values Emitter::vectors(const LaneValue& value, int level) {
  const Lanes lanes = scopes_[static_cast<size_t>(level)].lanes;
  if (value.kind == LaneValue::Kind::kVector) return {value.parts.begin(), value.parts.end()};
  const auto count = static_cast<unsigned>(lanes.width);
  // A value from outside the loop is spread outside it.
  llvm::IRBuilder<>& b = at(value.uniform() ? value.level : level);
  llvm::Value* all = lanes.scalar() ? value.scalar() : b.CreateVectorSplat(count, value.scalar());
  Values parts(static_cast<size_t>(lanes.parts), all);
  if (value.uniform()) return parts;
  llvm::Value* stride = b.CreateVectorSplat(count, value.stride);
  for (int part = 0; part < lanes.parts; ++part) {
    llvm::Value* lane = iota(b.getInt64Ty(), lanes.width, part * lanes.width);
    parts[static_cast<size_t>(part)] = b.CreateAdd(all, b.CreateMul(lane, stride));
  }
  return parts;
}

LaneValue Emitter::eval(ExprId id) {
  for (int level = depth(); level >= 0; --level) {
    auto& memo = scopes_[static_cast<size_t>(level)].memo;
    if (auto found = memo.find(id); found != memo.end()) return found->second;
  }
  LaneValue value = compute(id);
  scopes_[static_cast<size_t>(value.level)].memo[id] = value;
  return value;
}

LaneValue Emitter::compute(ExprId id) {
  const ExprNode& node = kernel_.exprs[id];
  switch (node.op) {
    case ExprOp::kConst: return uniform(constant(node));
    case ExprOp::kScalar: return uniform(scalars_[node.payload]);
    case ExprOp::kIndex: return indices_[node.payload];
    case ExprOp::kReduced: return reduced_[node.payload >> 8][node.payload & 0xff];
    case ExprOp::kState:
    case ExprOp::kOther: {
      int level = depth();
      while (!scopes_[static_cast<size_t>(level)].holds_state) --level;
      const Scope& owner = scopes_[static_cast<size_t>(level)];
      LaneValue value = (node.op == ExprOp::kState ? owner.state : owner.other)[node.payload];
      value.level = level;
      return value;
    }
    case ExprOp::kLoad: return emit_load(node);
    default: break;
  }
  bool done = false;
  LaneValue fused = contracted(node, done);
  if (done) return fused;
  llvm::SmallVector<LaneValue, 3> operands;
  for (int i = 0; i < arity(node.op); ++i) operands.push_back(eval(node.operands[i]));
  return apply(node, operands);
}

// int64 sums and products that keep equal steps between lanes.
LaneValue Emitter::affine(const ExprNode& node, llvm::ArrayRef<LaneValue> operands, int level,
                          bool& done) {
  LaneValue result;
  result.kind = LaneValue::Kind::kAffine;
  result.level = level;
  for (const LaneValue& operand : operands) {
    if (operand.kind == LaneValue::Kind::kVector) return result;
  }
  llvm::IRBuilder<>& b = at(level);
  const auto stride = [&](const LaneValue& value) -> llvm::Value* {
    return value.stride != nullptr ? value.stride : b.getInt64(0);
  };
  const LaneValue& x = operands[0];
  switch (node.op) {
    case ExprOp::kNeg:
      result.parts = {b.CreateNeg(x.scalar())};
      result.stride = b.CreateNeg(stride(x));
      break;
    case ExprOp::kAdd:
      result.parts = {b.CreateAdd(x.scalar(), operands[1].scalar())};
      result.stride = b.CreateAdd(stride(x), stride(operands[1]));
      break;
    case ExprOp::kSub:
      result.parts = {b.CreateSub(x.scalar(), operands[1].scalar())};
      result.stride = b.CreateSub(stride(x), stride(operands[1]));
      break;
    case ExprOp::kMul: {
      if (!x.uniform() && !operands[1].uniform()) return result;
      const LaneValue& lanes = x.uniform() ? operands[1] : x;
      const LaneValue& factor = x.uniform() ? x : operands[1];
      result.parts = {b.CreateMul(lanes.scalar(), factor.scalar())};
      result.stride = b.CreateMul(lanes.stride, factor.scalar());
      break;
    }
    default: return result;
  }
  done = true;
  return result;
}

LaneValue Emitter::apply(const ExprNode& node, llvm::ArrayRef<LaneValue> operands) {
  LaneValue result;
  bool lanes = false;
  for (const LaneValue& operand : operands) {
    result.level = std::max(result.level, operand.level);
    lanes = lanes || !operand.uniform();
  }
  if (lanes && node.dtype == Dtype::kInt64) {
    bool done = false;
    LaneValue value = affine(node, operands, result.level, done);
    if (done) return value;
  }
  const ExprId typed = node.operands[node.op == ExprOp::kSelect ? 1 : 0];
  const Dtype dtype = kernel_.exprs[typed].dtype;
  llvm::SmallVector<Values, 3> inputs;
  for (const LaneValue& operand : operands) {
    inputs.push_back(lanes ? vectors(operand, result.level) : Values{operand.scalar()});
  }
  if (lanes) result.kind = LaneValue::Kind::kVector;
  OpContext context{at(result.level), math_};
  for (size_t part = 0; part < inputs[0].size(); ++part) {
    llvm::SmallVector<llvm::Value*, 3> values;
    for (const Values& input : inputs) values.push_back(input[part]);
    result.parts.push_back(emit_op(context, node, dtype, values));
  }
  return result;
}

// Whether the operand is a product that nothing else needs.
bool Emitter::contracts(const ExprNode& node, int operand) const {
  const ExprId id = node.operands[operand];
  const ExprId addend = node.operands[1 - operand];
  return kernel_.exprs[id].op == ExprOp::kMul && uses_[id] == 1 &&
         kernel_.exprs[addend].op != ExprOp::kMul;
}

// a*b + c, a*b - c and c - a*b rounded once. Not where both sides are products:
// the difference of two equal ones stays zero.
LaneValue Emitter::contracted(const ExprNode& node, bool& done) {
  const bool sum = node.op == ExprOp::kAdd;
  if ((!sum && node.op != ExprOp::kSub) || !is_floating(node.dtype)) return {};
  const int side = contracts(node, 0) ? 0 : (contracts(node, 1) ? 1 : -1);
  if (side < 0) return {};
  done = true;
  const ExprNode& product = kernel_.exprs[node.operands[side]];
  const LaneValue factors[] = {eval(product.operands[0]), eval(product.operands[1]),
                               eval(node.operands[1 - side])};
  LaneValue result;
  bool lanes = false;
  for (const LaneValue& value : factors) {
    result.level = std::max(result.level, value.level);
    lanes = lanes || !value.uniform();
  }
  Values inputs[3];
  for (int i = 0; i < 3; ++i) {
    inputs[i] = lanes ? vectors(factors[i], result.level) : Values{factors[i].scalar()};
  }
  if (lanes) result.kind = LaneValue::Kind::kVector;
  llvm::IRBuilder<>& b = at(result.level);
  for (size_t part = 0; part < inputs[0].size(); ++part) {
    llvm::Value* a = inputs[0][part];
    llvm::Value* c = inputs[2][part];
    if (!sum && side == 0) c = b.CreateFNeg(c);
    if (!sum && side == 1) a = b.CreateFNeg(a);
    result.parts.push_back(
        b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {a->getType()}, {a, inputs[1][part], c}));
  }
  return result;
}

}  // namespace nfx::jit
