#include "loop/parse.h"

#include "loop/lexer.h"
#include "loop/monoids.h"
#include "loop/names.h"
#include "loop/parse_diagnostics.h"
#include "loop/parse_expr.h"
#include "loop/verify.h"

namespace nfx {
namespace {

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : tokens_(tokenize(text)), in_(kernel_, tokens_) {}

  Result<Kernel> run() {
    NFX_TRY(head());
    while (in_.take("dim")) NFX_TRY(dim());
    if (in_.take("rows")) {
      NFX_ASSIGN(kernel_.row_dims, dim_list());
    }
    while (in_.take("stage")) NFX_TRY(stage());
    if (in_.token().kind != Token::Kind::kEnd) return in_.unexpected("`stage` or the end");
    NFX_TRY(verify(kernel_));
    return std::move(kernel_);
  }

 private:
  Status head() {
    NFX_TRY(in_.expect("kernel"));
    const Token at = in_.token();
    NFX_ASSIGN(const std::string_view name, in_.word("the kernel's name"));
    if (!is_free_name(name)) return bad_name(at, "is no name for a kernel");
    kernel_.name = name;
    NFX_TRY(in_.expect("("));
    if (!in_.is(";") && !in_.is(")")) {
      do {
        NFX_TRY(buffer());
      } while (in_.take(","));
    }
    if (in_.take(";")) {
      do {
        NFX_TRY(scalar());
      } while (in_.take(","));
    }
    return in_.expect(")");
  }

  Status bad_name(const Token& at, std::string what) const {
    return diagnose(LoopBadName{std::string(at.text), std::move(what)}, place_of(at));
  }

  // The next name must be `prefix` and the number that is due.
  Status due(std::string_view prefix, size_t number) {
    const Token at = in_.token();
    NFX_ASSIGN(const int64_t found,
               in_.number_after(prefix, "`" + std::string(prefix) + "0`, ..."));
    if (static_cast<size_t>(found) == number) return success();
    return bad_name(at, "is not next, `" + std::string(prefix) + std::to_string(number) + "` is");
  }

  Status buffer() {
    NFX_TRY(due("b", kernel_.buffers.size()));
    NFX_TRY(in_.expect(":"));
    KernelBuffer buffer;
    NFX_ASSIGN(buffer.dtype, in_.dtype());
    if (in_.take("in")) {
      buffer.use = BufferUse::kIn;
    } else if (in_.take("out")) {
      buffer.use = BufferUse::kOut;
    } else if (in_.take("inout")) {
      buffer.use = BufferUse::kInOut;
    } else {
      return in_.unexpected("`in`, `out` or `inout`");
    }
    kernel_.buffers.push_back(buffer);
    return success();
  }

  Status scalar() {
    NFX_TRY(due("s", kernel_.scalars.size()));
    NFX_TRY(in_.expect(":"));
    NFX_ASSIGN(const Dtype dtype, in_.dtype());
    kernel_.scalars.push_back(dtype);
    return success();
  }

  Status dim() {
    const Token at = in_.token();
    NFX_ASSIGN(const std::string_view name, in_.word("a name"));
    const auto id = static_cast<DimId>(kernel_.dims.size());
    const bool is_canonical = numbered(name, "d") == static_cast<int64_t>(id);
    if (!is_canonical && !is_free_name(name)) return bad_name(at, "is no name for a dimension");
    NFX_TRY(in_.expect("="));
    Dim dim;
    if (!is_canonical) dim.name = name;
    if (in_.take("dense")) {
      NFX_TRY(dense(dim));
    } else if (in_.take("ragged")) {
      NFX_TRY(ragged(dim));
    } else {
      return in_.unexpected("`dense` or `ragged`");
    }
    if (!in_.dims.emplace(name, id).second) return bad_name(at, "names two dimensions");
    kernel_.dims.push_back(std::move(dim));
    return success();
  }

  Status dense(Dim& dim) {
    NFX_TRY(in_.expect("("));
    if (in_.token().kind == Token::Kind::kNumber) {
      NFX_ASSIGN(dim.extent.constant, in_.integer());
    } else {
      NFX_ASSIGN(const int64_t scalar, in_.number_after("s", "an extent"));
      dim.extent.scalar = static_cast<int32_t>(scalar);
    }
    return in_.expect(")");
  }

