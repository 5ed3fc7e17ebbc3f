# tern_add_catch_test(<target> LABEL smoke|full|nightly SOURCES <cpp...> [LIBS <libs...>] [SYSTEMC])
# One CTest entry per TEST_CASE. Each runs in a process of its own, because a SystemC kernel elaborates once.
list(APPEND CMAKE_MODULE_PATH /usr/lib/cmake/Catch2)
include(Catch)

function(tern_add_catch_test target)
  cmake_parse_arguments(ARG "SYSTEMC" "LABEL" "SOURCES;LIBS" ${ARGN})
  if(ARG_SYSTEMC)
    set(main tern_catch_main_systemc)
  else()
    set(main tern_catch_main)
  endif()
  tern_add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LIBS} ${main})
  set(environment "")
  if(TERN_SANITIZE AND ARG_SYSTEMC)
    # The leak checker cannot stop threads that run on SystemC's coroutine stacks and gives up now and then.
    set(environment ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  catch_discover_tests(${target} TEST_PREFIX "${target}: "
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 900 ${environment})
endfunction()
