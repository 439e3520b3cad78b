// The code generators of this process.
#pragma once
#include <memory>
#include <string>

#include "jit/jit.h"

namespace nfx::python {

// One a cache folder, so that equal kernels of all graphs are compiled once. The
// limit counts when the folder is named first. Raises `nativefx.Error`.
std::shared_ptr<Jit> process_jit(const std::string& cache_dir, uint64_t cache_limit);

// One of its own, which writes the text of every kernel it compiles to a folder.
std::shared_ptr<Jit> dumping_jit(const std::string& dump_dir);

}  // namespace nfx::python
