#include "passes/reinplace.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ir/argument_view.h"

namespace nfx {
namespace {

// Operators that change a part of their first operand, whose forms in place
// have the same arguments.
constexpr std::string_view kPartWrites[] = {
    "aten.index_put.default",     "aten.index_copy.default", "aten.index_add.default",
    "aten.index_fill.int_Scalar", "aten.scatter.src",        "aten.scatter.value",
    "aten.scatter_add.default",
};

// What writes a view of its first operand back, and the view.
struct ViewWrite {
  std::string_view scatter, view;
  std::vector<std::string_view> arguments;
};
const ViewWrite kViewWrites[] = {
    {"aten.slice_scatter.default", "aten.slice.Tensor", {"dim", "start", "end", "step"}},
    {"aten.select_scatter.default", "aten.select.int", {"dim", "index"}},
};

// aten.index_put.default  =>  aten.index_put_.default
std::string in_place_name(std::string_view name) {
  const size_t overload = name.rfind('.');
  std::string made(name.substr(0, overload));
  made += '_';
  made += name.substr(overload);
  return made;
}

bool is_part_write(Node node) {
  for (const std::string_view name : kPartWrites) {
    if (node.target() == name) return true;
  }
  return false;
}

bool same_argument(ArgumentView a, ArgumentView b) {
  if (!a || !b) return !a && !b;
  if (a.is_node() || b.is_node()) return a.is_node() && b.is_node() && a.node() == b.node();
  return a.id() == b.id();
}

bool same_arguments(Node a, Node b, const ViewWrite& form) {
  return std::ranges::all_of(form.arguments, [&](std::string_view name) {
    return same_argument(argument(a, name), argument(b, name));
  });
}

// The same part of the same memory, perhaps spelled twice.
bool same_part(Node a, Node b) {
  if (a == b) return true;
  if (a.target() != b.target() || a.num_operands() == 0 || b.num_operands() == 0) return false;
  const auto form = std::ranges::find(kViewWrites, a.target(), &ViewWrite::view);
  return form != std::end(kViewWrites) && same_arguments(a, b, *form) &&
         same_part(a.operand(0), b.operand(0));
}

// Whether `view` is the part of `scatter`'s first operand that it writes to.
bool is_part_of(Node view, Node scatter, const ViewWrite& form) {
  return view.target() == form.view && same_arguments(view, scatter, form) &&
         same_part(view.operand(0), scatter.operand(0));
}

// The nodes between what is written and the value that is written back.
struct Chain {
  Node writer;                 // the node that becomes the write
  std::vector<Node> scatters;  // from the outermost
};

const ViewWrite* view_write(Node node) {
  for (const ViewWrite& form : kViewWrites) {
    if (node.target() == form.scatter) return &form;
  }
  return nullptr;
}

bool has_one_use(const Graph& graph, Node node) {
  size_t count = 0;
  for ([[maybe_unused]] const Use use : graph.uses(node)) ++count;
  return count == 1;
}

// Follows nested writes to parts of parts; no writer if the graph has another form.
Chain find_chain(const Graph& graph, Node input, Node value) {
  if (is_part_write(value) && value.operand(0) == input) return {value, {}};
  Chain chain;
  Node base = input;
  for (Node scatter = value;;) {
    const ViewWrite* form = view_write(scatter);
    if (form == nullptr || !same_part(scatter.operand(0), base)) return {};
    chain.scatters.push_back(scatter);
    const Node inner = scatter.operand(1);
    if (!has_one_use(graph, inner) || inner.num_operands() == 0) return {};
    const Node view = inner.operand(0);
    if (!is_part_of(view, scatter, *form)) return {};
    if (inner.target() == "aten.copy.default") {
      chain.writer = inner;
      return chain;
    }
    base = view;
    scatter = inner;
  }
}

// Whether all that reads a node's memory, through views too, is known and keeps
// none of it. `but` are not asked; `readers` becomes whether there are others.
bool is_only_read(const Graph& graph, Node node, const std::vector<Node>& but, bool& readers) {
  for (const Use use : graph.uses(node)) {
    const Node user = graph.node(use.user);
    if (std::ranges::find(but, user) != but.end()) continue;
    if (user.kind() == NodeKind::kOutput || user.op() == nullptr) return false;
    const bool view = user.has(Trait::kView) || value_of(user).index >= 0;
    if (view && !is_only_read(graph, user, but, readers)) return false;
    if (view) continue;
    const Schema* schema = user.op()->schema;
    if (user.has(Trait::kMayAlias) || schema == nullptr || schema->returns_alias()) return false;
    readers = true;
  }
  return true;
}

class Reinplacing {
 public:
  explicit Reinplacing(Graph& graph) : graph_(graph) {}

  Changed run() {
    Changed changed = Changed::kNo;
    for (const Node node : graph_.nodes()) {
      if (node.target() != "aten.copy_.default" || node.has_uses()) continue;
      const Node input = node.operand(0);
      if (input.kind() != NodeKind::kPlaceholder || node.num_operands() < 2) continue;
      if (reinplace(node, input, node.operand(1))) changed = Changed::kYes;
    }
    return changed;
  }

 private:
  // The old contents must not be needed: a kernel may compute what was read before
  // the write together with what comes behind it.
  bool reinplace(Node copy, Node input, Node value) {
    const Chain chain = find_chain(graph_, input, value);
    if (!chain.writer || !is_like(input, value)) return false;
    std::vector<Node> between = chain.scatters;
    between.push_back(copy);
    between.push_back(chain.writer);
    bool old_is_read = false, new_is_read = false;
    if (!is_only_read(graph_, input, between, old_is_read) || old_is_read) return false;
    if (!is_only_read(graph_, value, between, new_is_read)) return false;
    graph_.erase(copy);
    graph_.set_target(chain.writer, in_place_name(chain.writer.target()));
    if (chain.scatters.empty()) return true;
    graph_.replace_all_uses(value, input);
    for (const Node scatter : chain.scatters) graph_.erase(scatter);
    return true;
  }

  static bool is_like(Node input, Node value) {
    const Type& a = input.type();
    const Type& b = value.type();
    return a.kind == TypeKind::kTensor && b.kind == TypeKind::kTensor && a.dtype == b.dtype &&
           std::ranges::equal(a.sizes, b.sizes);
  }

  Graph& graph_;
};

}  // namespace

Changed reinplace(Graph& graph) { return Reinplacing(graph).run(); }

NFX_PASS(reinplace, "write into inputs in place instead of copying a changed copy back");

}  // namespace nfx
