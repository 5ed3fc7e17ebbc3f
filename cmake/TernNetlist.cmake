# tern_add_netlist(<target> TOP <module> PREFIX <class> SOURCES <sv...> [PARAMS <Name=value...>])
# synthesises a module to gates and Verilates them as <class>, so that adapter and bench of its RTL drive the netlist instead.
# Nothing where node or Debian's Yosys is missing: users ask if(TARGET <target>).
find_program(YOSYS_BIN yosys)
set(netlist_tools elaborate.mjs yosys.mjs package-lock.json)
list(TRANSFORM netlist_tools PREPEND ${CMAKE_SOURCE_DIR}/scripts/yosys/ OUTPUT_VARIABLE TERN_NETLIST_TOOLS)
list(APPEND TERN_NETLIST_TOOLS ${CMAKE_SOURCE_DIR}/scripts/synthesis/modules.py)

function(tern_add_netlist target)
  if(NOT NODE_BIN OR NOT YOSYS_BIN)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TOP;PREFIX" "SOURCES;PARAMS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_gates)
  set(params -)
  if(ARG_PARAMS)
    list(JOIN ARG_PARAMS " " params)
  endif()
  add_custom_command(OUTPUT ${folder}/netlist.v
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/synthesis/modules.py ${folder} ${ARG_TOP} ${CMAKE_SOURCE_DIR}/rtl/common
      ${params} ${ARG_SOURCES}
    DEPENDS ${ARG_SOURCES} ${TERN_NETLIST_TOOLS} ${TERN_RTL_HEADERS}
    COMMENT "Synthesising ${ARG_TOP} for ${target}" VERBATIM)
  # Waveforms of the ports alone: there are more gates than anyone can look at.
  # One optimisation of Verilator gives wrong bits for gates: https://github.com/verilator/verilator/issues/4059
  tern_verilate(${target} TOP ${ARG_TOP} PREFIX ${ARG_PREFIX} NO_COVERAGE TRACE SOURCES ${folder}/netlist.v
    FLAGS -Wno-lint -Wno-style -Wno-fatal -Werror-UNOPTFLAT -fno-const-bit-op-tree --trace-depth 1)
  # Megabytes of straight code: optimising it takes the compiler many minutes.
  target_compile_options(${target} PRIVATE -O0)
endfunction()
