#include "python/aten_module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "python/aten_values.h"
#include "runtime/aten_call.h"
#include "runtime/aten_pool.h"

namespace nfx {
namespace nb = nanobind;
namespace {

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().str());
  return std::move(*result);
}

// A call as Python drives it: every argument is converted, each time.
class PyAtenCall {
 public:
  PyAtenCall(const std::string& schema, bool slow_crossing)
      : call_(checked(AtenCall::create(schema))), crossing_(*checked(TensorCrossing::get())) {
    if (slow_crossing) crossing_ = crossing_.slow_copy();
  }

  nb::object run(const nb::args& positional, const nb::kwargs& named) const {
    AtenArgHolder holder(crossing_);
    const std::vector<AtenArg> args = convert(holder, positional, named);
    std::vector<AtenValue> results(call_.result_count());
    checked(run_unlocked(args, results));
    if (results.size() == 1) return to_python(crossing_, std::move(results[0]));
    nb::list list;
    for (AtenValue& result : results) list.append(to_python(crossing_, std::move(result)));
    return nb::tuple(list);
  }

  // Nanoseconds a run, results dropped.
  double measure(int64_t repeat, const nb::tuple& positional, const nb::dict& named) const {
    AtenArgHolder holder(crossing_);
    const std::vector<AtenArg> args = convert(holder, positional, named);
    std::vector<AtenValue> results(call_.result_count());
    const auto start = std::chrono::steady_clock::now();
    {
      const nb::gil_scoped_release unlocked;
      const AtenNoGrad no_grad;
      for (int64_t i = 0; i < repeat; ++i) checked(call_.run(args, results));
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / static_cast<double>(repeat);
  }

  std::string path() const {
    constexpr const char* kNames[] = {"dispatcher", "shim", "item", "vectorcall"};
    return kNames[static_cast<size_t>(call_.path())];
  }
  std::string why() const { return std::string(call_.why()); }
  std::string schema() const { return call_.schema().str(); }

 private:
  std::vector<AtenArg> convert(AtenArgHolder& holder, const nb::tuple& positional,
                               const nb::dict& named) const {
    const Schema& schema = call_.schema();
    std::vector<AtenArg> args = call_.default_args();
    if (positional.size() > args.size()) throw nb::type_error("too many arguments");
    for (size_t i = 0; i < positional.size(); ++i) {
      args[i] = holder.convert(schema.args[i].type, positional[i]);
    }
    for (auto [key, value] : named) {
      const auto index = schema.arg_index(nb::cast<std::string>(key));
      if (!index) throw nb::type_error("no argument of this name");
      args[*index] = holder.convert(schema.args[*index].type, value);
    }
    return args;
  }

  Status run_unlocked(std::span<const AtenArg> args, std::span<AtenValue> results) const {
    const nb::gil_scoped_release unlocked;
    const AtenNoGrad no_grad;
    return call_.run(args, results);
  }

  AtenCall call_;
  TensorCrossing crossing_;
};

nb::object strided_view(nb::handle base, const std::vector<int64_t>& sizes,
                        const std::vector<int64_t>& strides, int64_t offset) {
  const TensorCrossing& crossing = *checked(TensorCrossing::get());
  AtenTensor keep;
  const AtenHandle handle = crossing.borrow(base.ptr(), keep);
  AtenTensor view = checked(AtenTensor::as_strided(handle, sizes, strides, offset));
  return to_python(crossing, std::move(view));
}

nb::dict crossing_report() {
  const TensorCrossing* crossing = checked(TensorCrossing::get());
  nb::dict report;
  report["borrow"] = crossing->borrows_fast();
  report["wrap"] = crossing->wraps_fast();
  report["pool"] = AtenPool::get() != nullptr;
  return report;
}

}  // namespace

void bind_aten(nb::module_& m) {
  nb::class_<PyAtenCall>(m, "AtenCall",
                         "One operator overload, called through PyTorch's stable C ABI.")
      .def(nb::init<const std::string&, bool>(), nb::arg("schema"),
           nb::arg("slow_crossing") = false)
      .def("__call__", &PyAtenCall::run)
      .def("measure", &PyAtenCall::measure, nb::arg("repeat"), nb::arg("args"), nb::arg("kwargs"),
           "Nanoseconds a run over `repeat` runs.")
      .def_prop_ro("path", &PyAtenCall::path)
      .def_prop_ro("why", &PyAtenCall::why, "Why not the dispatcher; empty if it is.")
      .def_prop_ro("schema", &PyAtenCall::schema);
  m.def("tensor_crossing", &crossing_report, "Which crossings of tensors take the fast way.");
  m.def("strided_view", &strided_view, nb::arg("base"), nb::arg("sizes"), nb::arg("strides"),
        nb::arg("offset"), "A view of the same storage, `offset` elements from its start.");
  m.def(
      "parsed_schema", [](const std::string& text) { return checked(parse_schema(text)).str(); },
      nb::arg("text"), "The schema text after parsing and printing it.");
  m.def(
      "check_recorded_schema",
      [](const std::string& recorded, const std::string& running) {
        checked(check_recorded_schema(recorded, running));
      },
      nb::arg("recorded"), nb::arg("running"));
  m.def("aten_num_threads", [] { return checked(AtenAbi::get()), aten_num_threads(); });
}

}  // namespace nfx
