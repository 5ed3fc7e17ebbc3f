# Compiler settings shared by every target: tern_add_library() and tern_add_executable().
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # What ccache asks for when headers are precompiled (cmake/sum-precompiled). Paths are relative to the tree: a build in
  # another folder, as CI's, finds what this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_PCH_EXTSUM=true
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

add_library(tern_options INTERFACE)
target_include_directories(tern_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(tern_options INTERFACE
  -Wall -Wextra -Werror
  # The contract rounds where it says so: never fuse a*b+c behind its back.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees uninitialised values in its own header of intrinsics (avxintrin.h, _mm512_undefined_pd).
  target_compile_options(tern_options INTERFACE -Wno-maybe-uninitialized)
endif()
# Instruction set and optimisation also apply to the Verilated code (which is not ours to lint).
add_library(tern_codegen INTERFACE)
if(TERN_NATIVE)
  target_compile_options(tern_codegen INTERFACE -march=native)
else()
  target_compile_options(tern_codegen INTERFACE -march=x86-64-v3)
endif()
target_link_libraries(tern_options INTERFACE tern_codegen)
# Not for the Verilated code: instrumented, it takes minutes to compile, and the RTL has coverage counters of its own
# (cmake/TernVerilate.cmake).
if(TERN_SANITIZE)
  target_compile_options(tern_options INTERFACE -fsanitize=${TERN_SANITIZE}
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(tern_options INTERFACE -fsanitize=${TERN_SANITIZE})
  if(TERN_SANITIZE STREQUAL "thread")
    # It knows nothing of the stacks of SystemC's coroutines, and counting calls across them ends in a crash: without
    # counting, a report has the functions inlined at the access, not its callers.
    target_compile_options(tern_options INTERFACE "SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
  endif()
endif()
if(TERN_FUZZ)
  # The Verilated code too: its branches guide the fuzzer like ours.
  target_compile_options(tern_codegen INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TERN_COVERAGE)
  target_compile_options(tern_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(tern_options INTERFACE -fprofile-instr-generate)
endif()

if(TERN_BUILD_TESTS)
  include(TernCatch)
endif()
include(TernPrecompiled)

function(tern_add_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC tern_options)
  tern_precompile(${name})
endfunction()

# CATCH: a program of unit tests. Its own code runs once and briefly; what it calls is optimised.
# QUICK: compiled in half the time, without optimisation.
function(tern_add_executable name)
  cmake_parse_arguments(ARG "CATCH;QUICK" "" "" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(TERN_SANITIZE STREQUAL "thread")
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/tsan_exceptions.cpp)
  endif()
  target_link_libraries(${name} PRIVATE tern_options)
  if(ARG_QUICK)  # the compiler refuses headers that were precompiled with optimisation
    target_compile_options(${name} PRIVATE -O0)
  elseif(ARG_CATCH)
    target_compile_options(${name} PRIVATE -O1)
    tern_precompile(${name} CATCH)
  else()
    tern_precompile(${name})
  endif()
endfunction()
