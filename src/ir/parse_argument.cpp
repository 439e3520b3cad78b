#include <algorithm>

#include "ir/parser.h"
#include "ir/spelling.h"

namespace nfx {
namespace {

struct UnknownNode {
  static constexpr std::string_view kCode = "unknown-node";
  std::string name;
  std::string message() const { return "node `%" + name + "` is not defined above this line"; }
  std::string help() const { return "a node stands below the nodes that it uses"; }
};
NFX_DIAGNOSTIC(UnknownNode);

struct UnknownArgument {
  static constexpr std::string_view kCode = "unknown-argument";
  std::string word;
  std::string message() const { return "`" + word + "` is no argument"; }
  std::string help() const {
    return "text is quoted, a node is `%name`, a subgraph `@name`, a dtype `dtype(float32)`";
  }
};
NFX_DIAGNOSTIC(UnknownArgument);

struct MisplacedKeyword {
  static constexpr std::string_view kCode = "misplaced-keyword";
  std::string message() const {
    return "an argument without a keyword stands behind one with a keyword";
  }
  std::string help() const { return "write keyword arguments last"; }
};
NFX_DIAGNOSTIC(MisplacedKeyword);

struct DuplicateKeyword {
  static constexpr std::string_view kCode = "duplicate-keyword";
  std::string keyword;
  std::string message() const { return "keyword `" + keyword + "` is given twice"; }
  std::string help() const { return "remove one of them"; }
};
NFX_DIAGNOSTIC(DuplicateKeyword);

// The first key that occurs twice; none if all differ. Keys are every second child.
ArgId repeated_key(const std::vector<ArgId>& keywords) {
  std::vector<ArgId> keys;
  for (size_t i = 0; i < keywords.size(); i += 2) keys.push_back(keywords[i]);
  std::ranges::sort(keys);
  const auto repeated = std::ranges::adjacent_find(keys);
  return repeated == keys.end() ? ArgId{} : *repeated;
}

}  // namespace

// `(a, b, key=c)`; nothing is `()`.
Result<ArgId> Parser::call(Graph& graph) {
  std::vector<ArgId> keywords;
  stack_.clear();
  in_.peek();
  const size_t start = in_.position();
  if (in_.take('(')) {
    while (!in_.take(')')) {
      NFX_TRY(call_argument(graph, keywords));
      if (in_.take(',')) continue;
      NFX_TRY(in_.expect(')'));
      break;
    }
  }
  if (keywords.empty()) return context_->call(stack_);
  if (const ArgId twice = repeated_key(keywords)) {
    const std::string_view text = context_->text(context_->arg(twice).text);
    return diagnose(DuplicateKeyword{std::string(text)}, in_.place(start));
  }
  return context_->call(stack_, context_->sequence(ArgKind::kDict, keywords));
}

Status Parser::call_argument(Graph& graph, std::vector<ArgId>& keywords) {
  in_.peek();
  const size_t start = in_.position();
  ArgId key;
  if (in_.here() == '"') {
    NFX_ASSIGN(const std::string text, in_.string());
    key = context_->string(text);
  } else if (const std::string_view word = in_.word(); !word.empty() && in_.peek() == '=') {
    key = context_->string(word);
  }
  if (!key || !in_.take('=')) {
    key = {};
    in_.rewind(start);
  }
  if (!key && !keywords.empty()) return diagnose(MisplacedKeyword{}, in_.place(start));
  NFX_ASSIGN(const ArgId value, argument(graph, 0));
  if (key) keywords.push_back(key);
  (key ? keywords : stack_).push_back(value);
  return success();
}

// A value, with the handle of the Python object that it came from, if any.
Result<ArgId> Parser::argument(Graph& graph, int depth) {
  NFX_TRY(too_deep(depth));
  NFX_ASSIGN(const ArgId plain, plain_argument(graph, depth));
  if (in_.peek() != '#') return plain;
  Arg arg = context_->arg(plain);
  if (arg.kind == ArgKind::kHole || arg.opaque) return in_.expected("`,` or a closing bracket");
  std::string expected_label;
  if (arg.kind == ArgKind::kSym) expected_label = print_sym(*context_, arg.sym);
  NFX_ASSIGN(arg.opaque, handle(expected_label));
  return context_->intern(arg);
}

Result<ArgId> Parser::plain_argument(Graph& graph, int depth) {
  const char next = in_.peek();
  switch (next) {
    case '%': return hole(graph);
    case '(': in_.skip(1); return sequence(graph, {.kind = ArgKind::kTuple}, ')', depth);
    case '[': in_.skip(1); return sequence(graph, {.kind = ArgKind::kList}, ']', depth);
    case '{': in_.skip(1); return dict(graph, false, depth);
    case '"': {
      NFX_ASSIGN(const std::string text, in_.string());
      return context_->string(text);
    }
    case '@': in_.skip(1); return text_argument(ArgKind::kGraph);
    default: break;
  }
  if ((next >= '0' && next <= '9') || next == '-' || in_.next_is("inf") || in_.next_is("nan")) {
    return number();
  }
  return word_argument(graph, depth);
}

Result<ArgId> Parser::word_argument(Graph& graph, int depth) {
  in_.peek();
  const size_t start = in_.position();
  const std::string_view word = in_.word();
  const auto open = [&](char c) { return in_.here() == c && (in_.skip(1), true); };
  if (word == "None") return context_->none();
  if (word == "True") return context_->boolean(true);
  if (word == "False") return context_->boolean(false);
  if (word == "...") return context_->intern(Arg{.kind = ArgKind::kEllipsis});
  if (word == "named") return named_tuple(graph, depth);
  if (word == "list" && open('[')) {
    return sequence(graph, {.kind = ArgKind::kList, .is_mutable = true}, ']', depth);
  }
  if (word == "dict" && open('{')) return dict(graph, true, depth);
  if (word == "Size" && open('(')) return sequence(graph, {.kind = ArgKind::kSize}, ')', depth);
  if (word == "slice" && open('(')) return sequence(graph, {.kind = ArgKind::kSlice}, ')', depth);
  if (word == "range" && open('(')) return sequence(graph, {.kind = ArgKind::kRange}, ')', depth);
  if (word == "dtype") return dtype_argument();
  if (word == "device") return text_argument(ArgKind::kDevice);
  if (word == "layout") return text_argument(ArgKind::kLayout);
  if (word == "memory_format") return text_argument(ArgKind::kMemoryFormat);
  if (word == "complex") return complex();
  if (word == "sym") return symbolic();
  if (word == "op") return op_value();
  in_.rewind(start);
  if (word == "opaque") {
    NFX_ASSIGN(const OpaqueId id, opaque());
    return context_->intern(Arg{.kind = ArgKind::kOpaque, .opaque = id});
  }
  if (word.empty()) return in_.expected("an argument");
  return diagnose(UnknownArgument{std::string(word)}, in_.place(start));
}

Result<ArgId> Parser::hole(Graph& graph) {
  in_.skip(1);
  const size_t start = in_.position();
  NFX_ASSIGN(const std::string_view name, in_.name());
  const Node node = graph.find(name);
  if (!node) return diagnose(UnknownNode{std::string(name)}, in_.place(start));
  operands_.push_back(node);
  return context_->hole();
}

// An integer, unless a point, an exponent, `inf` or `nan` makes it a float.
Result<ArgId> Parser::number() {
  size_t length = in_.here() == '-' ? 1 : 0;
  while (in_.ahead(length) >= '0' && in_.ahead(length) <= '9') ++length;
  const char stop = in_.ahead(length);
  const bool is_float = stop == '.' || stop == 'e' || stop == 'E' || stop == 'i' || stop == 'n';
  if (is_float) {
    NFX_ASSIGN(const double value, in_.real());
    return context_->real(value);
  }
  NFX_ASSIGN(const int64_t value, in_.integer());
  return context_->integer(value);
}

// Elements behind the opening bracket.
Result<ArgId> Parser::sequence(Graph& graph, Arg arg, char close, int depth) {
  const size_t base = stack_.size();
  while (!in_.take(close)) {
    NFX_ASSIGN(const ArgId child, argument(graph, depth + 1));
    stack_.push_back(child);
    if (in_.take(',')) continue;
    NFX_TRY(in_.expect(close));
    break;
  }
  arg.children = std::span(stack_).subspan(base);
  const bool has_three = arg.kind == ArgKind::kSlice || arg.kind == ArgKind::kRange;
  if (has_three && arg.children.size() != 3) {
    return in_.expected("three arguments in a slice or range");
  }
  const ArgId id = context_->intern(arg);
  stack_.resize(base);
  return id;
}

Result<ArgId> Parser::dict(Graph& graph, bool is_mutable, int depth) {
  const size_t base = stack_.size();
  while (!in_.take('}')) {
    NFX_ASSIGN(const ArgId key, argument(graph, depth + 1));
    stack_.push_back(key);
    NFX_TRY(in_.expect(':'));
    NFX_ASSIGN(const ArgId value, argument(graph, depth + 1));
    stack_.push_back(value);
    if (in_.take(',')) continue;
    NFX_TRY(in_.expect('}'));
    break;
  }
  const ArgId id = context_->intern(Arg{.kind = ArgKind::kDict,
                                        .is_mutable = is_mutable,
                                        .children = std::span(stack_).subspan(base)});
  stack_.resize(base);
  return id;
}

}  // namespace nfx
