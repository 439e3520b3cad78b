// The steps of a plan, one at a time. Included only by the executor.
#pragma once
#include <span>

#include "runtime/frame.h"

namespace nfx {

Status execute_step(Frame& frame, const Step& step);

// Gives the slot a tensor that has come in. If the slot wants its planned shape,
// another stride order is copied into it. Errors: `unexpected-shape`.
Status accept_tensor(Frame& frame, SlotId slot, AtenTensor tensor);

// The given tensor laid out as planned; none if it is already.
Result<AtenTensor> laid_out_as_planned(Frame& frame, SlotId slot, AtenHandle tensor);

void read_symbols(Frame& frame, std::span<const SymbolSource> symbols);

}  // namespace nfx
