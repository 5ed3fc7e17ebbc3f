# tern_add_rtl_plugin(<name> WHAT <text> SOURCES <cpp...> HEADERS <h...> RTL <Verilated library> [LIBS <libs...>] [ON_DEMAND])
# A Verilated block as a shared object that programs load by name when they need it (systemc/cosim/rtl_plugin.h):
# only the variants in use are compiled (docs/decisions/0020). Builds lib/tern/<name>.so, and next to it <name>.build,
# the recipe by which a program of this build folder builds it when it is missing or older than its sources.
# ON_DEMAND: only then, neither with everything else nor for an installation.
set(TERN_RTL_PLUGIN_DIR ${CMAKE_BINARY_DIR}/lib/tern)
# Where the programs of this build folder look. The installed ones have a separate path (TernInstall.cmake).
set(CMAKE_BUILD_RPATH ${TERN_RTL_PLUGIN_DIR})

function(tern_add_rtl_plugin name)
  cmake_parse_arguments(ARG "ON_DEMAND" "WHAT;RTL" "SOURCES;HEADERS;LIBS" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tern_options ${ARG_RTL} ${ARG_LIBS})
  # Only the entry is visible: two plugins, or a plugin and its program, share no Verilated code by accident, and
  # calls inside take no detour.
  set(map ${CMAKE_SOURCE_DIR}/cmake/rtl_plugin.map)
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS ${map}
    LIBRARY_OUTPUT_DIRECTORY ${TERN_RTL_PLUGIN_DIR} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "")
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic)
  if(NOT TERN_SANITIZE AND NOT TERN_FUZZ)
    target_link_options(${name} PRIVATE -Wl,-z,defs)  # the sanitizers' runtime is in the program
  endif()
  set_target_properties(${ARG_RTL} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  if(ARG_ON_DEMAND)
    set_target_properties(${name} ${ARG_RTL} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    set_property(GLOBAL APPEND PROPERTY TERN_RTL_PLUGINS ${name})
  endif()

  # The RTL, and the headers that the shared object and its caller must agree on.
  get_property(watched GLOBAL PROPERTY TERN_VERILATE_SOURCES_${ARG_RTL})
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(lines "what ${ARG_WHAT}" "cmake ${CMAKE_COMMAND}" "folder ${CMAKE_BINARY_DIR}")
  list(TRANSFORM ARG_HEADERS PREPEND ${CMAKE_SOURCE_DIR}/)
  foreach(file ${watched} ${ARG_SOURCES} ${ARG_HEADERS})
    list(APPEND lines "source ${file}")
  endforeach()
  list(JOIN lines "\n" text)
  file(GENERATE OUTPUT ${TERN_RTL_PLUGIN_DIR}/${name}.build CONTENT "${text}\n")
endfunction()
