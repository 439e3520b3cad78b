#include "loop/verify.h"

#include "loop/verify_expr.h"

namespace nfx {
namespace {

struct BadDim {
  static constexpr std::string_view kCode = "loop-dimension";
  DimId dim;
  std::string what;
  std::string message() const { return "dimension `d" + std::to_string(dim) + "` " + what; }
  std::string help() const {
    return "an extent is a constant or an int64 scalar; a ragged dimension has a row dimension as "
           "parent and an int64 input buffer of offsets";
  }
};
NFX_DIAGNOSTIC(BadDim);

struct BadNest {
  static constexpr std::string_view kCode = "loop-nest";
  std::string where;
  std::string what;
  std::string message() const { return "in " + where + ": " + what; }
  std::string help() const {
    return "rows are dense; a dimension stands once among the rows and the dimensions of a stage";
  }
};
NFX_DIAGNOSTIC(BadNest);

struct BadParameter {
  static constexpr std::string_view kCode = "loop-parameter";
  std::string name;
  std::string message() const { return "`" + name + "` has a dtype that kernels do not take"; }
  std::string help() const {
    return "scalars are int64 or float64; buffers bool, integer, float16, bfloat16, float32 or "
           "float64";
  }
};
NFX_DIAGNOSTIC(BadParameter);

struct BadMonoid {
  static constexpr std::string_view kCode = "loop-monoid";
  uint32_t reduction;
  std::string what;
  std::string message() const { return "reduction `r" + std::to_string(reduction) + "` " + what; }
  std::string help() const {
    return "init, step and merge have the same components of the same dtypes; finish has 1 to 256";
  }
};
NFX_DIAGNOSTIC(BadMonoid);

struct BadStore {
  static constexpr std::string_view kCode = "loop-store";
  std::string where;
  std::string what;
  std::string message() const { return "in " + where + ": " + what; }
  std::string help() const {
    return "a store takes an output buffer, an int64 offset, a value of the buffer's dtype and a "
           "bool guard";
  }
};
NFX_DIAGNOSTIC(BadStore);

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& kernel)
      : kernel_(kernel), is_row_(kernel.dims.size(), false) {}

  Status run() {
    NFX_TRY(check_parameters());
    NFX_TRY(check_rows());
    for (DimId d = 0; d < kernel_.dims.size(); ++d) NFX_TRY(check_dim(d));
    for (size_t s = 0; s < kernel_.stages.size(); ++s) NFX_TRY(check_stage(s));
    return success();
  }

