// Python values as arguments of a native call, and its results as Python values.
#pragma once
#include <nanobind/nanobind.h>

#include <deque>
#include <string>
#include <vector>

#include "ir/schema.h"
#include "python/tensor_crossing.h"
#include "runtime/aten_arg.h"
#include "runtime/aten_value.h"

namespace nfx {

// Owns what the converted arguments point at, for the time of a call. It is made
// and destroyed under the interpreter lock: see TensorCrossing::borrow.
class AtenArgHolder {
 public:
  explicit AtenArgHolder(const TensorCrossing& crossing) : crossing_(crossing) {}

  // Raises TypeError if `value` has no native form. The schema type decides how
  // an empty list and a number are read.
  AtenArg convert(const SchemaType& type, nanobind::handle value);

 private:
  AtenHandle tensor(nanobind::handle value);
  AtenArg sequence(const SchemaType& type, nanobind::handle value);
  AtenArg torch_value(nanobind::handle value);
  AtenArg number(nanobind::handle value);

  const TensorCrossing& crossing_;
  std::deque<AtenTensor> tensors_;
  std::deque<std::string> texts_;
  std::deque<std::vector<AtenHandle>> handle_lists_;
  std::deque<std::vector<int64_t>> int_lists_;
  std::deque<std::vector<double>> float_lists_;
  std::deque<std::vector<uint8_t>> bool_lists_;
};

// An argument as Python spells it. Raises if a tensor cannot be wrapped.
nanobind::object to_python(const TensorCrossing& crossing, const AtenArg& arg);

// Raises if a tensor cannot be wrapped.
nanobind::object to_python(const TensorCrossing& crossing, AtenValue value);

}  // namespace nfx
