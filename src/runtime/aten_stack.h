// The slots of a dispatcher stack: an argument becomes a 64-bit slot, a slot
// becomes a result. A filled slot owns what it refers to (a tensor handle, a
// list, a box of an optional) until a call takes it or it is released.
#pragma once
#include "ir/schema.h"
#include "runtime/aten_arg.h"
#include "runtime/aten_value.h"

namespace nfx {

// Whether PyTorch's dispatcher entry can convert this type at all. An optional
// of any type counts, since None always crosses. `str` does not: up to 2.13
// PyTorch leaks a copy of every text it is handed this way.
bool crosses_as_arg(const SchemaType& type);
bool crosses_when_given(const SchemaType& type);  // not only as None
bool crosses_as_result(const SchemaType& type);

// Fills `slot` with an owned conversion of `arg`. False, with nothing owned, if
// the argument does not fit the type.
bool fill_slot(const AtenAbi& abi, const SchemaType& type, const AtenArg& arg, StableIValue& slot);

// Frees what a filled slot owns.
void release_slot(const AtenAbi& abi, const SchemaType& type, StableIValue slot);

// Takes a result slot over.
AtenValue take_result(const AtenAbi& abi, const SchemaType& type, StableIValue slot);

}  // namespace nfx
