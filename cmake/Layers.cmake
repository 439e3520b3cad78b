# One static library per layer, `nfx_<layer>`, from src/<layer>/**.cpp.
#
# Op rows, passes and diagnostics register themselves by static objects, which a
# linker drops from a plain static library. So a layer names the layers below it
# for compiling only, and a product links its layers whole: `nfx_link_layers`.
set_property(GLOBAL PROPERTY NFX_PRESENT_LAYERS "")

function(nfx_add_layer layer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp")
  if(NOT sources OR layer STREQUAL "python")  # src/python is the module itself
    return()
  endif()
  get_property(below GLOBAL PROPERTY NFX_PRESENT_LAYERS)
  add_library(nfx_${layer} STATIC ${sources})
  target_include_directories(nfx_${layer} PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(nfx_${layer} PUBLIC nfx_external PRIVATE nfx_warnings)
  if(layer STREQUAL "jit")
    nfx_find_llvm()
    target_link_libraries(nfx_jit PRIVATE nfx_llvm)
  endif()
  set_property(GLOBAL APPEND PROPERTY NFX_PRESENT_LAYERS ${layer})
endfunction()

# Links `target` with every present layer up to and including `last`, each whole.
function(nfx_link_layers target last)
  get_property(present GLOBAL PROPERTY NFX_PRESENT_LAYERS)
  foreach(layer IN LISTS NFX_LAYERS)
    if(layer IN_LIST present)
      target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,nfx_${layer}>")
    endif()
    if(layer STREQUAL last)
      break()
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE nfx_warnings)
endfunction()
