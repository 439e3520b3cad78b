#include <cctype>
#include <charconv>

#include "ir/schema.h"

namespace nfx {
namespace {

struct BadSchema {
  static constexpr std::string_view kCode = "bad-schema";
  std::string text;
  std::string expected;
  std::string message() const {
    return "the operator schema `" + text + "` cannot be read: expected " + expected;
  }
  std::string help() const {
    return "write it as PyTorch prints it: `ns::name.overload(Type arg=default) -> Type`";
  }
};
NFX_DIAGNOSTIC(BadSchema);

// How deep types may nest; a bound for hostile text.
constexpr int kMaxDepth = 32;

struct KindName {
  std::string_view name;
  SchemaKind kind;
  bool symbolic;
};
constexpr KindName kKindNames[] = {
    {"Tensor", SchemaKind::kTensor, false},
    {"int", SchemaKind::kInt, false},
    {"SymInt", SchemaKind::kInt, true},
    {"float", SchemaKind::kFloat, false},
    {"SymFloat", SchemaKind::kFloat, true},
    {"bool", SchemaKind::kBool, false},
    {"SymBool", SchemaKind::kBool, true},
    {"complex", SchemaKind::kComplex, false},
    {"Scalar", SchemaKind::kScalar, false},
    {"str", SchemaKind::kString, false},
    {"ScalarType", SchemaKind::kDtype, false},
    {"Device", SchemaKind::kDevice, false},
    {"Layout", SchemaKind::kLayout, false},
    {"MemoryFormat", SchemaKind::kMemoryFormat, false},
    {"Generator", SchemaKind::kGenerator, false},
};

bool is_generic(std::string_view base) {
  return base == "Dict" || base == "Future" || base == "RRef" || base == "Await" ||
         base == "Union" || base == "Tuple" || base == "Optional" || base == "List";
}

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {}

  Result<Schema> parse() {
    NFX_TRY(parse_name());
    NFX_TRY(parse_args());
    if (!take(" -> ") && !take("->")) return fail("`->`");
    NFX_TRY(parse_results());
    if (pos_ != text_.size()) return fail("the end");
    return std::move(schema_);
  }

