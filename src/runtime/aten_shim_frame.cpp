#include "runtime/aten_shim_frame.h"

#include <bit>
#include <cstring>
#include <utility>

namespace nfx {
namespace {

using Word = uint64_t;

template <size_t... kIndex>
AtenError call_words(void* function, const Word* w, const double* r,
                     std::index_sequence<kIndex...>) {
  using Function = AtenError (*)(decltype((void)kIndex, Word())..., double, double, double, double,
                                 double, double, double, double);
  return reinterpret_cast<Function>(function)(w[kIndex]..., r[0], r[1], r[2], r[3], r[4], r[5],
                                              r[6], r[7]);
}

bool is_real(SchemaKind kind) { return kind == SchemaKind::kFloat || kind == SchemaKind::kScalar; }

// The value of an argument as a double, for `float` and `Scalar`.
bool real_value(const AtenArg& arg, double& value) {
  if (arg.kind == AtenArgKind::kFloat) {
    value = arg.real;
    return true;
  }
  value = static_cast<double>(arg.integer);
  return arg.kind == AtenArgKind::kInt || arg.kind == AtenArgKind::kBool;
}

// The value of an argument that is one integer word.
bool integer_value(SchemaKind kind, const AtenArg& arg, Word& value) {
  value = static_cast<Word>(arg.integer);
  switch (arg.kind) {
    case AtenArgKind::kTensor:
      value = reinterpret_cast<uintptr_t>(arg.tensor);
      return kind == SchemaKind::kTensor;
    case AtenArgKind::kInt:
    case AtenArgKind::kBool: return kind == SchemaKind::kInt || kind == SchemaKind::kBool;
    case AtenArgKind::kDtype: return kind == SchemaKind::kDtype;
    case AtenArgKind::kLayout: return kind == SchemaKind::kLayout;
    case AtenArgKind::kMemoryFormat: return kind == SchemaKind::kMemoryFormat;
    default: return false;
  }
}

}  // namespace

bool ShimFrame::takes(const SchemaType& type) {
  if (type.list) {
    switch (type.kind) {
      case SchemaKind::kTensor: return !type.optional;
      case SchemaKind::kInt:
      case SchemaKind::kFloat: return !type.element_optional;
      case SchemaKind::kBool: return !type.element_optional && !type.optional;
      default: return false;
    }
  }
  switch (type.kind) {
    case SchemaKind::kComplex:
    case SchemaKind::kOther: return false;
    case SchemaKind::kGenerator: return type.optional;
    default: return true;
  }
}

bool ShimFrame::word(Word value) {
  if (word_count_ == kMaxWords) return false;
  words_[word_count_++] = value;
  return true;
}

bool ShimFrame::real(double value) {
  if (real_count_ == kMaxReals) return false;
  reals_[real_count_++] = value;
  return true;
}

uint64_t* ShimFrame::cells(size_t count) {
  if (count > kMaxCells - cell_count_) return nullptr;
  Word* first = &cells_[cell_count_];
  cell_count_ += count;
  return first;
}

bool ShimFrame::cell_pointer(Word value) {
  Word* cell = cells(1);
  if (cell == nullptr) return false;
  *cell = value;
  return pointer(cell);
}

bool ShimFrame::push(const SchemaType& type, const AtenArg& arg) {
  if (arg.kind == AtenArgKind::kNone) return push_none(type);
  if (type.list) return push_list(type, arg);
  if (type.kind == SchemaKind::kString) return push_text(type, arg);
  return push_single(type, arg);
}

bool ShimFrame::push_none(const SchemaType& type) {
  if (!type.optional) return false;
  const bool two_words = type.list || type.kind == SchemaKind::kDevice;
  return word(0) && (!two_words || word(0));
}

bool ShimFrame::push_single(const SchemaType& type, const AtenArg& arg) {
  if (is_real(type.kind)) {
    double value = 0;
    if (!real_value(arg, value)) return false;
    return type.optional ? cell_pointer(std::bit_cast<Word>(value)) : real(value);
  }
  if (type.kind == SchemaKind::kDevice) {
    if (arg.kind != AtenArgKind::kDevice) return false;
    const auto device = static_cast<uint32_t>(arg.device.type);
    const bool pushed = type.optional ? cell_pointer(device) : word(device);
    return pushed && word(static_cast<uint32_t>(arg.device.index));
  }
  Word value = 0;
  if (!integer_value(type.kind, arg, value)) return false;
  return type.optional ? cell_pointer(value) : word(value);
}

bool ShimFrame::push_text(const SchemaType& type, const AtenArg& arg) {
  if (arg.kind != AtenArgKind::kString || text_count_ == texts_.size()) return false;
  std::string& text = texts_[text_count_++];
  text = arg.text();  // C strings end with a zero, views need not
  return type.optional ? cell_pointer(reinterpret_cast<uintptr_t>(text.c_str()))
                       : pointer(text.c_str());
}

bool ShimFrame::push_list_data(const SchemaType& type, const void* data, size_t size) {
  const bool pushed =
      type.optional ? cell_pointer(reinterpret_cast<uintptr_t>(data)) : pointer(data);
  return pushed && word(size);
}

bool ShimFrame::push_list(const SchemaType& type, const AtenArg& arg) {
  switch (arg.kind) {
    case AtenArgKind::kTensorList:
      if (type.kind != SchemaKind::kTensor) return false;
      if (type.element_optional) return push_optional_tensors(arg);
      for (const AtenHandle item : arg.items<AtenHandle>()) {
        if (item == nullptr) return false;
      }
      return push_list_data(type, arg.sequence.data, arg.sequence.size);
    case AtenArgKind::kIntList:
      if (type.kind != SchemaKind::kInt) return false;
      return push_list_data(type, arg.sequence.data, arg.sequence.size);
    case AtenArgKind::kFloatList:
      if (type.kind != SchemaKind::kFloat) return false;
      return push_list_data(type, arg.sequence.data, arg.sequence.size);
    case AtenArgKind::kBoolList: {
      Word* cells_of_list = cells((arg.sequence.size + 1) / 2);
      if (type.kind != SchemaKind::kBool || cells_of_list == nullptr) return false;
      for (size_t i = 0; i < arg.sequence.size; ++i) {  // two 32-bit truth values a cell
        const int32_t value = arg.items<uint8_t>()[i];
        std::memcpy(reinterpret_cast<char*>(cells_of_list) + i * sizeof value, &value,
                    sizeof value);
      }
      return push_list_data(type, cells_of_list, arg.sequence.size);
    }
    case AtenArgKind::kInt: {  // one number for all of `int[N]`
      const size_t size = type.list_size > 0 ? static_cast<size_t>(type.list_size) : 1;
      Word* values = cells(size);
      if (type.kind != SchemaKind::kInt || values == nullptr) return false;
      for (size_t i = 0; i < size; ++i) values[i] = static_cast<Word>(arg.integer);
      return push_list_data(type, values, size);
    }
    default: return false;
  }
}

// `Tensor?[]` crosses as an array of pointers to handles.
bool ShimFrame::push_optional_tensors(const AtenArg& arg) {
  const auto handles = arg.items<AtenHandle>();
  Word* pointers = cells(handles.size());
  if (pointers == nullptr) return false;
  for (size_t i = 0; i < handles.size(); ++i) {
    pointers[i] = handles[i] == nullptr ? 0 : reinterpret_cast<uintptr_t>(&handles[i]);
  }
  return pointer(pointers) && word(handles.size());
}

bool ShimFrame::push_result(uint64_t* place) { return pointer(place); }

AtenError ShimFrame::call(void* function) const {
  const Word* w = words_.data();
  const double* r = reals_.data();
  if (word_count_ <= 8) return call_words(function, w, r, std::make_index_sequence<8>());
  if (word_count_ <= 16) return call_words(function, w, r, std::make_index_sequence<16>());
  return call_words(function, w, r, std::make_index_sequence<kMaxWords>());
}

}  // namespace nfx
