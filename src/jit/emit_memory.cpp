// Loads and stores. Lanes that step by one element are a vector access, equal
// addresses one scalar access, all else a gather or scatter.
#include <llvm/IR/Module.h>

#include "jit/emitter.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

bool is_one(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
  return constant != nullptr && constant->isOne();
}

}  // namespace

llvm::Value* Emitter::element_address(BufferId buffer, llvm::Value* offset) {
  llvm::Type* type = memory_type(builder_.getContext(), kernel_.buffers[buffer].dtype);
  return builder_.CreateGEP(type, buffers_[buffer], offset);
}

// The outermost scope that a load may move to: it must not run where the load
// would not have, nor pass a store to the same buffer.
int Emitter::load_level(BufferId buffer) const {
  int level = depth();
  while (scopes_[static_cast<size_t>(level)].holds_state) --level;
  const bool is_scratch = buffer >= kernel_.buffers.size() - scratch_.size();
  if (is_scratch) {  // earlier stages wrote it
    while (level > stage_level_ && scopes_[static_cast<size_t>(level)].certain) --level;
    return level;
  }
  if (written_[buffer]) return level;
  while (level > 0 && scopes_[static_cast<size_t>(level)].certain) --level;
  return level;
}

LaneValue Emitter::emit_load(const ExprNode& node) {
  const auto buffer = static_cast<BufferId>(node.payload);
  const LaneValue offset = eval(node.operands[0]);
  const bool guarded = node.operands[1] != kNoExpr;
  const LaneValue guard = guarded ? eval(node.operands[1]) : LaneValue{};
  // A guarded load may run anywhere, but a written buffer keeps its place.
  int level = guarded && !written_[buffer] ? 0 : load_level(buffer);
  level = std::max({level, offset.level, guarded ? guard.level : 0});
  if (offset.uniform() && (!guarded || guard.uniform())) {
    llvm::Value* condition = guarded ? guard.scalar() : nullptr;
    if (!guarded && scopes_[static_cast<size_t>(level)].guarded) condition = any_lane(level);
    at(level);
    return uniform(load_scalar(node, offset.scalar(), condition), level);
  }
  return load_lanes(node, offset, guarded ? &guard : nullptr, level);
}

// Where the guard fails, a zero of our own is read instead.
llvm::Value* Emitter::load_scalar(const ExprNode& node, llvm::Value* offset, llvm::Value* guard) {
  const auto buffer = static_cast<BufferId>(node.payload);
  llvm::Type* type = memory_type(builder_.getContext(), node.dtype);
  llvm::Value* address = element_address(buffer, offset);
  if (guard != nullptr) {
    llvm::Module* module = function_->getParent();
    llvm::GlobalVariable* zero = module->getNamedGlobal("zero");
    if (zero == nullptr) {
      zero =
          new llvm::GlobalVariable(*module, builder_.getInt64Ty(), true,
                                   llvm::GlobalValue::PrivateLinkage, builder_.getInt64(0), "zero");
    }
    address = builder_.CreateSelect(guard, address, zero);
  }
  const llvm::Align align(static_cast<uint64_t>(dtype_size(node.dtype)));
  return to_register(builder_, node.dtype, builder_.CreateAlignedLoad(type, address, align));
}

llvm::Value* Emitter::any_lane(int level) {
  llvm::IRBuilder<>& b = at(level);
  llvm::Value* any = b.getFalse();
  for (llvm::Value* mask : scopes_[static_cast<size_t>(level)].masks) {
    any = b.CreateOr(any, b.CreateOrReduce(mask));
  }
  return any;
}

Values Emitter::lane_masks(const LaneValue* guard, int level) {
  Values masks = scopes_[static_cast<size_t>(level)].masks;
  if (guard == nullptr) return masks;
  Values wanted = vectors(*guard, level);
  llvm::IRBuilder<>& b = at(level);
  for (size_t part = 0; part < masks.size(); ++part) {
    wanted[part] = b.CreateAnd(masks[part], wanted[part]);
  }
  return wanted;
}

