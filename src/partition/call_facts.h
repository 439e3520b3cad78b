// What the name of a call tells where no schema does: graphs of torch.fx above
// ATen hold methods (`add_`), functions of torch (`torch.relu_`) and operators of
// Python (`operator.iadd`, `operator.setitem`).
#pragma once
#include <vector>

#include "ir/graph.h"

namespace nfx {

bool is_call(Node node);  // of a function, method or module
// A call of something that is no op with a schema.
bool is_unknown_call(Node node);
// Operands that such a call writes to: the first one of an in-place method,
// function or operator, and what is given as `out`.
std::vector<Node> operands_written_by_name(Node node);
// Whether such a call is one of an ATen operator under another name, so that it
// does nothing but compute its result.
bool computes_only(Node node);

}  // namespace nfx
