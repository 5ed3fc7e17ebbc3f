# tern_add_netlist(<target> TOP <module> PREFIX <class> SOURCES <sv...> [PARAMS <Name=value...>] [RTL <sv...>] [PARTS <parts...>])
# synthesises a module to gates and Verilates them as <class>, so that adapter and bench of its RTL drive the netlist instead.
# RTL: files of modules inside that stay as they are, after the packages that these need. PARTS: modules inside that are libraries.
# Nothing where node or Debian's Yosys is missing.
#
# tern_add_netlist_bench(<target> NETLISTS <netlists...> SOURCES <cpp...> [LIBS <libs...>] [DEFINITIONS <words...>])
# a nightly test program of such netlists, if all of them are there. The target `netlists` builds them all, `all` builds none.
find_program(YOSYS_BIN yosys)
set(netlist_tools elaborate.mjs yosys.mjs package-lock.json)
list(TRANSFORM netlist_tools PREPEND ${CMAKE_SOURCE_DIR}/scripts/yosys/ OUTPUT_VARIABLE TERN_NETLIST_TOOLS)
list(APPEND TERN_NETLIST_TOOLS ${CMAKE_SOURCE_DIR}/scripts/synthesis/modules.py)

# One optimisation of Verilator gives wrong bits for gates: https://github.com/verilator/verilator/issues/4059
set(TERN_NETLIST_FLAGS -Wno-lint -Wno-style -Wno-fatal -Werror-UNOPTFLAT -fno-const-bit-op-tree)

function(tern_add_netlist target)
  if(NOT NODE_BIN OR NOT YOSYS_BIN)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TOP;PREFIX" "SOURCES;PARAMS;RTL;PARTS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_gates)
  set(params -)
  if(ARG_PARAMS)
    list(JOIN ARG_PARAMS " " params)
  endif()
  set(keep ${ARG_RTL})
  list(FILTER keep EXCLUDE REGEX "_pkg\\.sv$")
  list(TRANSFORM keep REPLACE "^.*/(.*)\\.sv$" "--rtl=\\1")
  set(rtl ${ARG_RTL})
  foreach(part ${ARG_PARTS})
    get_target_property(module ${part} TERN_MODULE)
    get_target_property(instead ${part} TERN_SOURCES)
    list(APPEND keep --rtl=${module})
    list(APPEND rtl ${instead})
  endforeach()
  add_custom_command(OUTPUT ${folder}/netlist.v
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/synthesis/modules.py ${keep} ${folder} ${ARG_TOP} ${CMAKE_SOURCE_DIR}/rtl/common
      ${params} ${ARG_SOURCES}
    DEPENDS ${ARG_SOURCES} ${TERN_NETLIST_TOOLS} ${TERN_RTL_HEADERS}
    COMMENT "Synthesising ${ARG_TOP} for ${target}" VERBATIM)
  # Waveforms of the ports alone: there are more gates than anyone can look at.
  tern_verilate(${target} TOP ${ARG_TOP} PREFIX ${ARG_PREFIX} NO_COVERAGE TRACE SOURCES ${rtl} ${folder}/netlist.v
    FLAGS -I${CMAKE_SOURCE_DIR}/rtl/common ${TERN_NETLIST_FLAGS} --trace-depth 1)
  target_link_libraries(${target} PUBLIC ${ARG_PARTS})
  # Megabytes of straight code: optimising it takes the compiler many minutes.
  target_compile_options(${target} PRIVATE -O0)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL YES)
endfunction()

