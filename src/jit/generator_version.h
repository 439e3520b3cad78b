// Names the generator that makes an object, for the key of the cache on disk.
#pragma once
#include <string>

namespace nfx::jit {

// The build id of the code that is loaded: a hash that the linker makes of the
// contents. The file it was loaded from says less, for it may have been replaced
// since: a process with the old code would give out its objects as the new one's.
// Without a build id, the file's size and time.
std::string generator_version();

}  // namespace nfx::jit
