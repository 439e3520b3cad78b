// The arguments of one C function, laid out for a call whose signature is known
// only at run time.
//
// The C ABIs of Linux on x86-64 and AArch64 hand integers and pointers over in
// integer registers and then in order on the stack, and up to eight doubles in
// registers of their own, wherever in the signature they stand. So a call with
// all integers first and eight doubles behind them reaches the right places of
// any signature with at most eight doubles; surplus words are ignored.
#pragma once
#include <array>
#include <string>

#include "ir/schema.h"
#include "runtime/aten_arg.h"

namespace nfx {

class ShimFrame {
 public:
  static constexpr size_t kMaxWords = 32;
  static constexpr size_t kMaxReals = 8;
  static constexpr size_t kMaxCells = 64;
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  static constexpr bool kCallable = true;
#else
  static constexpr bool kCallable = false;
#endif

  // Whether an argument of this type has a place in such a signature.
  static bool takes(const SchemaType& type);

  // Appends an argument. False if it does not fit its type or the frame.
  bool push(const SchemaType& type, const AtenArg& arg);

  // Appends a pointer through which the function returns 64 bits.
  bool push_result(uint64_t* place);

  AtenError call(void* function) const;

 private:
  bool word(uint64_t value);
  bool real(double value);
  bool pointer(const void* value) { return word(reinterpret_cast<uintptr_t>(value)); }
  uint64_t* cells(size_t count);
  bool cell_pointer(uint64_t value);  // a word that points at a cell with `value`
  bool push_none(const SchemaType& type);
  bool push_single(const SchemaType& type, const AtenArg& arg);
  bool push_text(const SchemaType& type, const AtenArg& arg);
  bool push_list(const SchemaType& type, const AtenArg& arg);
  bool push_list_data(const SchemaType& type, const void* data, size_t size);
  bool push_optional_tensors(const AtenArg& arg);

  std::array<uint64_t, kMaxWords> words_{};
  std::array<double, kMaxReals> reals_{};
  std::array<uint64_t, kMaxCells> cells_;
  std::array<std::string, 2> texts_;
  size_t word_count_ = 0;
  size_t real_count_ = 0;
  size_t cell_count_ = 0;
  size_t text_count_ = 0;
};

}  // namespace nfx
