# Proofs of the tensor engine's control (README.md, "Proofs"), included by CMakeLists.txt. Full size unless parameters say else.
set(folders "${rtl}/common ${rtl}/tensor")
set(packages ${rtl}/common/tern_spec_pkg.sv ${rtl}/tensor/tensor_pkg.sv ${rtl}/tensor/tensor_ctrl_pkg.sv)

set(ctrl_parts tensor_plan tensor_check tensor_records tensor_ramp tensor_cells tensor_paths tensor_windows tensor_load_seq
  tensor_drain_seq tensor_moves tensor_mx_load_seq tensor_mx_moves)
list(TRANSFORM ctrl_parts PREPEND ${rtl}/tensor/ OUTPUT_VARIABLE ctrl_files)
list(TRANSFORM ctrl_files APPEND .sv)
list(JOIN ctrl_parts " " ctrl_free)
tern_add_proof(tensor "commands" TOP tensor_ctrl FOLDERS "${folders}" FREE "tern_fifo ${ctrl_free}"
  SOURCES ${packages} ${rtl}/common/tern_regfile.sv ${rtl}/common/tern_fifo.sv ${ctrl_files} ${rtl}/tensor/tensor_tile_delay.sv
    ${rtl}/tensor/tensor_pattern.sv ${rtl}/tensor/tensor_move_seq.sv ${rtl}/tensor/tensor_mx_move_seq.sv
    ${rtl}/tensor/tensor_ctrl.sv
  FAULTS
  "one command too many | tensor_ctrl.sv: cmd_ready_o = count_q < => cmd_ready_o = count_q <="
  "a rejected command writes | tensor_ctrl.sv: assign dest_valid_o = start && => assign dest_valid_o = issue &&"
  "a slot is skipped | tensor_ctrl.sv: CommandDepth - 1) ? '0 : slot_q + => CommandDepth - 2) ? '0 : slot_q +")

tern_add_proof(tensor "statuses" TOP tensor_retire FOLDERS "${folders}"
  SOURCES ${packages} ${rtl}/tensor/tensor_retire.sv FAULTS
  "a bad tag is lost | tensor_retire.sv: if (load_done_i && load_bad_i) code_q => if (load_done_i && load_bad_i && retire_o) code_q"
  "a completion is lost | tensor_retire.sv: done_q <= (done & => done_q <= ((done_q | psum_done_i) &")

tern_add_proof(tensor "PSUM windows" TOP tensor_windows FOLDERS "${folders}" PARAMS "PsumBanks=8"
  SOURCES ${packages} ${rtl}/tensor/tensor_windows.sv FAULTS
  "one cycle early | tensor_windows.sv: left_q > 16'(plan_i.latency) => left_q > 16'(plan_i.latency) + 16'd1"
  "quad claims a quarter | tensor_windows.sv: plan_i.quad ? b % SlotBanks : b => b")

set(psum_parts tensor_psum_merge tensor_psum_port tensor_psum_table tensor_psum_random)
list(TRANSFORM psum_parts PREPEND ${rtl}/tensor/ OUTPUT_VARIABLE psum_files)
list(TRANSFORM psum_files APPEND .sv)
list(PREPEND psum_files ${rtl}/common/tern_sram.sv)
list(JOIN psum_parts " " psum_free)
set(psum_free "tern_sram ${psum_free}")
tern_add_proof(tensor "PSUM ports" TOP tensor_psum FOLDERS "${folders}" FREE "${psum_free}"
  PARAMS "Cols=16 PsumBanks=4 BankColumns=2"
  SOURCES ${packages} ${rtl}/arith/fp_pkg.sv ${rtl}/arith/fadd_row.sv ${rtl}/arith/bf16_round_row.sv ${rtl}/arith/xorwow_row.sv
    ${psum_files} ${rtl}/tensor/tensor_psum.sv
  FAULTS
  "access meets a transpose | tensor_psum.sv: if (valid[p][j] && bank[p][j] == access_i.bank) => if (p < 4 && valid[p][j] && bank[p][j] == access_i.bank)")
tern_add_proof(tensor "PSUM ports, eight banks" LABEL nightly TOP tensor_psum FOLDERS "${folders}" FREE "${psum_free}"
  PARAMS "Cols=16 PsumBanks=8 BankColumns=2"
  SOURCES ${packages} ${rtl}/arith/fp_pkg.sv ${rtl}/arith/fadd_row.sv ${rtl}/arith/bf16_round_row.sv ${rtl}/arith/xorwow_row.sv
    ${psum_files} ${rtl}/tensor/tensor_psum.sv)

# Both forms of a row of array A (rtl/arith/README.md), with four lanes: the bits and cycles of simulation are those of synthesis.
set(equal_sources ${rtl}/common/tern_spec_pkg.sv ${rtl}/common/tern_stage.sv ${rtl}/common/tern_delay.sv ${rtl}/arith/fp_pkg.sv
  ${rtl}/tensor/tensor_pkg.sv ${rtl}/tensor/tensor_operand_pkg.sv ${rtl}/arith/fma_pkg.sv ${rtl}/arith/fma_lane.sv
  ${rtl}/arith/fma_row.sv ${CMAKE_SOURCE_DIR}/tb/tensor/array/fma_row_equal.sv)
tern_add_proof(arith "both forms of fma_row, one factor" TOP fma_row_equal FOLDERS "${rtl}/common" DEFINES SYNTHESIS
  PARAMS "Case=0 Stages=1" SOURCES ${equal_sources} FAULTS
  "NaN is looked for in vain | fma_row.sv: if (odd != 32'd0) begin => if (odd == 32'd0) begin"
  "a lane passes NaN on as it is | fma_lane.sv: product.special.nan      = add_i && => product.special.nan      = 1'b0 &&")
tern_add_proof(arith "both forms of fma_row, all other cases" TOP fma_row_equal FOLDERS "${rtl}/common" DEFINES SYNTHESIS
  PARAMS "Case=1 Stages=1" SOURCES ${equal_sources})
