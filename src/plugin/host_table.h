// The functions that a plug-in gets.
#pragma once
#include "nativefx/host.h"

namespace nfx {

const nfx_host& host_table();  // lives as long as the process

}  // namespace nfx
