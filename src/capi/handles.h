// What the opaque handles of the C interface are, and how its functions check
// what they are given.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "ir/context_tables.h"
#include "ir/graph.h"
#include "nativefx/nativefx.h"
#include "support/result.h"

struct nfx_context {
  std::shared_ptr<nfx::Context> context;
};

struct nfx_graph {
  std::shared_ptr<nfx::Graph> graph;
};

struct nfx_diagnostic {
  nfx::Diagnostic value;
};

namespace nfx::capi {

inline nfx_string give(std::string_view text) { return {text.data(), text.size()}; }
inline bool readable(nfx_string text) { return text.data != nullptr || text.size == 0; }
inline std::string_view take(nfx_string text) { return {text.data, text.size}; }

// Runs the body of a function; what it throws becomes a status.
template <class Body>
nfx_status guarded(const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return NFX_OUT_OF_MEMORY;
  } catch (...) {
    return NFX_FAILED;
  }
}

// Copies a filled struct to a caller that may know fewer fields. The structs of
// version 1 are the smallest that there are.
template <class T>
nfx_status give(T made, T* out) {
  if (out == nullptr || out->struct_size < sizeof(T)) return NFX_BAD_ARGUMENT;
  made.struct_size = out->struct_size;
  std::memcpy(out, &made, sizeof(T));
  return NFX_OK;
}

// Sets `*diagnostic`, if it is wanted, and returns `status`.
inline nfx_status fail(nfx_status status, nfx_diagnostic** diagnostic, Diagnostic what) {
  if (diagnostic != nullptr) *diagnostic = new nfx_diagnostic{std::move(what)};
  return status;
}
inline void clear(nfx_diagnostic** diagnostic) {
  if (diagnostic != nullptr) *diagnostic = nullptr;
}

inline bool is_node(const Graph& graph, nfx_node node) {
  return node != 0 && node < graph.id_limit() && !graph.table().records[node].erased;
}
inline Node node_of(const Graph& graph, nfx_node node) { return graph.node(NodeId{node}); }
inline bool is_type(const Graph& graph, nfx_type type) {
  return type < graph.context().tables().types.size();
}

}  // namespace nfx::capi
