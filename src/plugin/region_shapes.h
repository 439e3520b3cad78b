// What goes into a region and what comes out, with the sizes and strides of the
// outputs as they follow from those of the inputs.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ir/sym_program.h"
#include "nativefx/plugin.h"

namespace nfx {

class RegionShapes {
 public:
  struct Tensor {
    Dtype dtype;
    uint32_t rank;
  };

  // Errors: `region-boundary` (a value at the boundary is neither a CPU tensor of
  // known strides nor, going in, an integer), `unbound-symbol`.
  static Result<RegionShapes> of(const Graph& region);

  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  size_t num_integers() const { return num_integers_; }

  // Sizes and then strides of each output, one after another. Error `region-inputs`
  // if the inputs are not what the region was compiled for.
  Result<std::vector<int64_t>> evaluate(std::span<const nfx_tensor* const> inputs,
                                        std::span<const int64_t> integers) const;

 private:
  // A number of a call: a size or, behind the sizes, a stride of a tensor; an integer.
  struct Number {
    size_t tensor;  // SIZE_MAX: an integer
    size_t place;
    SymExprId expr;
    std::optional<int64_t> constant;  // what a size must be
  };
  Status add_inputs(const Graph& region);
  Status add_outputs(const Graph& region, std::vector<SymExprId>& wanted);
  // The first number of each expression that is no constant.
  std::vector<SymExprId> choose_known(const Context& context);

  std::vector<Tensor> inputs_, outputs_;
  size_t num_integers_ = 0;
  std::vector<Number> numbers_;
  std::vector<Number> known_;  // what the program reads
  SymProgram program_;
};

}  // namespace nfx
