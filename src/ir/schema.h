// The signature of an operator, read from the text that PyTorch prints for it:
//
//   aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
//
// The text tells argument types, defaults, which arguments may alias which
// results, and what is written.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.h"

namespace nfx {

// What one value (or one element of a list) is.
enum class SchemaKind : uint8_t {
  kTensor,
  kInt,
  kFloat,
  kBool,
  kComplex,
  kScalar,  // int, float, bool or complex: `Scalar`
  kString,
  kDtype,  // `ScalarType`
  kDevice,
  kLayout,
  kMemoryFormat,
  kGenerator,
  kOther,  // dictionaries, tuples, classes, type variables, ...
};

struct SchemaType {
  SchemaKind kind = SchemaKind::kOther;
  bool symbolic = false;          // `SymInt`, `SymFloat`, `SymBool`
  bool list = false;              // `T[]`; nested lists are kOther
  int list_size = 0;              // N of `T[N]`, where one value stands for N equal ones
  bool element_optional = false;  // `T?[]`
  bool optional = false;          // `T?`, `T[]?`
  std::string text;               // as spelled, without the alias annotation
};

// The alias annotation `(a! -> *)`. An argument and a result that share a set
// may share memory; without a write that is "may", never "must".
struct SchemaAlias {
  std::string before;        // "a", "a|b" or "*"; empty without annotation
  std::string after;         // differs from `before` only where `->` is written
  bool write = false;        // `!`
  bool inside_list = false;  // `Tensor(a)[]` rather than `Tensor[](a)`
  explicit operator bool() const { return !before.empty(); }
};

struct NoneDefault {};
using SchemaDefault = std::variant<NoneDefault, bool, int64_t, double, std::string,
                                   std::vector<uint8_t>, std::vector<int64_t>, std::vector<double>>;

struct SchemaArg {
  std::string name;  // may be empty for a result
  SchemaType type;
  SchemaAlias alias;
  std::string default_text;                    // as spelled; empty without a default
  std::optional<SchemaDefault> default_value;  // nothing without a default
  bool kwarg_only = false;
};

struct Schema {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor"; empty for `default`
  std::vector<SchemaArg> args;
  std::vector<SchemaArg> results;
  bool vararg = false;     // takes any further arguments: `...`
  bool varresult = false;  // gives any number of results: `-> ...`

  std::optional<size_t> arg_index(std::string_view arg_name) const;
  bool writes() const;         // some argument is written
  bool returns_alias() const;  // some result may share memory with an argument

  // The same text that it was parsed from.
  std::string str() const;
};

// Errors: `bad-schema`, with the column at which the text stops making sense.
Result<Schema> parse_schema(std::string_view text);

}  // namespace nfx
