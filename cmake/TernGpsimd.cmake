# tern_gpsimd_program(<name> <sources...> [PROCESSOR_ONLY]): a program for the processors of GpSimd (sw/gpsimd/README.md).
#   <name>.elf     in the binary folder, cross-compiled
#   <name>_blob    library: tern::gpsimd_blob::<name>(), the bytes of the ELF file (header <name>_blob.h)
#   <name>_native  library: the same sources for this host; its tern_main is called <name>_main.
#                  Not with PROCESSOR_ONLY
find_program(TERN_RISCV_CC riscv64-unknown-elf-gcc)
find_file(TERN_RISCV_PICOLIBC picolibc.specs
  PATHS /usr/lib/picolibc/riscv64-unknown-elf NO_DEFAULT_PATH)
if(NOT TERN_RISCV_CC OR NOT TERN_RISCV_PICOLIBC)
  message(FATAL_ERROR "The RISC-V cross compiler for GpSimd programs is missing: run scripts/setup "
    "(Debian: gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf)")
endif()

# The processor: 32 bits, multiply, single-precision floating point; no atomics, no compressed instructions.
set(TERN_RISCV_FLAGS -march=rv32imf -mabi=ilp32f --specs=${TERN_RISCV_PICOLIBC} -I${CMAKE_SOURCE_DIR}
  -O2 -g1 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -ffp-contract=off)
set(TERN_RISCV_CXX_FLAGS -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit)
set(TERN_GPSIMD_SDK ${CMAKE_SOURCE_DIR}/sw/gpsimd)

# tern_riscv_object(<variable> <object> <source> <comment> <flags...>): compiles a source; the object's path is appended to the variable.
# The name in the depfile is relative to this folder: CMake adds the folder, and Ninja builds again what it does not find there.
function(tern_riscv_object variable name source comment)
  get_filename_component(path ${source} ABSOLUTE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(OUTPUT ${object}
    COMMAND ${TERN_RISCV_CC} ${ARGN} -MD -MT ${name} -MF ${object}.d -c ${path} -o ${object}
    DEPENDS ${path} DEPFILE ${object}.d
    COMMENT "${comment} ${name}" VERBATIM)
  set(${variable} ${${variable}} ${object} PARENT_SCOPE)
endfunction()

function(tern_gpsimd_program name)
  cmake_parse_arguments(ARG "PROCESSOR_ONLY" "" "" ${ARGN})
  set(sources ${ARG_UNPARSED_ARGUMENTS})
  set(objects "")
  foreach(source ${sources} ${TERN_GPSIMD_SDK}/crt0.S ${TERN_GPSIMD_SDK}/startup.cpp)
    get_filename_component(stem ${source} NAME)
    set(flags ${TERN_RISCV_FLAGS})
    if(source MATCHES "\\.(cpp|cc|cxx)$")
      list(APPEND flags ${TERN_RISCV_CXX_FLAGS})
    endif()
    tern_riscv_object(objects ${name}.${stem}.o ${source} "GpSimd object" ${flags})
  endforeach()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${TERN_RISCV_CC} ${TERN_RISCV_FLAGS} -nostartfiles -Wl,--gc-sections,--fatal-warnings,--no-warn-rwx-segments
      -T ${TERN_GPSIMD_SDK}/local_memory.ld ${objects} -lm -o ${elf}
    DEPENDS ${objects} ${TERN_GPSIMD_SDK}/local_memory.ld
    COMMENT "GpSimd program ${name}.elf" VERBATIM)

  set(TERN_BLOB_NAME ${name})
  set(TERN_BLOB_FILE ${elf})
  configure_file(${TERN_GPSIMD_SDK}/blob.h.in ${name}_blob.h @ONLY)
  configure_file(${TERN_GPSIMD_SDK}/blob.cpp.in ${name}_blob.cpp @ONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${name}_blob.cpp PROPERTIES OBJECT_DEPENDS ${elf})
  tern_add_library(${name}_blob ${CMAKE_CURRENT_BINARY_DIR}/${name}_blob.cpp)
  target_include_directories(${name}_blob PUBLIC ${CMAKE_CURRENT_BINARY_DIR})

  if(ARG_PROCESSOR_ONLY)
    return()
  endif()
  tern_add_library(${name}_native ${sources})
  target_compile_definitions(${name}_native PRIVATE tern_main=${name}_main)
endfunction()
