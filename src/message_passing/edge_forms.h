// How gathers and scatters are written in PyTorch.
#pragma once
#include <optional>

#include "ir/graph.h"

namespace nfx {

struct GatherForm {
  Node x;
  Node index;          // [E]
  bool wraps = false;  // negative indices count from the end
};
std::optional<GatherForm> gather_form(Node node);

enum class Combine : uint8_t { kSum, kMean, kMax, kMin };

struct ScatterForm {
  Combine combine = Combine::kSum;
  Node base;   // what is scattered onto
  Node index;  // [E]
  Node value;  // [E, ...]
  bool includes_base = true;
  bool in_place = false;
  bool wraps = false;
  double scale = 1;
};
std::optional<ScatterForm> scatter_form(Node node);

}  // namespace nfx
