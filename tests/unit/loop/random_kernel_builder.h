// How random_kernel.h makes its kernels.
#pragma once
#include <random>
#include <utility>
#include <vector>

#include "loop/builder.h"
#include "loop/random_kernel.h"

namespace nfx {

class RandomKernelBuilder {
 public:
  explicit RandomKernelBuilder(uint64_t seed) : random_(seed) {}
  RandomKernel run();

 private:
  // How far a dimension reaches: its extent, or all segments of a ragged one.
  struct Reach {
    DimId dim;
    int64_t positions;
    bool is_ragged;
  };
  using Reaches = std::vector<Reach>;

  // As std::shuffle, but the same with every standard library.
  void shuffle(Reaches& list) {
    for (size_t k = list.size(); k > 1; --k) {
      std::swap(list[k - 1], list[static_cast<size_t>(below(static_cast<int64_t>(k)))]);
    }
  }
  int64_t below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }
  template <class T>
  std::vector<T> some(const std::vector<T>& list, int percent) {
    std::vector<T> chosen;
    for (const T& each : list) {
      if (chance(percent)) chosen.push_back(each);
    }
    return chosen;
  }

  // random_kernel_data.cpp
  BufferId new_buffer(Dtype dtype, BufferUse use, int64_t elements);
  Extent new_extent(int64_t value);
  Expr number(int64_t value);  // a constant, or a scalar of that value
  void fill(Memory& memory);
  Reach new_dense();
  Reach new_ragged(const Reach& parent);
  Expr strided(Reaches reaches, int64_t& elements);
  Expr load(Dtype dtype);

  // random_kernel_expr.cpp
  Expr exact(Dtype dtype);
  Expr expression(Dtype dtype, int depth);
  Expr float_expression(Dtype dtype, int depth);
  Expr float_unary(Expr x);
  Expr integer_expression(Dtype dtype, int depth);
  Expr condition(int depth);
  Reduction reduction();
  Reduction float_reduction(Expr element);

  void add_stage();
  void add_store();

  std::mt19937_64 random_;
  KernelBuilder k_{"random"};
  RandomKernel result_;
  Reaches rows_;
  Reaches inner_;              // dimensions that stages walk
  Reaches visible_;            // here, rows included
  Reaches stored_;             // rows and map dimensions of the stage at hand
  std::vector<Expr> reduced_;  // visible here
};

}  // namespace nfx
