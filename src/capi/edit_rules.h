// What an edit must keep: values before their users, inputs first, the output last.
#pragma once
#include "capi/handles.h"

namespace nfx::capi {

// Whether `user` may use `value` where it stands. Error: `edit-order`.
Status check_use(Node user, Node value);
// Whether a node with these operands may stand right before `place` (none: at the end).
// Errors: `edit-order`, `edit-place`.
Status check_place(NodeKind kind, std::span<const Node> operands, Node place);
// Error: `edit-uses`.
Status check_unused(Node node);

}  // namespace nfx::capi
