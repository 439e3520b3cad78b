# benchmarks/cpp/*.cpp -> one Google Benchmark executable per file, under
# bench/. Built by the target `benchmarks` alone.
find_package(benchmark REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/cpp/*.cpp")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(bench_${name} PRIVATE benchmark::benchmark)
  nfx_link_layers(bench_${name} plugin)
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench")
  list(APPEND benchmarks bench_${name})
endforeach()
add_custom_target(benchmarks DEPENDS ${benchmarks})
