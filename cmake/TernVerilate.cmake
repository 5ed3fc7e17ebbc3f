# tern_verilate(): one Verilation per (block, configuration), compiled as a few units and reused by all users.
find_program(VERILATOR_BIN verilator REQUIRED)
execute_process(COMMAND ${VERILATOR_BIN} --getenv VERILATOR_ROOT
                OUTPUT_VARIABLE VERILATOR_ROOT_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${VERILATOR_BIN} --version OUTPUT_VARIABLE TERN_VERILATOR_VERSION COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[0-9]+\\.[0-9]+" TERN_VERILATOR_VERSION "${TERN_VERILATOR_VERSION}")

add_library(tern_verilated_runtime STATIC
  ${VERILATOR_ROOT_DIR}/include/verilated.cpp
  ${VERILATOR_ROOT_DIR}/include/verilated_threads.cpp
  ${VERILATOR_ROOT_DIR}/include/verilated_cov.cpp
  ${VERILATOR_ROOT_DIR}/include/verilated_fst_c.cpp)
target_include_directories(tern_verilated_runtime SYSTEM PUBLIC
  ${VERILATOR_ROOT_DIR}/include ${VERILATOR_ROOT_DIR}/include/vltstd)
target_compile_definitions(tern_verilated_runtime PUBLIC VM_COVERAGE=$<BOOL:${TERN_RTL_COVERAGE}>
  VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1)
# Optimised in every build, as the generated code below; its assertions would need libatomic.
target_compile_options(tern_verilated_runtime PRIVATE -w -O3 -DNDEBUG)
target_link_libraries(tern_verilated_runtime PUBLIC tern_codegen Threads::Threads ZLIB::ZLIB)
set_target_properties(tern_verilated_runtime PROPERTIES POSITION_INDEPENDENT_CODE ON)  # also in plugins

# tern_verilate(<target> TOP <module> PREFIX <class> SOURCES <sv...> [PARAMS <Name=value...>]
#               [WAIVERS <vlt...>] [FLAGS <verilator flags...>] [TRACE] [NO_COVERAGE] [REMARKS])
# gives a static library whose include folder holds <class>.h. REMARKS: keeps what the compiler says about its loops, for
# scripts/check-vectorized.
file(GLOB TERN_RTL_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/*/*.svh)

function(tern_verilate target)
  cmake_parse_arguments(ARG "TRACE;NO_COVERAGE;REMARKS" "TOP;PREFIX" "SOURCES;PARAMS;WAIVERS;FLAGS" ${ARGN})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target})
  # Random: whatever a block's results depend on has been reset or written.
  set(unknown $<IF:$<BOOL:${TERN_RTL_RANDOM}>,unique,fast>)
  set(flags --cc -Wall --x-assign ${unknown} --x-initial ${unknown} -O3 --output-split 0
      --top-module ${ARG_TOP} --prefix ${ARG_PREFIX} --Mdir ${dir} ${ARG_FLAGS})
  if(TERN_VERILATOR_VERSION VERSION_LESS 5.030)
    list(APPEND flags -DTERN_CONST_REF)  # rtl/common/tern_row.svh; 5.032 has faults with const ref in loops of blocks
  endif()
  foreach(param ${ARG_PARAMS})
    list(APPEND flags -G${param})
  endforeach()
  if(ARG_TRACE)
    list(APPEND flags --trace-fst)
  endif()
  if(TERN_RTL_COVERAGE AND NOT ARG_NO_COVERAGE)
    # Wider signals are rows of lanes, whose every bit the oracles compare; counted, they are 90 MB of C++ in a small array.
    list(APPEND flags --coverage-line --coverage-toggle --coverage-user --coverage-max-width 64 -DTERN_COVER_POINTS)
    foreach(block tensor exp mx qos dma link cdc axi)  # their *_cover.svh
      list(APPEND flags -I${CMAKE_SOURCE_DIR}/rtl/${block})
    endforeach()
  endif()
  set_property(GLOBAL PROPERTY TERN_VERILATE_SOURCES_${target} ${ARG_SOURCES} ${ARG_WAIVERS})
  set(units work0 work1 wave once)
  list(TRANSFORM units REPLACE "(.+)" "${dir}/${ARG_PREFIX}__\\1.cpp")
  add_custom_command(
    OUTPUT ${units} ${dir}/${ARG_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}
    COMMAND ${VERILATOR_BIN} ${flags} ${ARG_WAIVERS} ${ARG_SOURCES}
    COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DPREFIX=${ARG_PREFIX} -DROOT=${CMAKE_SOURCE_DIR}
            -P ${CMAKE_SOURCE_DIR}/cmake/VerilatedUnity.cmake
    DEPENDS ${ARG_SOURCES} ${ARG_WAIVERS} ${TERN_RTL_HEADERS} ${CMAKE_SOURCE_DIR}/cmake/VerilatedUnity.cmake
            ${CMAKE_SOURCE_DIR}/cmake/tidy-verilated ${CMAKE_SOURCE_DIR}/cmake/verilated_lookup.h
    COMMENT "Verilating ${target}" VERBATIM)
  add_library(${target} STATIC ${units})
  set_source_files_properties(${dir}/${ARG_PREFIX}__wave.cpp PROPERTIES COMPILE_OPTIONS -O1)
  # Megabytes of straight code, and a call for each counter of coverage: compiling it would take longer than the rest.
  set_source_files_properties(${dir}/${ARG_PREFIX}__once.cpp PROPERTIES COMPILE_OPTIONS -O0)
  # Generated code: always optimised (a debug build of 16,384 lanes is of no use to anyone), never linted.
  # Loops over lanes in vectors of full width, which compilers avoid by default.
  # With counters the compiler takes many minutes for a block, for code that runs once.
  target_compile_options(${target} PRIVATE -w $<IF:$<BOOL:${TERN_RTL_COVERAGE}>,-O1,-O3>
    $<$<BOOL:${TERN_NATIVE}>:-mprefer-vector-width=512>)
  if(ARG_REMARKS AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    target_compile_options(${target} PRIVATE -Rpass=loop-vectorize -fno-caret-diagnostics)
    set_target_properties(${target} PROPERTIES
      CXX_COMPILER_LAUNCHER "${CMAKE_SOURCE_DIR}/cmake/keep-remarks;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
  set_property(GLOBAL APPEND PROPERTY TERN_VERILATED ${target})
  target_include_directories(${target} SYSTEM PUBLIC ${dir})
  target_link_libraries(${target} PUBLIC tern_verilated_runtime)
endfunction()
