# tests/unit/<layer>/**_test.cpp -> one GoogleTest binary `<layer>_test` per layer,
# linked with the layers up to its own, so that a test cannot look up either. What
# is no test there (generators, shared data) serves the layers after it as well.
find_package(GTest REQUIRED)
include(GoogleTest)

foreach(layer IN LISTS NFX_LAYERS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/unit/${layer}/*.cpp")
  set(shared_sources ${sources})
  list(FILTER shared_sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
  # What C programs include is compiled as C99 too, and called from the tests.
  file(GLOB c_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/unit/${layer}/*.c")
  if(NOT sources OR NOT TARGET nfx_${layer})
    continue()
  endif()
  if(shared_sources)
    add_library(${layer}_testing STATIC ${shared_sources})
    target_include_directories(${layer}_testing PRIVATE "${PROJECT_SOURCE_DIR}/tests/unit")
    target_link_libraries(${layer}_testing PRIVATE nfx_${layer} nfx_warnings GTest::gtest)
    list(PREPEND testing_libraries ${layer}_testing)
  endif()
  add_executable(${layer}_test ${sources} ${c_sources})
  set_target_properties(${layer}_test PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  target_include_directories(${layer}_test PRIVATE "${PROJECT_SOURCE_DIR}/tests/unit")
  target_compile_definitions(${layer}_test PRIVATE
    NFX_SOURCE_DIR="${PROJECT_SOURCE_DIR}" NFX_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${layer}_test PRIVATE ${testing_libraries} GTest::gtest_main)
  nfx_link_layers(${layer}_test ${layer})
  set_target_properties(${layer}_test PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unit")
  add_test(NAME ${layer}_test COMMAND ${layer}_test --gtest_brief=1)
  set_tests_properties(${layer}_test PROPERTIES ENVIRONMENT
    "ASAN_OPTIONS=detect_container_overflow=0;UBSAN_OPTIONS=print_stacktrace=1")
  # tests/unit/<layer>/modules/*.c -> shared libraries that a test loads.
  file(GLOB modules CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/unit/${layer}/modules/*.c")
  foreach(module IN LISTS modules)
    cmake_path(GET module STEM name)
    add_library(${layer}_module_${name} MODULE ${module})
    target_include_directories(${layer}_module_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${layer}_module_${name} PRIVATE nfx_warnings)
    set_target_properties(${layer}_module_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unit/modules")
    add_dependencies(${layer}_test ${layer}_module_${name})
  endforeach()
  list(APPEND unit_tests ${layer}_test)
endforeach()
if(TARGET plugin_test AND TARGET nfx_plugin_null)
  add_dependencies(plugin_test nfx_plugin_null)
endif()
add_custom_target(unit_tests DEPENDS ${unit_tests})
