// Copies of expressions with some of their leaves replaced.
#pragma once
#include <functional>
#include <unordered_map>

#include "loop/kernel.h"

namespace nfx {

class Substitution {
 public:
  // What takes the place of a node, kNoExpr: its copy.
  using Replace = std::function<ExprId(const ExprNode&)>;

  Substitution(ExprPool& pool, Replace replace) : pool_(pool), replace_(std::move(replace)) {}

  ExprId operator()(ExprId root);

 private:
  ExprPool& pool_;
  Replace replace_;
  std::unordered_map<ExprId, ExprId> known_;
};

}  // namespace nfx
