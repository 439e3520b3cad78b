// Small integer names for things that live in a Context or a Graph. Zero is
// "none" in every Context table, so a zeroed record is empty.
#pragma once
#include <cstdint>
#include <functional>

namespace nfx {

// Each kind of id is its own type: a StringId cannot be passed for a TypeId.
template <class Tag>
struct Id {
  uint32_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using StringId = Id<struct StringTag>;    // interned text
using SymExprId = Id<struct SymExprTag>;  // symbolic integer, float or bool
using TypeId = Id<struct TypeTag>;        // what a value is
using ArgId = Id<struct ArgTag>;          // constant, or structure of arguments with holes
using OpaqueId = Id<struct OpaqueTag>;    // object that only its owner (Python) understands
using NodeId = Id<struct NodeTag>;        // node of one graph
using GraphId = Id<struct GraphTag>;      // graph of one module
using MetaId = Id<struct MetaTag>;        // where a node comes from

}  // namespace nfx

template <class Tag>
struct std::hash<nfx::Id<Tag>> {
  size_t operator()(nfx::Id<Tag> id) const { return id.value * size_t{0x9E3779B97F4A7C15}; }
};
