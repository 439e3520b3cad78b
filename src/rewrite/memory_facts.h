// Who may share memory with whom, what is written, and what leaves the graph:
// the reasons why one value may not stand for another that is equal to it.
//
//   %b = aten.clone.default(%x)
//   output (%b,)                  %b may not become %x: the caller would get its input back
//
// Sharing is taken from schemas and traits; "may alias" counts. A target that is
// no known op may write to its operands and give them back. Different inputs are
// taken to be apart, as torch.compile and torch.export guarantee for inputs that
// are written.
#pragma once
#include <vector>

#include "ir/graph.h"

namespace nfx {

class MemoryFacts {
 public:
  explicit MemoryFacts(const Graph& graph);

  // Whether some node writes to memory that `node` may share.
  bool is_written(Node node) { return sets_[set_of(node)].written; }
  // Whether memory that `node` may share is returned.
  bool escapes(Node node) { return sets_[set_of(node)].escapes; }

  // Whether users, equal values given, can take `with` for `node`.
  bool may_replace(Node node, Node with);

  // To be told of every edit.
  void replaced(Node node, Node with);
  void added(Node node);

 private:
  struct Set {
    uint32_t parent = 0;
    bool written = false;
    bool escapes = false;
    bool external = false;  // an input, an attribute, or not known
    bool returned = false;  // this very node is returned
    bool is_view = false;   // this very node shares memory that another one made
  };

  void reach(Node node);
  uint32_t set_of(Node node);
  void join(Node a, Node b);
  void join_operands(Node node);
  void may_do_anything(Node node);
  void join_aliases(Node node, const Schema& schema);

  std::vector<Set> sets_;  // by NodeId
};

}  // namespace nfx
