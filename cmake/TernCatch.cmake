# tern_catch: what a program of unit tests links. Catch2 2 is a header (Debian 12), version 3 a library (Debian 13), used
# through the names of version 2.
find_package(Catch2 3 QUIET)
if(Catch2_FOUND)
  target_include_directories(tern_options INTERFACE ${CMAKE_SOURCE_DIR}/tb/catch3)
  add_library(tern_catch INTERFACE)
  target_link_libraries(tern_catch INTERFACE Catch2::Catch2)
else()
  find_package(Catch2 2 REQUIRED)
  add_library(tern_catch INTERFACE)
endif()
