# tern_add_yosys_test(<name> LABEL <label> SCRIPT run|prove ARGUMENTS <arguments of scripts/yosys/SCRIPT.mjs...>)
# What has passed is kept by content in the build folder (scripts/yosys/yosys.mjs): only what changed is read again.
find_program(NODE_BIN node)

function(tern_add_yosys_test name)
  if(NOT TERN_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "LABEL;SCRIPT" "ARGUMENTS" ${ARGN})
  if(NODE_BIN)
    add_test(NAME "${name}" COMMAND ${NODE_BIN} ${CMAKE_SOURCE_DIR}/scripts/yosys/${ARG_SCRIPT}.mjs
      --passed ${CMAKE_BINARY_DIR}/yosys ${ARG_ARGUMENTS})
  else()
    add_test(NAME "${name}" COMMAND sh -c "echo 'node is missing: run scripts/setup, then configure again'; exit 1")
  endif()
  set_tests_properties("${name}" PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 7200 COST 100)
endfunction()
