# Language level, warnings, visibility, sanitizers: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -O3 buys nothing measurable here (hot loops are generated code) and compiles longer.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

find_program(NFX_CCACHE ccache)
if(NFX_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${NFX_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NFX_CCACHE}")
endif()

# A designated initializer names the fields that matter; the others keep their defaults.
add_library(nfx_warnings INTERFACE)
target_compile_options(nfx_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
  $<$<BOOL:${NFX_WERROR}>:-Werror>)

if(NFX_SANITIZE)
  add_compile_options(-fsanitize=${NFX_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NFX_SANITIZE})
endif()
if(NFX_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(NFX_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "fuzz targets need clang: use `cmake --preset fuzz`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# A product asks its user only for the shared libraries that it uses.
add_link_options("LINKER:--as-needed" "LINKER:--build-id")
# lld links the static LLVM libraries several times faster than the default linker.
find_program(NFX_LLD ld.lld HINTS /usr/lib/llvm-19/bin)
if(NFX_LLD)
  cmake_path(GET NFX_LLD PARENT_PATH lld_folder)
  add_link_options(-B${lld_folder} -fuse-ld=lld)
endif()