  Status ragged(Dim& dim) {
    dim.kind = Dim::Kind::kRagged;
    NFX_TRY(in_.expect("("));
    NFX_ASSIGN(dim.parent, known_dim());
    NFX_TRY(in_.expect(","));
    NFX_ASSIGN(const int64_t offsets, in_.number_after("b", "a buffer of offsets"));
    dim.offsets = static_cast<BufferId>(offsets);
    return in_.expect(")");
  }

  Result<DimId> known_dim() {
    const Token at = in_.token();
    NFX_ASSIGN(const std::string_view name, in_.word("a dimension"));
    if (const auto found = in_.dims.find(name); found != in_.dims.end()) return found->second;
    return diagnose(LoopUnknownName{std::string(name)}, place_of(at));
  }

  // One or more, up to the next keyword or reduction.
  Result<std::vector<DimId>> dim_list() {
    std::vector<DimId> list;
    do {
      NFX_ASSIGN(const DimId next, known_dim());
      list.push_back(next);
    } while (in_.dims.contains(in_.token().text));
    return list;
  }

  Status stage() {
    Stage& stage = kernel_.stages.emplace_back();
    first_reduction_ = first_reduction(kernel_, kernel_.stages.size() - 1);
    if (in_.take("map")) {
      NFX_ASSIGN(stage.map_dims, dim_list());
    }
    if (in_.take("reduce")) {
      NFX_ASSIGN(stage.reduce_dims, dim_list());
    }
    in_.take(":");
    while (in_.token().kind == Token::Kind::kWord && !in_.is("stage")) {
      if (in_.take("let")) {
        NFX_TRY(let());
      } else if (in_.take("store")) {
        NFX_TRY(store(stage));
      } else {
        NFX_TRY(reduction(stage));
      }
    }
    return success();
  }

  Status let() {
    const Token at = in_.token();
    NFX_ASSIGN(const std::string_view name, in_.word("a name"));
    const bool is_usual = numbered(name, "t") >= 0 || is_free_name(name);
    if (!is_usual || in_.dims.contains(name)) return bad_name(at, "cannot be given to a value");
    NFX_TRY(in_.expect("="));
    NFX_ASSIGN(const ExprId value, in_.expression());
    if (!in_.lets.emplace(name, value).second) return bad_name(at, "names two values");
    return success();
  }

  Status store(Stage& stage) {
    Store store;
    NFX_ASSIGN(const int64_t buffer, in_.number_after("b", "a buffer"));
    store.buffer = static_cast<BufferId>(buffer);
    NFX_TRY(in_.expect("["));
    NFX_ASSIGN(store.offset, in_.expression());
    if (in_.take("if")) {
      NFX_ASSIGN(store.guard, in_.expression());
    }
    NFX_TRY(in_.expect("]"));
    NFX_TRY(in_.expect("="));
    NFX_ASSIGN(store.value, in_.expression());
    stage.stores.push_back(store);
    return success();
  }

  Status reduction(Stage& stage) {
    NFX_TRY(due("r", first_reduction_ + stage.reductions.size()));
    NFX_TRY(in_.expect("="));
    if (in_.take("fold")) {
      NFX_ASSIGN(Reduction folded, fold());
      stage.reductions.push_back(std::move(folded));
      return success();
    }
    const Token at = in_.token();
    NFX_ASSIGN(const std::string_view name, in_.word("a reduction"));
    NFX_TRY(in_.expect("("));
    NFX_ASSIGN(const ExprId element, in_.expression());
    NFX_TRY(in_.expect(")"));
    auto made = make_simple_fold(name, {&kernel_.exprs, element});
    if (!made) return diagnose(LoopUnknownName{std::string(name)}, place_of(at));
    stage.reductions.push_back(std::move(*made));
    return success();
  }

  Result<Reduction> fold() {
    Reduction result;
    NFX_TRY(in_.expect("{"));
    NFX_TRY(clause("init", result.init));
    in_.state = &result.init;
    NFX_TRY(clause("step", result.step));
    NFX_TRY(clause("merge", result.merge));
    NFX_TRY(clause("finish", result.finish));
    in_.state = nullptr;
    NFX_TRY(in_.expect("}"));
    return result;
  }

  Status clause(std::string_view keyword, std::vector<ExprId>& roots) {
    while (in_.take("let")) NFX_TRY(let());
    NFX_TRY(in_.expect(keyword));
    NFX_ASSIGN(roots, in_.expressions());
    return success();
  }

  Kernel kernel_;
  std::vector<Token> tokens_;
  ExprParser in_;
  size_t first_reduction_ = 0;
};

}  // namespace

Result<Kernel> parse_kernel(std::string_view text) { return KernelParser(text).run(); }

}  // namespace nfx
