# Headers of libraries that most files include, parsed once: a fifth of the time of a build without ccache.
# Ours are not among them, so that editing one recompiles only the files that include it.
# tern_precompile(<target> [CATCH]): CATCH adds the header of the unit tests.
# Folders that set TERN_USES_SYSTEMC have SystemC's headers too: everything in them is linked with SystemC, which these
# headers ask for, and includes no Verilated header, which takes another path after them.
option(TERN_PRECOMPILED_HEADERS "Parse the headers of libraries once" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # GCC takes them only where every definition is the same, and FMT_SHARED is not.
  set(TERN_PRECOMPILED_HEADERS OFF)
endif()

function(tern_make_precompiled name)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "// Carries the precompiled headers.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE tern_options)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/cmake/sum-precompiled)
endfunction()

if(TERN_PRECOMPILED_HEADERS)
  # By itself CMake also names the header, by an absolute path, which the object of every file would depend on.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
  # A file of equal text makes an equal object: ccache needs that.
  target_compile_options(tern_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  set(headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <string> <string_view> <utility>
    <vector> <fmt/format.h> <nlohmann/json.hpp> <yaml-cpp/yaml.h>)
  tern_make_precompiled(tern_precompiled ${headers})
  tern_make_precompiled(tern_precompiled_systemc ${headers} <systemc> <tlm>)
  if(TERN_BUILD_TESTS)
    tern_make_precompiled(tern_precompiled_catch ${headers} <catch2/catch.hpp>)
    target_compile_options(tern_precompiled_catch PRIVATE -O1)  # as the programs of unit tests
  endif()
endif()

function(tern_precompile target)
  if(NOT TERN_PRECOMPILED_HEADERS)
    return()
  endif()
  if("CATCH" IN_LIST ARGN)
    target_precompile_headers(${target} REUSE_FROM tern_precompiled_catch)
  elseif(TERN_USES_SYSTEMC)
    target_precompile_headers(${target} REUSE_FROM tern_precompiled_systemc)
  else()
    target_precompile_headers(${target} REUSE_FROM tern_precompiled)
  endif()
endfunction()
