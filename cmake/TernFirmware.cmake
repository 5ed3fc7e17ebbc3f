# tern_firmware_program(<name> SCRIPT <linker script> SOURCES <c and S files...>): a program for the management core.
#   <name>.elf, <name>.bin   in the binary folder, cross-compiled (the compiler: cmake/TernGpsimd.cmake)
# The architecture is that of the board preset `tern`. The old version of the ISA specification counts CSRs and fence.i to it:
# with the new one, Debian's compiler finds no C library.
set(TERN_FIRMWARE_FLAGS -march=rv64imac -misa-spec=2.2 -mabi=lp64 -mcmodel=medany --specs=${TERN_RISCV_PICOLIBC}
  -I${CMAKE_SOURCE_DIR} -std=c11 -Os -g -Wall -Wextra -Werror -Wconversion -ffunction-sections -fdata-sections
  -DPICOLIBC_INTEGER_PRINTF_SCANF -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
find_program(TERN_RISCV_OBJCOPY riscv64-unknown-elf-objcopy REQUIRED)

function(tern_firmware_program name)
  cmake_parse_arguments(ARG "" "SCRIPT" "SOURCES" ${ARGN})
  set(objects "")
  foreach(source ${ARG_SOURCES})
    get_filename_component(stem ${source} NAME)
    tern_riscv_object(objects ${name}.${stem}.o ${source} "Firmware object" ${TERN_FIRMWARE_FLAGS})
  endforeach()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  set(bin ${CMAKE_CURRENT_BINARY_DIR}/${name}.bin)
  get_filename_component(script ${ARG_SCRIPT} ABSOLUTE)
  add_custom_command(OUTPUT ${elf} ${bin}
    COMMAND ${TERN_RISCV_CC} ${TERN_FIRMWARE_FLAGS} -nostartfiles
      -Wl,--gc-sections,--fatal-warnings,--no-warn-rwx-segments -T ${script} ${objects} -o ${elf}
    COMMAND ${TERN_RISCV_OBJCOPY} -O binary ${elf} ${bin}
    DEPENDS ${objects} ${script}
    COMMENT "Firmware program ${name}.elf" VERBATIM)
endfunction()