 private:
  Diagnostic fail(std::string expected) const {
    Place place;
    place.line = 1;
    place.column = static_cast<int>(pos_) + 1;
    return diagnose(BadSchema{std::string(text_), std::move(expected)}, std::move(place));
  }

  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  bool take(std::string_view token) {
    if (!text_.substr(pos_).starts_with(token)) return false;
    pos_ += token.size();
    return true;
  }
  void skip_spaces() {
    while (peek() == ' ') ++pos_;
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string_view take_word(bool dots = false) {
    const size_t start = pos_;
    while (is_word(peek()) || (dots && peek() == '.')) ++pos_;
    return text_.substr(start, pos_ - start);
  }

  Status parse_name() {
    const std::string_view ns = take_word();
    if (ns.empty() || !take("::")) return fail("`namespace::name`");
    const std::string_view base = take_word();
    if (base.empty()) return fail("a name behind `::`");
    schema_.name = std::string(ns) + "::" + std::string(base);
    if (take(".")) {
      schema_.overload = std::string(take_word(true));
      if (schema_.overload.empty()) return fail("an overload name behind `.`");
    }
    return success();
  }

  Status parse_args() {
    if (!take("(")) return fail("`(`");
    bool kwarg_only = false;
    if (take(")")) return success();
    while (true) {
      skip_spaces();
      if (take("...")) {
        schema_.vararg = true;
      } else if (!kwarg_only && take("*")) {
        kwarg_only = true;
      } else {
        NFX_ASSIGN(SchemaArg arg, parse_arg());
        if (arg.name.empty()) return fail("an argument name");
        arg.kwarg_only = kwarg_only;
        schema_.args.push_back(std::move(arg));
      }
      if (take(")")) return success();
      if (!take(",")) return fail("`,` or `)`");
    }
  }

  Status parse_results() {
    if (take("...")) {
      schema_.varresult = true;
      return success();
    }
    if (peek() != '(') {
      NFX_ASSIGN(SchemaArg only, parse_arg());
      schema_.results.push_back(std::move(only));
      return success();
    }
    ++pos_;
    if (take(")")) return success();
    while (true) {
      skip_spaces();
      NFX_ASSIGN(SchemaArg result, parse_arg());
      schema_.results.push_back(std::move(result));
      if (take(")")) return success();
      if (!take(",")) return fail("`,` or `)`");
    }
  }

  Result<SchemaArg> parse_arg() {
    SchemaArg arg;
    NFX_TRY(parse_type(arg.type, arg.alias, 0));
    skip_spaces();
    arg.name = std::string(take_word());
    if (take("=")) {
      const size_t start = pos_;
      NFX_ASSIGN(arg.default_value, parse_default(arg.type));
      arg.default_text = std::string(text_.substr(start, pos_ - start));
    }
    return arg;
  }

  Status parse_base(SchemaType& type, SchemaAlias& alias, int depth) {
    if (depth > kMaxDepth) return fail("a type that nests less deep");
    if (peek() == '(') {  // a tuple
      type.text = "(";
      ++pos_;
      return parse_parameters(type, alias, depth);
    }
    const std::string_view base = take_word(true);
    if (base.empty()) return fail("a type");
    type.text = std::string(base);
    for (const KindName& known : kKindNames) {
      if (known.name != base) continue;
      type.kind = known.kind;
      type.symbolic = known.symbolic;
    }
    if (!is_generic(base) || !take("(")) return success();
    type.text += '(';
    return parse_parameters(type, alias, depth);
  }

  // `Key, Value)` of a dictionary, a future or a tuple.
  Status parse_parameters(SchemaType& type, SchemaAlias& alias, int depth) {
    while (true) {
      skip_spaces();
      SchemaType inner;
      NFX_TRY(parse_type(inner, alias, depth + 1));
      type.text += inner.text;
      if (take(")")) break;
      if (!take(",")) return fail("`,` or `)` in a type");
      type.text += ", ";
    }
    type.text += ')';
    return success();
  }

  Status parse_type(SchemaType& type, SchemaAlias& alias, int depth) {
    NFX_TRY(parse_base(type, alias, depth));
    bool annotated_element = false;
    while (true) {
      if (peek() == '(') {
        NFX_TRY(parse_alias(alias));
        annotated_element = !type.list;
      } else if (take("[")) {
        NFX_TRY(parse_list(type));
        alias.inside_list = annotated_element;
      } else if (take("?")) {
        type.optional = true;
        type.text += '?';
      } else {
        return success();
      }
    }
  }

  Status parse_list(SchemaType& type) {
    type.text += '[';
    const char* end = text_.data() + text_.size();
    if (std::isdigit(static_cast<unsigned char>(peek()))) {
      const auto [rest, error] = std::from_chars(text_.data() + pos_, end, type.list_size);
      if (error != std::errc()) return fail("a list size");
      pos_ = static_cast<size_t>(rest - text_.data());
      type.text += std::to_string(type.list_size);
    }
    if (!take("]")) return fail("`]`");
    type.text += ']';
    if (type.list) type.kind = SchemaKind::kOther;
    type.list = true;
    type.element_optional = type.optional;
    type.optional = false;
    return success();
  }

  Status parse_alias(SchemaAlias& alias) {
    ++pos_;
    alias.before = take_alias_set();
    if (alias.before.empty()) return fail("an alias set");
    alias.write = take("!");
    alias.after = alias.before;
    skip_spaces();
    if (take("->")) {
      skip_spaces();
      alias.after = take_alias_set();
    }
    return take(")") ? success() : Status(fail("`)` behind an alias set"));
  }
  std::string take_alias_set() {
    const size_t start = pos_;
    while (is_word(peek()) || peek() == '*' || peek() == '|') ++pos_;
    return std::string(text_.substr(start, pos_ - start));
  }

  Result<SchemaDefault> parse_default(const SchemaType& type) {
    if (peek() == '"') return parse_string();
    if (take("[")) return parse_list_default(type);
    const std::string_view word = take_atom();
    if (word == "None") return SchemaDefault(NoneDefault{});
    if (word == "True") return SchemaDefault(true);
    if (word == "False") return SchemaDefault(false);
    if (int64_t integer = 0; read(word, integer)) {
      if (type.kind == SchemaKind::kFloat) return SchemaDefault(static_cast<double>(integer));
      return SchemaDefault(integer);
    }
    if (double real = 0; read(word, real)) return SchemaDefault(real);
    return fail("a default value");
  }

  std::string_view take_atom() {
    const size_t start = pos_;
    while (pos_ < text_.size() && std::string_view(",)] ").find(peek()) == std::string_view::npos) {
      ++pos_;
    }
    return text_.substr(start, pos_ - start);
  }
  template <class Number>
  static bool read(std::string_view word, Number& value) {
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && rest == end;
  }

  Result<SchemaDefault> parse_list_default(const SchemaType& type) {
    std::vector<uint8_t> bools;
    std::vector<int64_t> ints;
    std::vector<double> floats;
    while (!take("]")) {
      skip_spaces();
      const std::string_view word = take_atom();
      int64_t integer = 0;
      double real = 0;
      if (word == "True" || word == "False") {
        bools.push_back(word == "True" ? 1 : 0);
      } else if (type.kind == SchemaKind::kFloat && read(word, real)) {
        floats.push_back(real);
      } else if (read(word, integer)) {
        ints.push_back(integer);
      } else {
        return fail("a list element");
      }
      take(",");
    }
    if (type.kind == SchemaKind::kBool) return SchemaDefault(std::move(bools));
    if (type.kind == SchemaKind::kFloat) return SchemaDefault(std::move(floats));
    return SchemaDefault(std::move(ints));
  }

  Result<SchemaDefault> parse_string() {
    ++pos_;
    std::string value;
    while (pos_ < text_.size() && text_[pos_] != '"') {
      char c = text_[pos_++];
      if (c == '\\' && pos_ < text_.size()) c = unescape(text_[pos_++]);
      value += c;
    }
    if (!take("\"")) return fail("`\"` at the end of a string");
    return SchemaDefault(std::move(value));
  }
  static char unescape(char c) {
    constexpr std::string_view kNames = "abfnrtv";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
    const size_t index = kNames.find(c);
    return index == std::string_view::npos ? c : kValues[index];
  }

  std::string_view text_;
  size_t pos_ = 0;
  Schema schema_;
};

}  // namespace

Result<Schema> parse_schema(std::string_view text) { return SchemaParser(text).parse(); }

}  // namespace nfx
