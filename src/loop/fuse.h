// Fusion: groups the ops of a graph into loop kernels.
//
//   %e = exp(%x)                       kernel (rows i, reduce j)
//   %s = sum(%e, [-1], keepdim)   =>     r0 = sum(exp(x[i, j]))
//   %y = div(%e, %s)                     y[i, j] = exp(x[i, j]) / r0
//
// Each group has a domain: row dimensions, and inner dimensions over which it
// reduces. An op joins the group of one of its inputs if its own dimensions are
// products of the group's (views inside a group are only relabelled dimensions),
// and if every other input is computed earlier. Levels along the longest path of
// materialised values make that check constant-time and keep groups acyclic.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "loop/kernel.h"
#include "support/result.h"

namespace nfx {

// A tensor that a kernel reads or writes.
struct KernelOperand {
  Node node;
  int32_t result = -1;  // element of a tuple result, -1: the result itself
};

struct FusedKernel {
  Kernel kernel;
  std::vector<KernelOperand> buffers;  // per buffer of the kernel
  // Per scalar of the kernel: an integer expression, or a node that is a scalar
  // (its value as float64 or int64).
  struct Scalar {
    SymExprId expr;
    Node node;
  };
  std::vector<Scalar> scalars;
  // What must hold before a run: the elements of an index tensor in memory are positions
  // below `size`; with `negative`, positions counted from the end too.
  struct Bound {
    Node index;
    SymExprId size;
    bool negative = false;
    Node reader;  // the op whose positions they are
    friend bool operator==(const Bound&, const Bound&) = default;
  };
  std::vector<Bound> bounds;
  std::vector<Node> ops;  // what was fused, in graph order
};

enum class Disposition : uint8_t {
  kOther,   // not for loop kernels: runs elsewhere
  kKernel,  // computed in `kernel` (stored only if it is one of its buffers)
  kView,    // shares the memory of its operand 0: nothing to run
  kUnused,  // needed by nobody, or only inside a kernel as a view
};

struct Fusion {
  std::vector<FusedKernel> kernels;
  struct Choice {
    Disposition disposition = Disposition::kOther;
    int32_t kernel = -1;
    int32_t level = 0;   // steps on the longest path of materialised values up to here
    std::string reason;  // why not, for kOther
  };
  std::vector<Choice> choices;  // by NodeId
};

struct FuseOptions {
  // Asked for each node that could be compiled; false keeps it out.
  std::function<bool(Node)> allow;
};

// Fuses what it can of `graph`, which must be free of composites that are to be
// compiled (see expand) and carry types.
Result<Fusion> fuse(const Graph& graph, const FuseOptions& options = {});

// Orders the dimensions of a kernel by the strides of its accesses and merges
// neighbours wherever every access runs through both as through one; drops the
// scalars that are no longer used. Done by fuse; exposed for tests.
void coalesce(Context& context, FusedKernel& fused);

}  // namespace nfx
