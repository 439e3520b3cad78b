// Reads the arguments of a node: one tree of constants and operands.
#pragma once
#include <optional>
#include <string_view>

#include "ir/node.h"

namespace nfx {

// One argument in place: a structure, the node whose operands fill its holes,
// and the number of its first hole.
class ArgumentView {
 public:
  ArgumentView() = default;
  ArgumentView(Node owner, ArgId id, uint32_t first_hole)
      : owner_(owner), id_(id), first_hole_(first_hole) {}

  explicit operator bool() const { return static_cast<bool>(id_); }  // false: not given
  const Arg& arg() const;
  ArgKind kind() const { return arg().kind; }
  ArgId id() const { return id_; }
  Node owner() const { return owner_; }
  uint32_t first_hole() const { return first_hole_; }

  bool is_node() const { return id_ && kind() == ArgKind::kHole; }
  bool is_none() const { return id_ && kind() == ArgKind::kNone; }
  Node node() const;                        // the operand in a hole; none otherwise
  std::optional<int64_t> as_int() const;    // int or bool constant
  std::optional<double> as_number() const;  // int, bool or float constant
  size_t size() const;                      // children
  ArgumentView child(size_t index) const;

 private:
  Node owner_;
  ArgId id_;
  uint32_t first_hole_ = 0;
};

ArgumentView positional(Node node, size_t index);
size_t num_positional(Node node);
ArgumentView keyword(Node node, std::string_view name);

// Argument `name` of an op call, given in either form. A default of the schema
// is filled in, so `add(x, y)` and `add(x, other=y, alpha=1)` read the same.
// Not there if the schema is unknown and it was not given by keyword.
ArgumentView argument(Node node, std::string_view name);
ArgumentView argument(Node node, size_t schema_position);

}  // namespace nfx
