#include "compiler/call_arguments.h"

#include <array>

namespace nfx {
namespace {

std::string_view without_prefix(std::string_view text) {
  constexpr std::string_view kPrefix = "torch.";
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

template <size_t N>
std::optional<int> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

// c10::Layout and c10::MemoryFormat in their order.
constexpr std::array<std::string_view, 4> kLayouts = {"strided", "sparse_coo", "sparse_csr",
                                                      "_mkldnn"};
constexpr std::array<std::string_view, 4> kMemoryFormats = {"contiguous_format", "preserve_format",
                                                            "channels_last", "channels_last_3d"};

// Whether an argument that is one value, or an item of a list, can cross. A
// number in place of a tensor cannot: Python makes a tensor of it that counts
// less in type promotion.
bool item_crosses(const Context& context, const SchemaType& type, ArgumentView item) {
  const bool wants_tensor = type.kind == SchemaKind::kTensor;
  switch (item.kind()) {
    case ArgKind::kNone: return true;
    case ArgKind::kHole: {
      const TypeKind kind = item.node().type().kind;
      if (kind == TypeKind::kScalar) return !wants_tensor;
      return kind == TypeKind::kTensor || kind == TypeKind::kNone;
    }
    case ArgKind::kSym: return !wants_tensor;
    default: return !wants_tensor && constant_argument(context, item.arg()).has_value();
  }
}

bool list_crosses(const Context& context, const SchemaType& type, ArgumentView list) {
  if (!type.list || !list_kind(type)) return false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!item_crosses(context, type, list.child(i))) return false;
  }
  return true;
}

// An argument of the kind that a run will bring.
AtenArg stand_in(const Context& context, ArgumentView argument) {
  if (argument.kind() == ArgKind::kSym) return AtenArg::of_int(0);
  if (!argument.is_node()) return *constant_argument(context, argument.arg());
  const Type& type = argument.node().type();
  if (type.kind != TypeKind::kScalar) return AtenArg::none();
  if (type.dtype == Dtype::kFloat64) return AtenArg::of_float(0);
  return type.dtype == Dtype::kBool ? AtenArg::boolean(false) : AtenArg::of_int(0);
}

AtenArg empty_list(const SchemaType& type) {
  switch (*list_kind(type)) {
    case AtenArgKind::kTensorList: return AtenArg::tensors({});
    case AtenArgKind::kFloatList: return AtenArg::floats({});
    case AtenArgKind::kBoolList: return AtenArg::bools({});
    default: return AtenArg::ints({});
  }
}

std::vector<Dtype> tensor_dtypes(Node node) {
  std::vector<Dtype> dtypes;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    const Type& type = node.operand(i).type();
    if (type.kind == TypeKind::kTensor) dtypes.push_back(type.dtype);
  }
  return dtypes;
}

}  // namespace

ArgumentView call_argument(Node node, const Schema& schema, size_t position) {
  const SchemaArg& formal = schema.args[position];
  if (!formal.kwarg_only && position < num_positional(node)) return positional(node, position);
  return keyword(node, formal.name);
}

std::optional<AtenArg> constant_argument(const Context& context, const Arg& arg) {
  switch (arg.kind) {
    case ArgKind::kNone: return AtenArg::none();
    case ArgKind::kBool: return AtenArg::boolean(arg.integer != 0);
    case ArgKind::kInt: return AtenArg::of_int(arg.integer);
    case ArgKind::kFloat: return AtenArg::of_float(arg.real);
    case ArgKind::kComplex: return AtenArg::of_complex(arg.real, arg.imag);
    case ArgKind::kString: return AtenArg::string(context.text(arg.text));
    case ArgKind::kDtype: return AtenArg::dtype(arg.dtype);
    case ArgKind::kDevice: {
      if (context.text(arg.text) != "cpu") return std::nullopt;
      return AtenArg::of_device(0);
    }
    case ArgKind::kLayout: {
      const auto code = index_of(kLayouts, without_prefix(context.text(arg.text)));
      if (!code) return std::nullopt;
      return AtenArg::layout(*code);
    }
    case ArgKind::kMemoryFormat: {
      const auto code = index_of(kMemoryFormats, without_prefix(context.text(arg.text)));
      if (!code) return std::nullopt;
      return AtenArg::memory_format(*code);
    }
    default: return std::nullopt;
  }
}

std::optional<AtenArgKind> list_kind(const SchemaType& type) {
  switch (type.kind) {
    case SchemaKind::kTensor: return AtenArgKind::kTensorList;
    case SchemaKind::kInt: return AtenArgKind::kIntList;
    case SchemaKind::kFloat: return AtenArgKind::kFloatList;
    case SchemaKind::kBool: return AtenArgKind::kBoolList;
    default: return std::nullopt;
  }
}

std::string argument_problem(Node node, const AtenCall& call) {
  const Context& context = node.graph().context();
  const Schema& schema = call.schema();
  std::vector<AtenArg> args = call.default_args();
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const ArgumentView argument = call_argument(node, schema, i);
    if (!argument) continue;
    const ArgKind kind = argument.kind();
    const bool list = kind == ArgKind::kTuple || kind == ArgKind::kList || kind == ArgKind::kSize;
    const bool crosses = list ? list_crosses(context, schema.args[i].type, argument)
                              : item_crosses(context, schema.args[i].type, argument);
    if (!crosses) return "argument `" + schema.args[i].name + "` does not cross the C ABI";
    args[i] = list ? empty_list(schema.args[i].type) : stand_in(context, argument);
  }
  const Status native = call.supports(args, tensor_dtypes(node));
  return native ? std::string() : native.error().message;
}

}  // namespace nfx
