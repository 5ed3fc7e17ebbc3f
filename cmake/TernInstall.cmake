# The installed package (docs/embedding.md): the program, three archives, Verilated blocks in shared objects, the headers,
# and find_package(tern).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Static libraries of the tree that these need, themselves included.
function(tern_library_closure result)
  set(todo ${ARGN})
  set(found "")
  while(todo)
    list(POP_FRONT todo library)
    if(library IN_LIST found OR NOT TARGET ${library})
      continue()
    endif()
    get_target_property(imported ${library} IMPORTED)
    get_target_property(type ${library} TYPE)
    if(imported OR NOT type STREQUAL STATIC_LIBRARY)
      continue()
    endif()
    list(APPEND found ${library})
    get_target_property(needs ${library} LINK_LIBRARIES)
    if(needs)
      list(APPEND todo ${needs})
    endif()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# One archive of all their objects.
function(tern_add_archive target name)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${target} STATIC ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name})
endfunction()

set(model_roots tern_platform tern_kernel_catalogue tern_data)
tern_library_closure(model_libraries ${model_roots})
tern_library_closure(rtl_libraries tern_rtl_chip_options)
list(REMOVE_ITEM rtl_libraries ${model_libraries})
tern_library_closure(nrt_libraries tern_nrt)
list(REMOVE_ITEM nrt_libraries ${model_libraries})

tern_add_archive(tern_package tern ${model_libraries})
set_target_properties(tern_package PROPERTIES EXPORT_NAME tern)
target_include_directories(tern_package INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tern>)
target_compile_features(tern_package INTERFACE cxx_std_17)
# Inline arithmetic of the headers rounds where the contract says so (docs/numerics.md).
target_compile_options(tern_package INTERFACE -ffp-contract=off)
target_link_libraries(tern_package INTERFACE PkgConfig::systemc yaml-cpp fmt::fmt Threads::Threads
  ZLIB::ZLIB)

tern_add_archive(tern_package_rtl tern_rtl ${rtl_libraries})
set_target_properties(tern_package_rtl PROPERTIES EXPORT_NAME rtl)
target_link_libraries(tern_package_rtl INTERFACE tern_package)

# The C runtime: C headers, C++ inside.
tern_add_archive(tern_package_nrt tern_nrt ${nrt_libraries})
set_target_properties(tern_package_nrt PROPERTIES EXPORT_NAME nrt)
target_link_libraries(tern_package_nrt INTERFACE tern_package fdt mbedcrypto)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tern)
set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/tern)
file(RELATIVE_PATH plugins_from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${plugin_dir})
set_target_properties(tern PROPERTIES INSTALL_RPATH "$ORIGIN/${plugins_from_bin}")
install(TARGETS tern tern-mpi)
# Kernels in Python: the package, its core, and what pip needs.
install(FILES ${CMAKE_BINARY_DIR}/lib/python/pyproject.toml DESTINATION ${plugin_dir}/python)
install(TARGETS tern_nki_module LIBRARY DESTINATION ${plugin_dir}/python)
install(DIRECTORY sw/nki/python/nki sw/nki/python/neuronxcc DESTINATION ${plugin_dir}/python PATTERN "__pycache__" EXCLUDE)
get_property(plugins GLOBAL PROPERTY TERN_RTL_PLUGINS)
install(TARGETS ${plugins} LIBRARY DESTINATION ${plugin_dir})
install(TARGETS tern_package tern_package_rtl tern_package_nrt EXPORT tern_targets)
install(EXPORT tern_targets NAMESPACE tern:: FILE tern-targets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tern-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/tern-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tern-config-version.cmake DESTINATION ${package_dir})

# Headers stand under include/tern as they stand in the tree: they include one another by these paths
# (docs/decisions/0014-installed-headers-keep-their-paths.md).
foreach(part systemc sw)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${part} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern
    FILES_MATCHING PATTERN "*.h"
    PATTERN app EXCLUDE PATTERN nrt EXCLUDE PATTERN example EXCLUDE PATTERN examples EXCLUDE PATTERN cosim EXCLUDE
    PATTERN presets EXCLUDE PATTERN reference EXCLUDE PATTERN programs EXCLUDE)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/systemc/cosim/rtl_chip_options.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern/systemc/cosim)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sw/nrt/include/nrt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern)
# To read and to copy: the library has them inside.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sw/config/presets DESTINATION ${CMAKE_INSTALL_DATADIR}/tern
  FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sw/examples/embed ${CMAKE_SOURCE_DIR}/sw/examples/nrt DESTINATION ${CMAKE_INSTALL_DATADIR}/tern/examples)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tern)
