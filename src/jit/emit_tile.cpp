// Tiles: what differs from edge to edge only is computed for a block of edges in
// lanes of its own, while the rows of these edges are on their way, and read back
// edge by edge.
#include "jit/emitter.h"
#include "jit/types.h"

namespace nfx::jit {

llvm::Value* Emitter::tile_memory(size_t stage, size_t value) {
  llvm::Value*& memory = tile_memory_[{stage, value}];
  if (memory != nullptr) return memory;
  const StageTile& tile = tiles_[stage];
  const Dtype dtype = kernel_.exprs[tile.values[value]].dtype;
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> front(&entry, entry.begin());
  memory = stack_memory(front, register_type(front.getContext(), dtype), tile.block * tile.width);
  return memory;
}

Values Emitter::reduce_tiled(size_t number, Range span, llvm::ArrayRef<llvm::Value*> states) {
  const StageTile& tile = tiles_[number];
  llvm::Value* step = builder_.getInt64(static_cast<uint64_t>(tile.block));
  return emit_loop(span, step, states, [&](llvm::Value* begin, llvm::ArrayRef<llvm::Value*> outer) {
    llvm::IRBuilder<>& b = here();
    llvm::Value* end = b.CreateAdd(begin, step);
    end = b.CreateSelect(b.CreateICmpSLT(end, span.end), end, span.end);
    const Range block{begin, end, b.CreateSub(end, begin)};
    fill_tile(number, block);
    return emit_loop(block, builder_.getInt64(1), outer,
                     [&](llvm::Value* index, llvm::ArrayRef<llvm::Value*> carried) {
                       set_index(tile.dim, index, false);
                       read_tile(number, here().CreateSub(index, begin));
                       return reduce_level(number, 1, Values(carried.begin(), carried.end()));
                     });
  });
}

// In lanes along the joint dimension for one edge after the other, or along the
// edges themselves.
void Emitter::fill_tile(size_t number, Range block) {
  const StageTile& tile = tiles_[number];
  const Lanes lanes = plan_.stages[number].tile;
  push_scope();
  scope().lanes = {};
  scope().masks = {};
  scope().guarded = false;
  const bool along_edges = tile.lane_dim == tile.dim;
  const bool at_once = !along_edges && tile.width <= lanes.width;
  const auto each_edge = [&](Body body) {
    emit_loop(block, builder_.getInt64(1), {}, [&](llvm::Value* index, auto) {
      set_index(tile.dim, index, false);
      return body();
    });
  };
  if (!at_once && !tile.prefetch.empty()) {
    each_edge([&] {
      prefetch_tile_rows(number);
      return Values{};
    });
  }
  emit_lane_loop(tile.lane_dim, along_edges ? block : range(tile.lane_dim), lanes, [&] {
    const LaneValue lane = indices_[tile.lane_dim];
    if (along_edges) return fill_position(number, here().CreateSub(lane.scalar(), block.begin));
    each_edge([&] {
      if (at_once) prefetch_tile_rows(number);
      llvm::IRBuilder<>& b = here();
      llvm::Value* width = b.getInt64(static_cast<uint64_t>(tile.width));
      llvm::Value* edge = b.CreateSub(indices_[tile.dim].scalar(), block.begin);
      fill_position(number, b.CreateAdd(b.CreateMul(edge, width), lane.scalar()));
      return Values{};
    });
  });
  pop_scope();
}

void Emitter::fill_position(size_t number, llvm::Value* place) {
  const StageTile& tile = tiles_[number];
  for (size_t v = 0; v < tile.values.size(); ++v) {
    const Values parts = vectors(eval(tile.values[v]), depth());
    llvm::IRBuilder<>& b = here();
    llvm::Type* element = parts[0]->getType()->getScalarType();
    llvm::Value* address = b.CreateGEP(element, tile_memory(number, v), place);
    const llvm::Align align(element->getPrimitiveSizeInBits() / 8);
    const Values& masks = scope().masks;
    if (masks.empty()) {
      b.CreateAlignedStore(parts[0], address, align);
    } else {
      b.CreateMaskedStore(parts[0], address, align, masks[0]);
    }
  }
}

void Emitter::read_tile(size_t number, llvm::Value* place) {
  const StageTile& tile = tiles_[number];
  for (const TileUse& use : tile.uses) {
    llvm::Value* at = place;
    if (use.position != kNoExpr) {
      llvm::Value* position = eval(use.position).scalar();
      llvm::IRBuilder<>& b = here();
      llvm::Value* width = b.getInt64(static_cast<uint64_t>(tile.width));
      at = b.CreateAdd(b.CreateMul(place, width), position);
    }
    llvm::IRBuilder<>& b = here();
    llvm::Type* element = register_type(b.getContext(), kernel_.exprs[use.expr].dtype);
    llvm::Value* address = b.CreateGEP(element, tile_memory(number, use.value), at);
    const llvm::Align align(element->getPrimitiveSizeInBits() / 8);
    scope().memo[use.expr] = uniform(b.CreateAlignedLoad(element, address, align), depth());
  }
}

}  // namespace nfx::jit
