// Reads expressions in the text of a kernel, for parse.cpp.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loop/kernel.h"
#include "loop/lexer.h"
#include "support/result.h"

namespace nfx {

class ExprParser {
 public:
  // The kernel's buffers, scalars and reductions give leaves their dtypes.
  ExprParser(Kernel& kernel, const std::vector<Token>& tokens) : kernel_(kernel), tokens_(tokens) {}

  const Token& token() const { return tokens_[at_]; }
  void advance() { at_ += token().kind != Token::Kind::kEnd; }
  bool is(std::string_view text) const { return token().text == text; }
  bool take(std::string_view text);  // whether it stood there
  Status expect(std::string_view text);
  Diagnostic unexpected(std::string expected) const;
  Result<std::string_view> word(std::string expected);
  Result<int64_t> number_after(std::string_view prefix, std::string expected);  // of `b0`, `s3`
  Result<int64_t> integer();

  Result<ExprId> expression();
  Result<std::vector<ExprId>> expressions();  // one or more, with commas
  Result<Dtype> dtype();

  // Names that expressions may use.
  std::map<std::string_view, DimId> dims;
  std::map<std::string_view, ExprId> lets;
  const std::vector<ExprId>* state = nullptr;  // init of the reduction being read

 private:
  Result<ExprId> sum();
  Result<ExprId> product();
  Result<ExprId> primary();
  Result<ExprId> name();
  Result<ExprId> numbered_name(std::string_view name, const Token& at);
  Result<ExprId> reduced(std::string_view name, const Token& at);
  Result<ExprId> state_leaf(ExprOp op, int64_t component, const Token& at);
  Result<ExprId> call(std::string_view name, const Token& at);
  Result<ExprId> load();
  Result<ExprId> constant(bool negative);
  Result<ExprId> special_float(bool negative);
  Result<Dtype> suffix(Dtype none);
  ExprId binary(ExprOp op, ExprId x, ExprId y);

  Kernel& kernel_;
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace nfx
