// From Python objects of nodes to their ids: open addressing on the address.
#pragma once
#include <Python.h>

#include <cstdint>
#include <vector>

#include "ir/ids.h"

namespace nfx::python {

class NodeMap {
 public:
  explicit NodeMap(size_t expected) {
    size_t capacity = 16;
    while (capacity < 2 * expected) capacity *= 2;
    entries_.resize(capacity);
  }

  void insert(PyObject* node, NodeId id) {
    if (2 * ++count_ > entries_.size()) grow();
    place({node, id});
  }
  NodeId find(PyObject* node) const {
    for (size_t i = home(node);; i = (i + 1) & (entries_.size() - 1)) {
      if (entries_[i].node == node) return entries_[i].id;
      if (entries_[i].node == nullptr) return {};
    }
  }

 private:
  struct Entry {
    PyObject* node = nullptr;
    NodeId id;
  };
  size_t home(PyObject* node) const {
    // Nodes made one after another lie one after another: keep them so.
    return (reinterpret_cast<uintptr_t>(node) >> 4) & (entries_.size() - 1);
  }
  void place(Entry entry) {
    size_t i = home(entry.node);
    while (entries_[i].node != nullptr) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = entry;
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.node != nullptr) place(entry);
    }
  }

  std::vector<Entry> entries_;
  size_t count_ = 0;
};

}  // namespace nfx::python
