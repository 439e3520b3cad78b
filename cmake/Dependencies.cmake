# External libraries, all from Debian packages (scripts/apt-packages.txt lists them).
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
# The archive, so that a wheel does not ask its user for libxxhash.so.
find_library(NFX_XXHASH NAMES libxxhash.a xxhash REQUIRED)

add_library(nfx_external INTERFACE)
target_link_libraries(nfx_external INTERFACE
  fmt::fmt ${NFX_XXHASH} Threads::Threads ${CMAKE_DL_LIBS})

# LLVM is found only when a layer that generates code is there to link it.
function(nfx_find_llvm)
  if(TARGET nfx_llvm)
    return()
  endif()
  find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/cmake)
  add_library(nfx_llvm INTERFACE)
  target_include_directories(nfx_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  list(FILTER definitions INCLUDE REGEX "^-D")
  target_compile_options(nfx_llvm INTERFACE ${definitions})
  if(NFX_LLVM_SHARED)
    target_link_libraries(nfx_llvm INTERFACE LLVM)
  else()
    llvm_map_components_to_libnames(libraries
      core orcjit passes native
      x86codegen x86asmparser x86desc x86info
      aarch64codegen aarch64asmparser aarch64desc aarch64info)
    target_link_libraries(nfx_llvm INTERFACE ${libraries})
  endif()
endfunction()
