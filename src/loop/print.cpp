#include "loop/print.h"

#include <algorithm>
#include <string_view>

#include "expr/expr_text.h"
#include "loop/monoids.h"
#include "loop/names.h"

namespace nfx {
namespace {

// Expressions used more than once are written out again up to this many nodes.
constexpr uint32_t kInlineNodes = 10;
// Deeper ones are named even when used once, so that no reader recurses far.
constexpr uint32_t kInlineDepth = 24;

// The expressions of a reduction in the order of their text.
struct Clause {
  std::string_view keyword;
  std::vector<ExprId> roots;
};

class Printer {
 public:
  Printer(const Kernel& kernel, KernelNames names)
      : kernel_(kernel), pool_(kernel.exprs), bound_(pool_.size()), is_written_(pool_.size()) {
    const bool own = names == KernelNames::kOwn;
    dims_ = dimension_names(kernel, own);
    kernel_name_ = own && is_free_name(kernel.name) ? kernel.name : "k";
  }

  std::string run() {
    choose_bound();
    write_head();
    for (size_t s = 0; s < kernel_.stages.size(); ++s) write_stage(s);
    return std::move(out_);
  }

 private:
  template <class Visit>
  void for_each_clause(const Visit& visit) const {
    for (const Stage& stage : kernel_.stages) {
      for (const Reduction& reduction : stage.reductions) {
        for (const Clause& clause : clauses(reduction)) visit(clause.roots);
      }
      for (const Store& store : stage.stores) visit(store_roots(store));
    }
  }

  std::vector<Clause> clauses(const Reduction& reduction) const {
    if (auto fold = as_simple_fold(pool_, reduction)) return {{fold->name, {fold->element}}};
    return {{"init", reduction.init},
            {"step", reduction.step},
            {"merge", reduction.merge},
            {"finish", reduction.finish}};
  }

  static std::vector<ExprId> store_roots(const Store& store) {
    std::vector<ExprId> roots = {store.offset, store.value};
    if (store.guard != kNoExpr) roots.insert(roots.begin() + 1, store.guard);
    return roots;
  }

  // Decides what is written as `let`: shared and large, or deep.
  void choose_bound() {
    std::vector<bool> seen;
    std::vector<ExprId> order;
    std::vector<uint32_t> uses(pool_.size(), 0);
    for_each_clause([&](const std::vector<ExprId>& roots) {
      for (ExprId root : roots) {
        append_post_order(pool_, root, seen, order);
        ++uses[root];
      }
    });
    for (ExprId id : order) for_each_operand(pool_[id], [&](ExprId operand) { ++uses[operand]; });
    std::vector<uint32_t> nodes(pool_.size(), 1);
    std::vector<uint32_t> depth(pool_.size(), 1);
    is_bound_.assign(pool_.size(), false);
    for (ExprId id : order) {
      for_each_operand(pool_[id], [&](ExprId operand) {
        nodes[id] += is_bound_[operand] ? 1 : nodes[operand];
        depth[id] = std::max(depth[id], is_bound_[operand] ? 1 : depth[operand] + 1);
      });
      is_bound_[id] = (uses[id] > 1 && nodes[id] > kInlineNodes) || depth[id] > kInlineDepth;
    }
  }

  void write_head() {
    out_ += "kernel " + kernel_name_ + "(";
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      constexpr std::string_view kUses[] = {" in", " out", " inout"};
      const KernelBuffer& buffer = kernel_.buffers[b];
      out_ += (b == 0 ? "b" : ", b") + std::to_string(b) + ": ";
      out_ += dtype_name(buffer.dtype);
      out_ += kUses[static_cast<size_t>(buffer.use)];
    }
    for (size_t s = 0; s < kernel_.scalars.size(); ++s) {
      out_ += (s == 0 ? "; s" : ", s") + std::to_string(s) + ": ";
      out_ += dtype_name(kernel_.scalars[s]);
    }
    out_ += ")\n";
    for (size_t d = 0; d < kernel_.dims.size(); ++d) write_dim(kernel_.dims[d], dims_[d]);
    if (!kernel_.row_dims.empty()) out_ += "rows" + list(kernel_.row_dims) + "\n";
  }

