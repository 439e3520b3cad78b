#include "capi/edit_rules.h"

#include <string>

namespace nfx::capi {
namespace {

struct EditOrder {
  static constexpr std::string_view kCode = "edit-order";
  std::string value, user;
  std::string message() const { return "`%" + value + "` does not stand before " + user; }
  std::string help() const { return "move one of them, or use a value that is made earlier"; }
};
NFX_DIAGNOSTIC(EditOrder);

struct EditPlace {
  static constexpr std::string_view kCode = "edit-place";
  std::string what;
  std::string message() const { return what; }
  std::string help() const { return "placeholders come first, the one output last"; }
};
NFX_DIAGNOSTIC(EditPlace);

struct EditUses {
  static constexpr std::string_view kCode = "edit-uses";
  std::string node;
  std::string message() const { return "`%" + node + "` has uses and cannot be erased"; }
  std::string help() const { return "replace its uses first"; }
};
NFX_DIAGNOSTIC(EditUses);

std::string quoted(Node node) { return "`%" + std::string(node.name()) + "`"; }

bool is_placeholder(Node node) { return node && node.kind() == NodeKind::kPlaceholder; }

Status check_kind(NodeKind kind, Node place) {
  const Graph* graph = place ? &place.graph() : nullptr;
  const Node before = place ? place.prev() : Node();
  if (kind == NodeKind::kPlaceholder) {
    if (before && !is_placeholder(before))
      return diagnose(EditPlace{"a placeholder cannot stand behind " + quoted(before)});
    return success();
  }
  if (is_placeholder(place))
    return diagnose(EditPlace{"nothing but placeholders stands before " + quoted(place)});
  if (kind == NodeKind::kOutput && graph != nullptr)
    return diagnose(EditPlace{"an output cannot stand before " + quoted(place)});
  return success();
}

}  // namespace

Status check_use(Node user, Node value) {
  if (value.before(user)) return success();
  return diagnose(EditOrder{std::string(value.name()), quoted(user)}, node_place(user));
}

Status check_place(NodeKind kind, std::span<const Node> operands, Node place) {
  NFX_TRY(check_kind(kind, place));
  if (!place) return success();
  for (const Node operand : operands) {
    if (!operand.before(place))
      return diagnose(EditOrder{std::string(operand.name()), "the place before " + quoted(place)},
                      node_place(operand));
  }
  return success();
}

Status check_unused(Node node) {
  if (!node.has_uses()) return success();
  return diagnose(EditUses{std::string(node.name())}, node_place(node));
}

}  // namespace nfx::capi
