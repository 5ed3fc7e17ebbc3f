# tern_add_catch_test(<target> LABEL smoke|full|nightly [QUICK] SOURCES <cpp...> [LIBS <libs...>] [RTL <plugins...>] [SYSTEMC]
#                     [NO_WAVE <reason>])
# RTL: the shared objects that its cases load (cmake/TernRtlPlugin.cmake), built with it.
# NO_WAVE: it contains RTL, but records no waveform (cmake/TernWaves.cmake).
# QUICK: its sources start programs and compare what they print, and compute little themselves.
# One CTest entry per TEST_CASE. Each runs in a process of its own, because a SystemC kernel elaborates once.
include(Catch)  # of Catch2, which TernCatch has found

function(tern_add_catch_test target)
  cmake_parse_arguments(ARG "SYSTEMC;QUICK" "LABEL;NO_WAVE" "SOURCES;LIBS;RTL" ${ARGN})
  if(ARG_SYSTEMC)
    set(main tern_catch_main_systemc)
  else()
    set(main tern_catch_main)
  endif()
  if(ARG_QUICK)
    set(quick QUICK)
  else()
    set(quick)
  endif()
  tern_add_executable(${target} CATCH ${quick} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LIBS} ${main} tern_catch)
  if(ARG_RTL)
    add_dependencies(${target} ${ARG_RTL})
  endif()
  set_target_properties(${target} PROPERTIES TERN_NO_WAVE "${ARG_NO_WAVE}")
  # For scripts/find-tests.
  list(TRANSFORM ARG_SOURCES REPLACE "^([^/].*)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1" OUTPUT_VARIABLE sources)
  list(JOIN sources "|" sources)
  set_property(GLOBAL APPEND PROPERTY TERN_CATCH_TESTS "${target}|${ARG_LABEL}|${sources}")
  set(environment "")
  if(TERN_SANITIZE AND ARG_SYSTEMC)
    # The leak checker cannot stop threads that run on SystemC's coroutine stacks and gives up now and then.
    set(environment ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  catch_discover_tests(${target} TEST_PREFIX "${target}: "
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 3600 ${environment}
      SKIP_REGULAR_EXPRESSION "skipped:.no")  # "skipped: no ...": what a fetch script brings is not there
endfunction()