LaneValue Emitter::load_lanes(const ExprNode& node, const LaneValue& offset, const LaneValue* guard,
                              int level) {
  const auto buffer = static_cast<BufferId>(node.payload);
  const Lanes lanes = scopes_[static_cast<size_t>(level)].lanes;
  const bool contiguous = offset.kind == LaneValue::Kind::kAffine && is_one(offset.stride);
  const Values offsets = contiguous ? Values{} : vectors(offset, level);
  llvm::Type* type = lanes_of(memory_type(builder_.getContext(), node.dtype), lanes.width);
  llvm::Value* zeros = llvm::Constant::getNullValue(type);
  const llvm::Align align(static_cast<uint64_t>(dtype_size(node.dtype)));
  const Values masks = lane_masks(guard, level);
  llvm::IRBuilder<>& b = at(level);
  LaneValue result;
  result.kind = LaneValue::Kind::kVector;
  result.level = level;
  for (int part = 0; part < lanes.parts; ++part) {
    llvm::Value* mask = masks.empty() ? nullptr : masks[static_cast<size_t>(part)];
    llvm::Value* stored = nullptr;
    if (contiguous) {
      llvm::Value* first =
          b.CreateAdd(offset.scalar(), b.getInt64(static_cast<uint64_t>(part * lanes.width)));
      llvm::Value* address = element_address(buffer, first);
      stored =
          mask == nullptr
              ? b.CreateAlignedLoad(type, address, align)
              : static_cast<llvm::Value*>(b.CreateMaskedLoad(type, address, align, mask, zeros));
    } else {
      llvm::Value* addresses = element_address(buffer, offsets[static_cast<size_t>(part)]);
      stored = b.CreateMaskedGather(type, addresses, align, mask, zeros);
    }
    result.parts.push_back(to_register(b, node.dtype, stored));
  }
  return result;
}

// A store's offset and value are computed only where its guard holds: elsewhere
// what they load may not exist.
void Emitter::emit_store(const Store& store) {
  const LaneValue guard = store.guard == kNoExpr ? LaneValue{} : eval(store.guard);
  if (store.guard != kNoExpr && guard.uniform()) {
    emit_if(guard.scalar(), false, {}, [&] {
      store_value(store);
      return Values{};
    });
    return;
  }
  // A scope of its own: the next store sees what this one wrote.
  push_scope(store.guard == kNoExpr);
  if (store.guard != kNoExpr) {
    scope().masks = lane_masks(&guard, depth());
    scope().guarded = true;
  }
  store_value(store);
  pop_scope();
}

void Emitter::store_value(const Store& store) {
  const LaneValue offset = eval(store.offset);
  const LaneValue value = eval(store.value);
  const bool lanes = !offset.uniform() || !value.uniform() || scope().guarded;
  if (lanes) return store_lanes(store, offset, value);
  const Dtype dtype = kernel_.buffers[store.buffer].dtype;
  llvm::IRBuilder<>& b = here();
  llvm::Value* address = element_address(store.buffer, offset.scalar());
  b.CreateAlignedStore(to_memory(b, dtype, value.scalar()), address,
                       llvm::Align(static_cast<uint64_t>(dtype_size(dtype))));
}

void Emitter::store_lanes(const Store& store, const LaneValue& offset, const LaneValue& value) {
  const Dtype dtype = kernel_.buffers[store.buffer].dtype;
  const Lanes lanes = scope().lanes;
  const bool contiguous = offset.kind == LaneValue::Kind::kAffine && is_one(offset.stride);
  const Values offsets = contiguous ? Values{} : vectors(offset, depth());
  const Values parts = vectors(value, depth());
  const llvm::Align align(static_cast<uint64_t>(dtype_size(dtype)));
  llvm::IRBuilder<>& b = here();
  for (int part = 0; part < lanes.parts; ++part) {
    const auto number = static_cast<size_t>(part);
    llvm::Value* mask = scope().masks.empty() ? nullptr : scope().masks[number];
    llvm::Value* stored = to_memory(b, dtype, parts[number]);
    if (!contiguous) {
      b.CreateMaskedScatter(stored, element_address(store.buffer, offsets[number]), align, mask);
      continue;
    }
    llvm::Value* first =
        b.CreateAdd(offset.scalar(), b.getInt64(static_cast<uint64_t>(part * lanes.width)));
    llvm::Value* address = element_address(store.buffer, first);
    if (mask == nullptr) {
      b.CreateAlignedStore(stored, address, align);
    } else {
      b.CreateMaskedStore(stored, address, align, mask);
    }
  }
}

}  // namespace nfx::jit
