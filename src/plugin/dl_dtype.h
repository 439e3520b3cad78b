// Element types as DLPack numbers them.
#pragma once
#include <optional>

#include "ir/dtype.h"
#include "nativefx/plugin.h"

namespace nfx {

// Nothing for types that DLPack has no number for.
std::optional<nfx_data_type> to_dl(Dtype dtype);
inline bool same_dl(nfx_data_type a, nfx_data_type b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

}  // namespace nfx
