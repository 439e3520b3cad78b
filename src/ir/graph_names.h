// The names of a graph's nodes: which are taken, and a free one in fx's manner
// (`add`, `add_1`, ...). Built on first demand, so that a graph that is only
// read never pays for it.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace nfx {

struct Graph::Names {
  // Enters the nodes that were added since the last call.
  void update(const NodeTable& table);
  void insert(StringId name, NodeId node);  // keeps an entry that is there
  void remove(StringId name, NodeId node);
  NodeId find(StringId name) const;

  // `wanted` if it is free, otherwise `wanted` with the next number behind it.
  StringId make_unique(Context& context, std::string_view wanted);
  // A name made from a target: `aten.add.Tensor` gives `add`, `layers.0` gives
  // `layers_0`; Python's keywords and builtins always get a number.
  StringId make_default(Context& context, NodeKind kind, std::string_view target);

 private:
  struct Entry {
    StringId name;  // none: free
    NodeId node;
  };
  void grow();
  size_t home(StringId name) const;
  StringId numbered(Context& context, std::string_view base, uint64_t& number);

  std::vector<Entry> entries_;  // open addressing, at most half full
  size_t count_ = 0;
  uint32_t indexed_ = 1;  // records below are entered
  std::unordered_map<std::string, uint64_t> last_number_;
};

}  // namespace nfx