  void write_dim(const Dim& dim, const std::string& name) {
    out_ += "dim " + name + " = ";
    if (dim.kind == Dim::Kind::kRagged) {
      out_ += "ragged(" + dims_[dim.parent] + ", b" + std::to_string(dim.offsets) + ")\n";
      return;
    }
    const bool is_scalar = dim.extent.scalar >= 0;
    out_ += "dense(" + (is_scalar ? "s" + std::to_string(dim.extent.scalar)
                                  : std::to_string(dim.extent.constant));
    out_ += ")\n";
  }

  std::string list(const std::vector<DimId>& dims) const {
    std::string text;
    for (DimId dim : dims) text += " " + dims_[dim];
    return text;
  }

  void write_stage(size_t number) {
    const Stage& stage = kernel_.stages[number];
    out_ += "stage";
    if (!stage.map_dims.empty()) out_ += " map" + list(stage.map_dims);
    if (!stage.reduce_dims.empty()) out_ += " reduce" + list(stage.reduce_dims);
    out_ += '\n';
    uint32_t reduction = first_reduction(kernel_, number);
    for (const Reduction& each : stage.reductions) write_reduction(each, reduction++);
    for (const Store& store : stage.stores) write_store(store);
  }

  void write_reduction(const Reduction& reduction, uint32_t number) {
    const std::string name = "r" + std::to_string(number);
    const std::vector<Clause> parts = clauses(reduction);
    if (parts.size() == 1) {
      write_lets(parts[0].roots, "  ");
      out_ += "  " + name + " = " + std::string(parts[0].keyword) + "(";
      write_list(parts[0].roots);
      out_ += ")\n";
      return;
    }
    out_ += "  " + name + " = fold {\n";
    for (const Clause& part : parts) {
      write_lets(part.roots, "    ");
      out_ += "    " + std::string(part.keyword) + " ";
      write_list(part.roots);
      out_ += '\n';
    }
    out_ += "  }\n";
  }

  void write_store(const Store& store) {
    write_lets(store_roots(store), "  ");
    out_ += "  store b" + std::to_string(store.buffer) + "[";
    write_expr(store.offset);
    if (store.guard != kNoExpr) {
      out_ += " if ";
      write_expr(store.guard);
    }
    out_ += "] = ";
    write_expr(store.value);
    out_ += '\n';
  }

  // Names what the roots need and no earlier line has named.
  void write_lets(const std::vector<ExprId>& roots, std::string_view indent) {
    std::vector<ExprId> order;
    for (ExprId root : roots) append_post_order(pool_, root, is_written_, order);
    for (ExprId id : order) {
      if (!is_bound_[id]) continue;
      std::string name = "t" + std::to_string(lets_++);
      out_ += indent;
      out_ += "let " + name + " = ";
      write_expr(id);
      out_ += '\n';
      bound_[id] = std::move(name);
    }
  }

  void write_list(const std::vector<ExprId>& roots) {
    for (size_t k = 0; k < roots.size(); ++k) {
      if (k > 0) out_ += ", ";
      write_expr(roots[k]);
    }
  }

  void write_expr(ExprId id) {
    const ExprNames names{&dims_, &bound_};
    append_text(pool_, id, names, out_);
  }

  const Kernel& kernel_;
  const ExprPool& pool_;
  std::string kernel_name_;
  std::vector<std::string> dims_;
  std::vector<bool> is_bound_;      // by expression: is written as `let`
  std::vector<std::string> bound_;  // by expression: its name once it is written
  std::vector<bool> is_written_;
  uint32_t lets_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const Kernel& kernel, KernelNames names) { return Printer(kernel, names).run(); }

}  // namespace nfx
