"""Options in the form that the native side takes."""

from __future__ import annotations

from nativefx import _core
from nativefx.options import Options
from nativefx.profiling import record_until_exit

__all__ = ["native_options"]

_DEFAULT_PASSES = "default"


def native_options(options: Options, name: str) -> _core.CompileOptions:
    """Give the native options of one graph; `name` is what reports call it."""
    if options.profile:
        record_until_exit("nativefx-trace.json" if options.profile is True else options.profile)
    native = _core.CompileOptions()
    native.kernels = options.kernels
    native.passes = _DEFAULT_PASSES if options.passes is None else options.passes
    native.dump = options.dump
    native.cache = options.cache
    native.cache_limit = options.cache_limit << 20
    native.name = name
    native.verify = options.verify
    native.fuse_limit = options.fuse_limit
    return native
