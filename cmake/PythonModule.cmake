# src/python/**.cpp -> the nanobind module `nativefx._core`.
#
# <build>/python is a complete importable tree: the module, a link to every file
# of python/nativefx, and the distribution's metadata with its entry points. So
# `PYTHONPATH=<build>/python` uses this build, and torch.compile finds the
# backend without an import. Each build directory has its own.
file(GLOB_RECURSE module_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/python/*.cpp")
if(NOT module_sources)
  return()
endif()

if(NOT SKBUILD AND NOT Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "")
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_core NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${module_sources})
nfx_link_layers(_core plugin)
set(module_exports "${PROJECT_SOURCE_DIR}/cmake/core_module.map")
target_link_options(_core PRIVATE "LINKER:--version-script=${module_exports}")
target_include_directories(_core PRIVATE "${PROJECT_SOURCE_DIR}/src")
set(module_tree "${CMAKE_BINARY_DIR}/python")
set_target_properties(_core PROPERTIES LINK_DEPENDS "${module_exports}"
  LIBRARY_OUTPUT_DIRECTORY "${module_tree}/nativefx")

add_dependencies(products _core)

install(TARGETS _core LIBRARY DESTINATION nativefx COMPONENT python)
if(SKBUILD)
  return()
endif()

file(GLOB package_entries CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE
  "${PROJECT_SOURCE_DIR}/python/nativefx" "${PROJECT_SOURCE_DIR}/python/nativefx/*")
list(FILTER package_entries EXCLUDE REGEX "^__pycache__$|\\.so$")
file(MAKE_DIRECTORY "${module_tree}/nativefx")
file(GLOB stale LIST_DIRECTORIES true "${module_tree}/nativefx/*")
foreach(entry IN LISTS stale)
  if(IS_SYMLINK "${entry}")
    file(REMOVE "${entry}")
  endif()
endforeach()
foreach(entry IN LISTS package_entries)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/nativefx/${entry}"
    "${module_tree}/nativefx/${entry}" SYMBOLIC)
endforeach()
file(CONFIGURE OUTPUT "${module_tree}/nativefx-${PROJECT_VERSION}.dist-info/METADATA"
  CONTENT "Metadata-Version: 2.1\nName: nativefx\nVersion: ${PROJECT_VERSION}\n")
file(CONFIGURE OUTPUT "${module_tree}/nativefx-${PROJECT_VERSION}.dist-info/entry_points.txt"
  CONTENT "[torch_dynamo_backends]\nnativefx = nativefx.dynamo_backend:nativefx\n")
