#include <algorithm>

#include "ir/context_tables.h"
#include "ir/printer.h"
#include "ir/spelling.h"

namespace nfx {
namespace {

// Collects the symbols that types and arguments of a graph mention. Each type,
// argument and expression is looked at once.
class SymbolFinder {
 public:
  explicit SymbolFinder(Context& context)
      : context_(context),
        types_(context.tables().types.size()),
        args_(context.tables().args.size()) {}

  void graph(const Graph& graph, int depth = 0) {
    for (const Node node : graph.nodes()) {
      if (first_time(types_, node.type_id().value)) type(node.type(), 0);
      argument(node.arguments(), 0);
    }
    for (const auto& [name, attribute] : graph.attributes()) {
      if (attribute.subgraph && depth < kMaxNesting) this->graph(*attribute.subgraph, depth + 1);
    }
  }

  // Sorted by name, for ids depend on what the context met before.
  std::vector<Symbol> take() {
    std::ranges::sort(found_, {}, [&](const Symbol& s) { return context_.text(s.name); });
    return std::move(found_);
  }

 private:
  static bool first_time(std::vector<bool>& seen, uint32_t id) {
    if (id == 0) return false;
    if (id >= seen.size()) seen.resize(id + 1);
    if (seen[id]) return false;
    return seen[id] = true;
  }

  void type(const Type& type, int depth) {
    if (depth > kMaxNesting) return;
    for (const SymExprId size : type.sizes) expression(size);
    for (const SymExprId stride : type.strides) expression(stride);
    expression(type.expr);
    expression(type.storage_offset);
    for (const TypeId element : type.elements) {
      if (first_time(types_, element.value)) this->type(context_.type(element), depth + 1);
    }
  }

  void argument(ArgId id, int depth) {
    if (!first_time(args_, id.value) || depth > kMaxNesting) return;
    const Arg& arg = context_.arg(id);
    expression(arg.sym);
    for (const ArgId child : arg.children) argument(child, depth + 1);
  }

  void expression(SymExprId id) {
    pending_.push_back(id);
    while (!pending_.empty()) {
      const SymExprId next = pending_.back();
      pending_.pop_back();
      if (!first_time(expressions_, next.value)) continue;
      const SymNode& node = sym_node(context_, next);
      if (node.op == SymOp::kSymbol) found_.push_back(symbol_facts(context_, next));
      pending_.insert(pending_.end(), node.operands.begin(), node.operands.end());
    }
  }

  Context& context_;
  std::vector<bool> types_, args_, expressions_;
  std::vector<SymExprId> pending_;
  std::vector<Symbol> found_;
};

// Text that the reader of a list of expressions takes as one: brackets match,
// no quote, and no comma outside of brackets.
bool reads_as_one(std::string_view text) {
  std::string open;
  for (const char c : text) {
    if (c == '(' || c == '[') open += c == '(' ? ')' : ']';
    if ((c == ')' || c == ']') && (open.empty() || open.back() != c)) return false;
    if (c == ')' || c == ']') open.pop_back();
    if (c == ',' && open.empty()) return false;
    if (c < 0x20 || c >= 0x7F || c == '"' || c == '{' || c == '}' || c == '?') return false;
  }
  return open.empty() && !text.empty() && text.front() != ' ' && text.back() != ' ';
}

// A mere integer: its mention in an expression declares it.
bool says_nothing(const Symbol& symbol) {
  return symbol.kind == SymKind::kInt && symbol.range == SymRange{} && !symbol.hint;
}

void bound(std::string& out, int64_t value) {
  if (value == INT64_MIN) {
    out += "-inf";
  } else if (value == INT64_MAX) {
    out += "inf";
  } else {
    spell_int(out, value);
  }
}

}  // namespace

void Printer::expression(SymExprId id) {
  if (!id) {
    out_ += '?';
    return;
  }
  const SymNode& node = sym_node(context_, id);
  if (node.op == SymOp::kInt) {
    spell_int(out_, node.integer);
    return;
  }
  const std::string text = print_sym(context_, id);
  if (reads_as_one(text)) {
    out_ += text;
  } else {
    spell_string(out_, text);
  }
}

void Printer::expressions(std::string_view open, std::span<const SymExprId> ids,
                          std::string_view close) {
  out_ += open;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) out_ += ", ";
    expression(ids[i]);
  }
  out_ += close;
}

