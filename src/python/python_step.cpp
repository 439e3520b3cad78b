#include "python/python_step.h"

#include <nanobind/stl/string.h>

#include <exception>
#include <unordered_map>

#include "python/callable_name.h"
#include "python/diagnostic_error.h"
#include "python/eager_error.h"
#include "python/fx_arguments_out.h"
#include "python/module_attributes.h"
#include "python/py_opaque.h"
#include "python/tensor_crossing.h"

namespace nfx::python {
namespace {

struct PythonError {
  static constexpr std::string_view kCode = "python-error";
  std::string what;
  std::string message() const { return "a step that runs in Python failed: " + what; }
  std::string help() const { return "the same call in eager mode fails alike"; }
};
NFX_DIAGNOSTIC(PythonError);

struct NoCallable {
  static constexpr std::string_view kCode = "no-callable";
  std::string target;
  std::string message() const { return "`" + target + "` names nothing that Python can call"; }
  std::string help() const { return "import the module that registers it"; }
};
NFX_DIAGNOSTIC(NoCallable);

// The exception that a step of this thread has met, until the run has ended.
thread_local std::exception_ptr pending_error;

Diagnostic keep_error() {
  pending_error = std::current_exception();
  try {
    throw;
  } catch (const std::exception& error) {
    return diagnose(PythonError{error.what()});
  }
}

nb::object attribute_of(const Graph& graph, nb::handle module, std::string_view path) {
  const auto known = graph.attributes().find(path);
  if (known != graph.attributes().end() && known->second.object) {
    return object_of(graph.context(), known->second.object);
  }
  return module.is_none() ? nb::object() : find_attribute(module, path);
}

nb::object target_of(Node node) {
  nb::object target = object_of(node.graph().context(), node.target_object());
  return target.is_valid() ? target : resolve_callable(node.target());
}

// Calls a node's target with its arguments.
class PythonStep final : public ExternalStep {
 public:
  PythonStep(Node node, nb::object target, const TensorCrossing& crossing, nb::handle module)
      : context_(node.graph().context_ptr()),
        arguments_(node.arguments()),
        type_(node.type_id()),
        target_(std::move(target)),
        crossing_(crossing),
        bound_(node.kind() == NodeKind::kCallMethod) {
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const Node operand = node.operand(i);
      constants_.push_back(operand.kind() == NodeKind::kGetAttr
                               ? attribute_of(node.graph(), module, operand.target())
                               : nb::object());
    }
  }

  ~PythonStep() override {
    const nb::gil_scoped_acquire lock;
    constants_.clear();
    target_.reset();
  }

  Status run(std::span<const StepValue> inputs, std::span<StepValue> results) override {
    const nb::gil_scoped_acquire lock;
    try {
      give(call(inputs), results);
      return success();
    } catch (...) {
      return keep_error();
    }
  }

 private:
  nb::object call(std::span<const StepValue> inputs) {
    std::vector<nb::object> operands;
    std::vector<PyObject*> pointers;
    for (size_t i = 0; i < inputs.size(); ++i) {
      operands.push_back(object_for(inputs[i], constants_[i]));
      pointers.push_back(operands.back().ptr());
    }
    ArgumentWriter writer(*context_, [](SymExprId) -> nb::object {
      throw nb::value_error("a symbolic number reached a Python call");
    });
    const ArgumentWriter::Call call = writer.write_call(arguments_, pointers.data(), true);
    nb::object callee = target_;
    nb::object args = call.args;
    if (bound_) {  // a method of its first argument
      callee = args[0].attr(target_);
      args = args[nb::slice(nb::int_(1), nb::none(), nb::none())];
    }
    PyObject* result = PyObject_Call(callee.ptr(), args.ptr(), call.kwargs.ptr());
    if (result == nullptr) nb::raise_python_error();
    return nb::steal(result);
  }

  nb::object object_for(const StepValue& value, const nb::object& constant) const {
    switch (value.kind) {
      case StepValue::Kind::kNone: break;
      case StepValue::Kind::kTensor: {
        PyObject* tensor = crossing_.wrap(AtenTensor::share(value.tensor));
        if (tensor == nullptr) nb::raise_python_error();
        return nb::steal(tensor);
      }
      case StepValue::Kind::kInt: return nb::int_(value.integer);
      case StepValue::Kind::kBool: return nb::bool_(value.integer != 0);
      case StepValue::Kind::kFloat: return nb::float_(value.real);
    }
    return constant.is_valid() ? constant : nb::object(nb::none());
  }

