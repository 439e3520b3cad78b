// The arguments of a call by the schema that PyTorch prints, which may be known
// where the op table has no row.
#pragma once
#include <optional>
#include <string>

#include "ir/argument_view.h"
#include "ir/graph.h"
#include "ir/schema.h"
#include "runtime/aten_call.h"

namespace nfx {

// The argument as given; none if it is left to its default.
ArgumentView call_argument(Node node, const Schema& schema, size_t position);

// A constant that crosses the C ABI; nothing if it does not. Texts are borrowed
// from the Context.
std::optional<AtenArg> constant_argument(const Context& context, const Arg& arg);

// The kind of list that an argument of this type crosses as; nothing if none.
std::optional<AtenArgKind> list_kind(const SchemaType& type);

// Why the arguments of this node cannot cross the C ABI; empty if they can.
std::string argument_problem(Node node, const AtenCall& call);

}  // namespace nfx
