# tern_add_netlist(<target> TOP <module> PREFIX <class> SOURCES <sv...> [PARAMS <Name=value...>])
# synthesises a module to gates and Verilates them as <class>, so that adapter and bench of its RTL drive the netlist instead.
# Nothing where node is missing: users ask if(TARGET <target>).
file(GLOB TERN_YOSYS_SCRIPTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/yosys/*.mjs
  ${CMAKE_SOURCE_DIR}/scripts/yosys/package-lock.json)

function(tern_add_netlist target)
  if(NOT NODE_BIN)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TOP;PREFIX" "SOURCES;PARAMS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_gates)
  set(params -)
  if(ARG_PARAMS)
    list(JOIN ARG_PARAMS " " params)
  endif()
  add_custom_command(OUTPUT ${folder}/netlist.v
    COMMAND ${NODE_BIN} ${CMAKE_SOURCE_DIR}/scripts/yosys/modules.mjs ${folder} ${ARG_TOP} ${CMAKE_SOURCE_DIR}/rtl/common
      ${params} ${ARG_SOURCES}
    DEPENDS ${ARG_SOURCES} ${TERN_YOSYS_SCRIPTS} ${TERN_RTL_HEADERS}
    COMMENT "Synthesising ${ARG_TOP} for ${target}" VERBATIM)
  # Waveforms of the ports alone: there are more gates than anyone can look at.
  # One optimisation of Verilator gives wrong bits for gates: https://github.com/verilator/verilator/issues/4059
  tern_verilate(${target} TOP ${ARG_TOP} PREFIX ${ARG_PREFIX} NO_COVERAGE TRACE SOURCES ${folder}/netlist.v
    FLAGS -Wno-lint -Wno-style -Wno-fatal -Werror-UNOPTFLAT -fno-const-bit-op-tree --trace-depth 1)
  # Megabytes of straight code: optimising it takes the compiler many minutes.
  target_compile_options(${target} PRIVATE -O0)
endfunction()
