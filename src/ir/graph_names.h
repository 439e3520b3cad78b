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
  explicit Names(const NodeTable& table) : table_(table) {}

  // Enters the nodes that were added since the last call.
  void update();
  void insert(StringId name, NodeId node);  // keeps an entry that is there
  NodeId find(StringId name) const;

  // `wanted` if it is free, otherwise `wanted` with the next number behind it.
  StringId make_unique(Context& context, std::string_view wanted);
  // A name made from a target: `aten.add.Tensor` gives `add`, `layers.0` gives
  // `layers_0`; Python's keywords and builtins always get a number.
  StringId make_default(Context& context, NodeKind kind, StringId target);

 private:
  // An entry goes stale when its node is erased or renamed, so that these need
  // not look for it.
  struct Entry {
    StringId name;  // none: free
    NodeId node;
  };
  bool is_stale(const Entry& entry) const;
  void grow();
  size_t slot_of(StringId name) const;  // where it is, or belongs

  // What numbers are put behind: of `add_12` it is `add`.
  struct Stem {
    std::string_view text;
    uint64_t given = 0;          // the number that the name itself has
    uint64_t* number = nullptr;  // the last one given to this stem
  };
  const Stem& stem_of(Context& context, StringId name);
  StringId numbered(Context& context, StringId name);

  struct Default {
    StringId name;
    bool reserved = false;
  };

  const NodeTable& table_;
  std::vector<Entry> entries_;                          // open addressing, at most half full
  size_t count_ = 0;                                    // with stale ones
  uint32_t indexed_ = 1;                                // records below are entered
  std::unordered_map<StringId, uint64_t> last_number_;  // by name without number
  std::unordered_map<StringId, Stem> stems_;            // by name
  std::unordered_map<uint64_t, Default> defaults_;      // by kind and target
  std::string candidate_;                               // kept for its capacity
};

}  // namespace nfx