void Printer::tensor(const Type& type) {
  out_ += dtype_name(type.dtype);
  expressions("[", type.sizes, "]");
  const std::vector<SymExprId> usual = type.layout == Layout::kStrided
                                           ? contiguous_strides(context_, type.sizes)
                                           : std::vector<SymExprId>();
  if (!std::ranges::equal(usual, type.strides)) {
    if (type.strides.empty()) {
      out_ += "{?}";
    } else {
      expressions("{", type.strides, "}");
    }
  }
  const std::string_view device = context_.text(type.device);
  if (device != "cpu") {
    out_ += " @";
    const auto is_plain = [](char c) { return is_name_char(c) || c == ':'; };
    if (!device.empty() && std::ranges::all_of(device, is_plain)) {
      out_ += device;
    } else if (device.empty()) {
      out_ += '?';
    } else {
      spell_string(out_, device);
    }
  }
  if (type.storage_offset) {
    out_ += " offset(";
    expression(type.storage_offset);
    out_ += ')';
  }
  if (type.layout != Layout::kStrided) (out_ += " layout ") += layout_name(type.layout);
  if (type.requires_grad) out_ += " grad";
}

void Printer::type(TypeId id, int depth) {
  const auto known = type_texts_.find(id.value);
  if (known != type_texts_.end()) {
    out_ += known->second;
    return;
  }
  const size_t start = out_.size();
  const Type& type = context_.type(id);
  const auto list = [&](std::string_view open, std::string_view close) {
    out_ += open;
    for (size_t i = 0; i < type.elements.size() && depth < kMaxNesting; ++i) {
      if (i > 0) out_ += ", ";
      this->type(type.elements[i], depth + 1);
    }
    out_ += close;
  };
  switch (type.kind) {
    case TypeKind::kUnknown: out_ += '?'; break;
    case TypeKind::kTensor: tensor(type); break;
    case TypeKind::kScalar:
      out_ += "sym";
      if (type.dtype != Dtype::kInt64) (out_ += ' ') += dtype_name(type.dtype);
      out_ += '(';
      if (type.expr) expression(type.expr);
      out_ += ')';
      break;
    case TypeKind::kTuple: list("(", type.elements.size() == 1 ? ",)" : ")"); break;
    case TypeKind::kList: list("[", "]"); break;
    case TypeKind::kNone: out_ += "none"; break;
    case TypeKind::kOpaque: out_ += "opaque"; break;
  }
  if (depth == 0) type_texts_.emplace(id.value, out_.substr(start));
}

void Printer::symbols(const Graph& graph) {
  SymbolFinder finder(context_);
  finder.graph(graph);
  std::vector<Symbol> found = finder.take();
  std::erase_if(found, says_nothing);
  if (found.empty()) return;
  out_ += "symbols {\n";
  for (const Symbol& symbol : found) {
    indent(1);
    spell_name(out_, context_.text(symbol.name));
    if (symbol.kind == SymKind::kFloat) out_ += " : float";
    if (symbol.kind == SymKind::kBool) out_ += " : bool";
    if (symbol.range != SymRange{}) {
      out_ += " in [";
      bound(out_, symbol.range.lower);
      out_ += ", ";
      bound(out_, symbol.range.upper);
      out_ += ']';
    }
    if (symbol.hint) {
      out_ += " hint ";
      spell_int(out_, *symbol.hint);
    }
    out_ += '\n';
  }
  out_ += "}\n";
}

}  // namespace nfx