 private:
  Status check_parameters() const {
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      if (!is_computable(kernel_.buffers[b].dtype)) {
        return diagnose(BadParameter{"b" + std::to_string(b)});
      }
    }
    for (size_t s = 0; s < kernel_.scalars.size(); ++s) {
      const Dtype dtype = kernel_.scalars[s];
      if (dtype != Dtype::kInt64 && dtype != Dtype::kFloat64) {
        return diagnose(BadParameter{"s" + std::to_string(s)});
      }
    }
    return success();
  }

  Status check_rows() {
    std::vector<bool> used(kernel_.dims.size(), false);
    NFX_TRY(enter(kernel_.row_dims, "rows", used));
    for (DimId d : kernel_.row_dims) {
      if (kernel_.dims[d].kind == Dim::Kind::kRagged) {
        return diagnose(BadNest{"rows", "`d" + std::to_string(d) + "` is ragged"});
      }
    }
    is_row_ = used;
    return success();
  }

  Status check_dim(DimId id) const {
    const Dim& dim = kernel_.dims[id];
    if (dim.kind == Dim::Kind::kDense) {
      if (dim.extent.scalar < 0) {
        return dim.extent.constant >= 0 ? success() : diagnose(BadDim{id, "has a negative extent"});
      }
      const auto scalar = static_cast<size_t>(dim.extent.scalar);
      const bool right =
          scalar < kernel_.scalars.size() && kernel_.scalars[scalar] == Dtype::kInt64;
      return right ? success() : diagnose(BadDim{id, "has an extent that is no int64 scalar"});
    }
    if (dim.parent >= id || !is_row_[dim.parent]) {
      return diagnose(BadDim{id, "has a parent that is no row dimension declared before it"});
    }
    const bool right = dim.offsets < kernel_.buffers.size() &&
                       kernel_.buffers[dim.offsets].dtype == Dtype::kInt64 &&
                       kernel_.buffers[dim.offsets].use == BufferUse::kIn;
    return right ? success() : diagnose(BadDim{id, "has offsets that are no int64 input buffer"});
  }

  // Marks the dimensions as used; each may be used once.
  Status enter(const std::vector<DimId>& dims, const std::string& where,
               std::vector<bool>& used) const {
    for (DimId d : dims) {
      const std::string name = "`d" + std::to_string(d) + "`";
      if (d >= kernel_.dims.size()) return diagnose(BadNest{where, name + " does not exist"});
      if (used[d]) return diagnose(BadNest{where, name + " stands twice in the nest"});
      used[d] = true;
    }
    return success();
  }

  Status check_stage(size_t number) {
    const Stage& stage = kernel_.stages[number];
    Scope scope;
    scope.where = "stage " + std::to_string(number);
    std::vector<bool> used = is_row_;
    NFX_TRY(enter(stage.map_dims, scope.where, used));
    const std::vector<bool> mapped = used;
    NFX_TRY(enter(stage.reduce_dims, scope.where, used));
    scope.reductions = visible_;
    const uint32_t first = first_reduction(kernel_, number);
    for (uint32_t r = 0; r < stage.reductions.size(); ++r) {
      scope.dims = used;
      NFX_TRY(check_reduction(stage.reductions[r], first + r, scope));
    }
    scope.dims = mapped;
    for (const Reduction& reduction : stage.reductions) scope.reductions.push_back(&reduction);
    for (const Store& store : stage.stores) NFX_TRY(check_store(store, scope));
    for (const Reduction& reduction : stage.reductions) {
      visible_.push_back(stage.map_dims.empty() ? &reduction : nullptr);
    }
    return success();
  }

  Status check_reduction(const Reduction& reduction, uint32_t number, Scope scope) const {
    const std::string stage = scope.where;
    const auto within = [&](const char* part) {
      return stage + ", " + part + " of r" + std::to_string(number);
    };
    const auto check_all = [&](const std::vector<ExprId>& roots) -> Status {
      for (ExprId root : roots) NFX_TRY(verify_expr(kernel_, root, scope));
      return success();
    };
    NFX_TRY(check_lengths(reduction, number));
    const Scope full = scope;
    scope.dims.assign(kernel_.dims.size(), false);
    scope.reductions.clear();
    scope.loads = false;
    scope.where = within("init");
    NFX_TRY(check_all(reduction.init));
    scope.state = &reduction.init;
    scope.other = true;
    scope.where = within("merge");
    NFX_TRY(check_all(reduction.merge));
    scope.other = false;
    scope.where = within("finish");
    NFX_TRY(check_all(reduction.finish));
    scope = full;
    scope.state = &reduction.init;
    scope.where = within("step");
    NFX_TRY(check_all(reduction.step));
    return check_dtypes(reduction, number);
  }

  Status check_lengths(const Reduction& reduction, uint32_t number) const {
    const size_t count = reduction.init.size();
    if (count == 0 || reduction.step.size() != count || reduction.merge.size() != count) {
      return diagnose(BadMonoid{number, "has init, step and merge of different lengths"});
    }
    if (reduction.finish.empty() || reduction.finish.size() > 256) {
      return diagnose(BadMonoid{number, "has no result, or more than 256"});
    }
    return success();
  }

  Status check_dtypes(const Reduction& reduction, uint32_t number) const {
    const ExprPool& pool = kernel_.exprs;
    for (size_t c = 0; c < reduction.init.size(); ++c) {
      const Dtype dtype = pool[reduction.init[c]].dtype;
      if (pool[reduction.step[c]].dtype == dtype && pool[reduction.merge[c]].dtype == dtype) {
        continue;
      }
      return diagnose(BadMonoid{number, "changes the dtype of component " + std::to_string(c)});
    }
    return success();
  }

  Status check_store(const Store& store, Scope scope) const {
    const ExprPool& pool = kernel_.exprs;
    if (store.buffer >= kernel_.buffers.size()) {
      return diagnose(BadStore{scope.where, "the buffer of a store does not exist"});
    }
    const std::string name = "b" + std::to_string(store.buffer);
    const std::string stage = scope.where;
    const auto error = [&](const std::string& what) {
      return diagnose(BadStore{stage, "the store to `" + name + "` " + what});
    };
    scope.where += ", store to " + name;
    const KernelBuffer& buffer = kernel_.buffers[store.buffer];
    if (buffer.use == BufferUse::kIn) return error("writes an input");
    NFX_TRY(verify_expr(kernel_, store.offset, scope));
    NFX_TRY(verify_expr(kernel_, store.value, scope));
    if (pool[store.offset].dtype != Dtype::kInt64) return error("has an offset that is not int64");
    if (pool[store.value].dtype != buffer.dtype) return error("has a value of another dtype");
    if (store.guard == kNoExpr) return success();
    NFX_TRY(verify_expr(kernel_, store.guard, scope));
    return pool[store.guard].dtype == Dtype::kBool ? success() : error("has a guard not bool");
  }

  const Kernel& kernel_;
  std::vector<bool> is_row_;               // by dimension
  std::vector<const Reduction*> visible_;  // by number; null: of a stage with map dimensions
};

}  // namespace

Status verify(const Kernel& kernel) { return KernelVerifier(kernel).run(); }

}  // namespace nfx
