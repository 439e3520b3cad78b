#include <algorithm>

#include "ir/printer.h"
#include "ir/spelling.h"

namespace nfx {
namespace {

bool is_identifier(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         std::ranges::all_of(text, [](char c) { return is_name_char(c) && c != '.'; });
}

std::string_view sequence_word(const Arg& arg) {
  switch (arg.kind) {
    case ArgKind::kList: return arg.is_mutable ? "list[" : "[";
    case ArgKind::kSize: return "Size(";
    case ArgKind::kSlice: return "slice(";
    case ArgKind::kRange: return "range(";
    default: return "(";
  }
}

}  // namespace

void Printer::node_name(Node node) {
  out_ += '%';
  spell_name(out_, node.name());
}

void Printer::handle(OpaqueId id, std::string_view expected) {
  if (!id) return;
  out_ += '#';
  spell_int(out_, context_.opaque_number(id));
  const auto [entry, is_new] = labels_.try_emplace(id.value);
  if (is_new) entry->second = context_.opaque_label(id);
  const std::string& label = entry->second;
  if (label == expected) return;
  out_ += ' ';
  spell_string(out_, label);
}

void Printer::opaque(OpaqueId id) {
  if (!id) {
    out_ += "none";
    return;
  }
  out_ += "opaque";
  handle(id, {});
}

void Printer::call(ArgId root, Node node, bool always) {
  const Arg& arg = context_.arg(root);
  if (arg.children.size() != 2) {  // not set yet
    if (always) out_ += "()";
    return;
  }
  const Arg& positional = context_.arg(arg.children[0]);
  const Arg& named = context_.arg(arg.children[1]);
  if (positional.children.empty() && named.children.empty() && !always) return;
  uint32_t hole = 0;
  out_ += '(';
  bool first = true;
  for (const ArgId child : positional.children) {
    if (!first) out_ += ", ";
    first = false;
    argument(child, node, hole);
  }
  keywords(named, node, hole, first);
  out_ += ')';
}

void Printer::keywords(const Arg& dict, Node node, uint32_t& hole, bool first) {
  for (size_t i = 0; i + 1 < dict.children.size(); i += 2) {
    if (!first) out_ += ", ";
    first = false;
    const std::string_view key = context_.text(context_.arg(dict.children[i]).text);
    if (is_identifier(key)) {
      out_ += key;
    } else {
      spell_string(out_, key);
    }
    out_ += '=';
    argument(dict.children[i + 1], node, hole);
  }
}

void Printer::list(std::string_view open, std::string_view close, const Arg& arg, Node node,
                   uint32_t& hole, int depth) {
  out_ += open;
  for (size_t i = 0; i < arg.children.size(); ++i) {
    if (i > 0) out_ += ", ";
    argument(arg.children[i], node, hole, depth + 1);
  }
  out_ += close;
}

void Printer::dict(const Arg& arg, Node node, uint32_t& hole, int depth) {
  out_ += arg.is_mutable ? "dict{" : "{";
  for (size_t i = 0; i + 1 < arg.children.size(); i += 2) {
    if (i > 0) out_ += ", ";
    argument(arg.children[i], node, hole, depth + 1);
    out_ += ": ";
    argument(arg.children[i + 1], node, hole, depth + 1);
  }
  out_ += '}';
}

void Printer::symbolic(const Arg& arg) {
  out_ += "sym(";
  expression(arg.sym);
  out_ += ')';
  if (!arg.opaque) return;
  handle(arg.opaque, arg.sym ? print_sym(context_, arg.sym) : std::string());
}

void Printer::constant(const Arg& arg) {
  const std::string_view text = context_.text(arg.text);
  const auto named = [&](std::string_view word) {
    out_ += word;
    spell_name(out_, text);
    out_ += ')';
  };
  switch (arg.kind) {
    case ArgKind::kNone: out_ += "None"; break;
    case ArgKind::kBool: out_ += arg.integer != 0 ? "True" : "False"; break;
    case ArgKind::kInt: spell_int(out_, arg.integer); break;
    case ArgKind::kFloat: spell_float(out_, arg.real); break;
    case ArgKind::kComplex:
      out_ += "complex(";
      spell_float(out_, arg.real);
      out_ += ", ";
      spell_float(out_, arg.imag);
      out_ += ')';
      break;
    case ArgKind::kString: spell_string(out_, text); break;
    case ArgKind::kEllipsis: out_ += "..."; break;
    case ArgKind::kDtype: (out_ += "dtype(").append(dtype_name(arg.dtype)) += ')'; break;
    case ArgKind::kDevice:
      out_ += "device(";
      spell_string(out_, text);
      out_ += ')';
      break;
    case ArgKind::kLayout: named("layout("); break;
    case ArgKind::kMemoryFormat: named("memory_format("); break;
    case ArgKind::kGraph:
      out_ += '@';
      spell_name(out_, text);
      break;
    default: break;
  }
  if (arg.opaque) handle(arg.opaque, {});
}

void Printer::argument(ArgId id, Node node, uint32_t& hole, int depth) {
  const Arg& arg = context_.arg(id);
  if (depth > kMaxNesting) {
    hole += arg.holes;
    out_ += "...";
    return;
  }
  const std::string_view text = context_.text(arg.text);
  switch (arg.kind) {
    case ArgKind::kHole: node_name(node.operand(hole++)); return;
    case ArgKind::kOpaque: opaque(arg.opaque); return;
    case ArgKind::kSym: symbolic(arg); return;
    case ArgKind::kOp:
      out_ += "op(";
      spell_name(out_, text);
      handle(arg.opaque, text);
      out_ += ')';
      return;
    case ArgKind::kTuple:
    case ArgKind::kCall:
      list("(", arg.children.size() == 1 ? ",)" : ")", arg, node, hole, depth);
      break;
    case ArgKind::kNamedTuple:
      out_ += "named ";
      spell_name(out_, text);
      handle(arg.opaque, text);
      list("(", ")", arg, node, hole, depth);
      return;
    case ArgKind::kList: list(sequence_word(arg), "]", arg, node, hole, depth); break;
    case ArgKind::kSize:
    case ArgKind::kSlice:
    case ArgKind::kRange: list(sequence_word(arg), ")", arg, node, hole, depth); break;
    case ArgKind::kDict: dict(arg, node, hole, depth); break;
    default: constant(arg); return;
  }
  if (arg.opaque) handle(arg.opaque, {});
}

}  // namespace nfx
