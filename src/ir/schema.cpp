#include "ir/schema.h"

namespace nfx {
namespace {

void append_alias(std::string& out, const SchemaAlias& alias) {
  out += '(';
  out += alias.before;
  if (alias.write) out += '!';
  if (alias.after != alias.before) out += " -> " + alias.after;
  out += ')';
}

// The type with its annotation in the place where it was spelled: behind the
// element of `Tensor(a)[]`, otherwise behind the list but before `?`.
std::string type_text(const SchemaArg& arg) {
  const std::string& text = arg.type.text;
  if (!arg.alias) return text;
  size_t place = text.size();
  if (arg.alias.inside_list) {
    place = text.find('[');
  } else if (arg.type.optional) {
    place -= 1;
  }
  std::string out = text.substr(0, place);
  append_alias(out, arg.alias);
  return out + text.substr(place);
}

std::string arg_text(const SchemaArg& arg) {
  std::string out = type_text(arg);
  if (!arg.name.empty()) out += " " + arg.name;
  if (arg.default_value) out += "=" + arg.default_text;
  return out;
}

std::string args_text(const Schema& schema) {
  std::string out;
  bool star = false;
  const auto separate = [&] {
    if (!out.empty()) out += ", ";
  };
  for (const SchemaArg& arg : schema.args) {
    separate();
    if (arg.kwarg_only && !star) {
      out += "*, ";
      star = true;
    }
    out += arg_text(arg);
  }
  if (schema.vararg) {
    separate();
    out += "...";
  }
  return out;
}

std::string results_text(const Schema& schema) {
  if (schema.varresult) return "...";
  // A lone result needs parentheses when it is itself a tuple.
  const auto& results = schema.results;
  const bool bare = results.size() == 1 && !results[0].type.text.starts_with('(');
  if (bare) return arg_text(results[0]);
  std::string out = "(";
  for (size_t i = 0; i < results.size(); ++i) {
    if (i != 0) out += ", ";
    out += arg_text(results[i]);
  }
  return out + ")";
}

// Whether two alias sets such as "a|b" and "a" have a name in common.
bool sets_meet(std::string_view a, std::string_view b) {
  if (a == "*" || b == "*") return !a.empty() && !b.empty();
  for (const char name : a) {
    if (name != '|' && b.find(name) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<size_t> Schema::arg_index(std::string_view arg_name) const {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].name == arg_name) return i;
  }
  return std::nullopt;
}

bool Schema::writes() const {
  for (const SchemaArg& arg : args) {
    if (arg.alias.write) return true;
  }
  return false;
}

bool Schema::returns_alias() const {
  for (const SchemaArg& result : results) {
    for (const SchemaArg& arg : args) {
      if (sets_meet(result.alias.before, arg.alias.before)) return true;
      if (sets_meet(result.alias.before, arg.alias.after)) return true;
    }
  }
  return false;
}

std::string Schema::str() const {
  std::string out = name;
  if (!overload.empty()) out += "." + overload;
  return out + "(" + args_text(*this) + ") -> " + results_text(*this);
}

}  // namespace nfx
