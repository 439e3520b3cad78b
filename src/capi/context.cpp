#include "capi/handles.h"
#include "ops/op_table.h"

namespace nfx::capi {
namespace {

// The rows of the op table. There is no PyTorch here to give other schemas.
const OpTable& ops() {
  static const auto* const table = new SchemaOpTable;  // contexts may outlive static destructors
  return *table;
}

bool accepts(uint32_t version) {
  return version >> 16 == NFX_ABI_MAJOR && version <= NFX_ABI_VERSION;
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

uint32_t nfx_abi_version(void) { return NFX_ABI_VERSION; }

nfx_string nfx_dtype_name(nfx_dtype dtype) {
  if (dtype < 0 || dtype >= nfx::kDtypeCount) return {nullptr, 0};
  return give(nfx::dtype_name(static_cast<nfx::Dtype>(dtype)));
}

nfx_status nfx_context_create(uint32_t abi_version, nfx_context** context) {
  return guarded([&]() -> nfx_status {
    if (context == nullptr) return NFX_BAD_ARGUMENT;
    if (!accepts(abi_version)) return NFX_BAD_VERSION;
    *context = new nfx_context{std::make_shared<nfx::Context>(&ops())};
    return NFX_OK;
  });
}

void nfx_context_free(nfx_context* context) { delete context; }

nfx_diagnostic* nfx_diagnostic_create(nfx_string code, nfx_string message, nfx_string help) {
  nfx_diagnostic* made = nullptr;
  guarded([&]() -> nfx_status {
    if (!readable(code) || !readable(message) || !readable(help)) return NFX_BAD_ARGUMENT;
    auto fresh = std::make_unique<nfx_diagnostic>();
    fresh->value.code = take(code);
    fresh->value.message = take(message);
    fresh->value.help = take(help);
    made = fresh.release();
    return NFX_OK;
  });
  return made;
}

nfx_status nfx_diagnostic_read(const nfx_diagnostic* diagnostic, nfx_diagnostic_info* info) {
  if (diagnostic == nullptr) return NFX_BAD_ARGUMENT;
  const nfx::Diagnostic& value = diagnostic->value;
  nfx_diagnostic_info made{};
  made.line = value.place.line;
  made.column = value.place.column;
  made.code = give(value.code);
  made.message = give(value.message);
  made.help = give(value.help);
  made.file = give(value.place.file);
  made.scope = give(value.place.scope);
  made.node = give(value.place.node);
  return give(made, info);
}

void nfx_diagnostic_free(nfx_diagnostic* diagnostic) { delete diagnostic; }
