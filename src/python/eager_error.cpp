#include "python/eager_error.h"

#include <string>

#include "python/aten_values.h"
#include "python/callable_name.h"

namespace nfx::python {
namespace {

// "aten::add", "Tensor"  =>  "aten.add.Tensor"
std::string python_name(const Schema& schema) {
  const size_t colons = schema.name.find("::");
  if (colons == std::string::npos) return {};
  std::string name = schema.name.substr(0, colons);
  name += '.';
  name += schema.name.substr(colons + 2);
  name += '.';
  name += schema.overload.empty() ? "default" : schema.overload;
  return name;
}

void call_again(const Schema& schema, std::span<const AtenArg> args) {
  const Result<const TensorCrossing*> crossing = TensorCrossing::get();
  const nb::object op = resolve_callable(python_name(schema));
  if (!crossing || !op.is_valid()) return;
  nb::list positional;
  nb::dict named;
  for (size_t i = 0; i < args.size(); ++i) {
    const nb::object value = to_python(**crossing, args[i]);
    if (!schema.args[i].kwarg_only) {
      positional.append(value);
    } else if (args[i].kind != AtenArgKind::kNone) {
      named[schema.args[i].name.c_str()] = value;
    }
  }
  op(*nb::tuple(positional), **named);
}

}  // namespace

std::exception_ptr eager_error(const AtenCall& call, std::span<const AtenArg> args) {
  const nb::gil_scoped_acquire lock;
  try {
    call_again(call.schema(), args);
    return nullptr;
  } catch (const std::exception&) {
    return std::current_exception();
  }
}

}  // namespace nfx::python
