// The ops of the running PyTorch: rows where there are some, else what schemas
// and tags tell. An op is looked up when a graph first names it, so that ops
// registered later are found too.
#pragma once
#include "ir/op_info.h"

namespace nfx::python {

// Of the process, never destroyed. Any thread may ask; one that is not known yet
// takes the interpreter lock.
const OpTable& running_ops();

}  // namespace nfx::python