# tern_add_netlist_part(<part> MODULE <module> INSTEAD <sv> TOP <module> SOURCES <sv...> [PARAMS <Name=value...>])
# gates of a module inside of TOP, Verilated by themselves as a library: once for all its instances, however many.
# INSTEAD: the module's source in place of its own, around an instance of <module>_gates. For PARTS of tern_add_netlist, and for:
#
# tern_add_netlist_of_parts(<target> PART <part> TOP <module> PREFIX <class> SOURCES <sv...> PARAMS <Name=value...> FLAGS <words...>)
# Verilates the sources as <class>, with the part in place of its module.
function(tern_add_netlist_part target)
  if(NOT NODE_BIN OR NOT YOSYS_BIN)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TOP;MODULE;INSTEAD" "SOURCES;PARAMS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_gates)
  set(name ${ARG_MODULE}_gates)
  set(params -)
  if(ARG_PARAMS)
    list(JOIN ARG_PARAMS " " params)
  endif()
  add_custom_command(OUTPUT ${folder}/netlist.v
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/synthesis/modules.py --part=${ARG_MODULE} ${folder} ${ARG_TOP} ${CMAKE_SOURCE_DIR}/rtl/common
      "${params}" ${ARG_SOURCES}
    DEPENDS ${ARG_SOURCES} ${TERN_NETLIST_TOOLS} ${TERN_RTL_HEADERS}
    COMMENT "Synthesising ${ARG_MODULE} for ${target}" VERBATIM)
  # With the makefile that Verilator writes: its library has the functions that the module calls.
  add_custom_command(OUTPUT ${folder}/work/lib${name}.a ${folder}/work/${name}.sv
    COMMAND ${VERILATOR_BIN} --cc --lib-create ${name} --top-module ${name} --Mdir ${folder}/work ${TERN_NETLIST_FLAGS}
      ${folder}/netlist.v
    COMMAND make -s -C ${folder}/work -f V${name}.mk CXX=${CMAKE_CXX_COMPILER} OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0 lib${name}.a
    # Verilator's runtime is that of the bench.
    COMMAND ${CMAKE_AR} d ${folder}/work/lib${name}.a verilated.o verilated_threads.o
    DEPENDS ${folder}/netlist.v COMMENT "Verilating ${target}" VERBATIM)
  add_custom_target(${target}_made DEPENDS ${folder}/work/lib${name}.a)
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_made)
  target_link_libraries(${target} INTERFACE ${folder}/work/lib${name}.a)
  set_target_properties(${target} PROPERTIES TERN_MODULE ${ARG_MODULE} TERN_SOURCES "${folder}/work/${name}.sv;${ARG_INSTEAD}")
endfunction()

function(tern_add_netlist_of_parts target)
  cmake_parse_arguments(ARG "" "TOP;PART;PREFIX" "SOURCES;PARAMS;FLAGS" ${ARGN})
  if(NOT TARGET ${ARG_PART})
    return()
  endif()
  get_target_property(module ${ARG_PART} TERN_MODULE)
  get_target_property(instead ${ARG_PART} TERN_SOURCES)
  set(around ${ARG_SOURCES})
  list(TRANSFORM around REPLACE "^.*/${module}\\.sv$" "${instead}")
  tern_verilate(${target} TOP ${ARG_TOP} PREFIX ${ARG_PREFIX} NO_COVERAGE TRACE SOURCES ${around} PARAMS ${ARG_PARAMS}
    FLAGS ${ARG_FLAGS} -Wno-lint -Wno-style)
  target_link_libraries(${target} PUBLIC ${ARG_PART})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL YES)
endfunction()

add_custom_target(netlists)
function(tern_add_netlist_bench target)
  cmake_parse_arguments(ARG "" "" "NETLISTS;SOURCES;LIBS;DEFINITIONS" ${ARGN})
  foreach(netlist ${ARG_NETLISTS})
    if(NOT TARGET ${netlist})
      return()
    endif()
  endforeach()
  tern_add_catch_test(${target} LABEL nightly NO_WAVE "its signals are gates" SOURCES ${ARG_SOURCES}
    LIBS ${ARG_NETLISTS} ${ARG_LIBS} tern_wave_file tern_tb_common)
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL YES)
  add_dependencies(netlists ${target})
endfunction()