  void give(const nb::object& result, std::span<StepValue> results) const {
    size_t index = 0;
    give_values(result, type_, results, index);
  }

  // As the type of the node counts its values: tuples in tuples by their elements.
  void give_values(nb::handle result, TypeId id, std::span<StepValue> results,
                   size_t& index) const {
    const Type& type = context_->type(id);
    const bool several = type.kind == TypeKind::kTuple || type.kind == TypeKind::kList;
    if (!several) {
      if (index < results.size()) results[index] = value_of_object(result);
      ++index;
      return;
    }
    if (!PyTuple_Check(result.ptr()) && !PyList_Check(result.ptr())) {
      throw nb::type_error("a call gave one value where its graph has several");
    }
    const size_t given = nb::len(result);
    for (size_t i = 0; i < type.elements.size(); ++i) {
      give_values(i < given ? nb::object(result[i]) : nb::none(), type.elements[i], results, index);
    }
  }

  StepValue value_of_object(nb::handle object) const {
    if (object.is_none()) return {};
    if (PyBool_Check(object.ptr())) return StepValue::of_bool(object.is(nb::handle(Py_True)));
    if (PyLong_Check(object.ptr())) return StepValue::of_int(nb::cast<int64_t>(object));
    if (PyFloat_Check(object.ptr())) return StepValue::of_float(PyFloat_AS_DOUBLE(object.ptr()));
    if (!crossing_.is_tensor(object.ptr())) return {};
    AtenTensor keep;
    const AtenHandle handle = crossing_.borrow(object.ptr(), keep);
    if (handle == nullptr) nb::raise_python_error();
    return StepValue::of_tensor(AtenTensor::share(handle).release());
  }

  std::shared_ptr<Context> context_;
  ArgId arguments_;
  TypeId type_;
  nb::object target_;
  const TensorCrossing& crossing_;
  std::vector<nb::object> constants_;  // by operand: what is no value of a run
  bool bound_;
};

// Schemas of overloads, which live as long as PyTorch does.
std::string schema_of(nb::handle target) {
  static auto* const known = new std::unordered_map<PyObject*, std::string>;
  const auto found = known->find(target.ptr());
  if (found != known->end()) return found->second;
  std::string text;
  if (nb::hasattr(target, "_schema") && nb::hasattr(target, "_overloadname")) {
    text = nb::cast<std::string>(nb::str(nb::object(target.attr("_schema"))));
    nb::borrow(target).release();  // the key stays this object
    known->emplace(target.ptr(), text);
  }
  return text;
}

}  // namespace

CompileHooks python_hooks(nb::object module) {
  CompileHooks hooks;
  hooks.schema = [](Node node) -> std::string {
    const nb::object target = target_of(node);
    return target.is_valid() ? schema_of(target) : std::string();
  };
  hooks.interpret = [module](Node node) -> Result<std::unique_ptr<ExternalStep>> {
    NFX_ASSIGN(const TensorCrossing* crossing, TensorCrossing::get());
    nb::object target;
    if (node.kind() == NodeKind::kCallMethod) {
      target = py_text(node.target());
    } else if (node.kind() == NodeKind::kCallModule) {
      target = attribute_of(node.graph(), module, node.target());
    } else {
      target = target_of(node);
    }
    if (!target.is_valid()) return diagnose(NoCallable{std::string(node.target())});
    return std::unique_ptr<ExternalStep>(
        std::make_unique<PythonStep>(node, std::move(target), *crossing, module));
  };
  hooks.failed = [](const AtenCall& call, std::span<const AtenArg> args) {
    if (std::exception_ptr error = eager_error(call, args)) pending_error = std::move(error);
  };
  hooks.constant = [module](Node node) -> AtenTensor {
    const Result<const TensorCrossing*> crossing = TensorCrossing::get();
    const nb::object object = attribute_of(node.graph(), module, node.target());
    if (!crossing || !object.is_valid() || !(*crossing)->is_plain(object.ptr())) return {};
    AtenTensor keep;
    const AtenHandle handle = (*crossing)->borrow(object.ptr(), keep);
    if (handle == nullptr) nb::raise_python_error();
    return AtenTensor::share(handle);
  };
  return hooks;
}

void raise_run_failure(const Diagnostic& diagnostic) {
  if (std::exception_ptr error = std::exchange(pending_error, nullptr)) {
    std::rethrow_exception(error);
  }
  if (diagnostic.code == "pytorch-error") throw std::runtime_error(diagnostic.message);
  raise(diagnostic);
}

}  // namespace nfx::python
