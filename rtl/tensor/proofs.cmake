# Proofs of the tensor engine's control (README.md, "Proofs"), included by CMakeLists.txt. Full size unless parameters say else.
set(folders "${rtl}/common ${rtl}/tensor")
set(packages ${rtl}/common/tern_spec_pkg.sv ${rtl}/tensor/tensor_pkg.sv ${rtl}/tensor/tensor_ctrl_pkg.sv)

set(ctrl_parts tensor_plan tensor_check tensor_records tensor_ramp tensor_cells tensor_paths tensor_windows tensor_load_seq
  tensor_drain_seq tensor_moves tensor_mx_load_seq tensor_mx_move_seq)
list(TRANSFORM ctrl_parts PREPEND ${rtl}/tensor/ OUTPUT_VARIABLE ctrl_files)
list(TRANSFORM ctrl_files APPEND .sv)
list(JOIN ctrl_parts " " ctrl_free)
tern_add_proof(tensor "commands" TOP tensor_ctrl FOLDERS "${folders}" FREE "tern_fifo ${ctrl_free}"
  SOURCES ${packages} ${rtl}/common/tern_fifo.sv ${ctrl_files} ${rtl}/tensor/tensor_tile_delay.sv
    ${rtl}/tensor/tensor_pattern.sv ${rtl}/tensor/tensor_move_seq.sv ${rtl}/tensor/tensor_ctrl.sv
  FAULTS
  "one command too many | tensor_ctrl.sv: cmd_ready_o = count_q < => cmd_ready_o = count_q <="
  "a rejected command writes | tensor_ctrl.sv: assign dest_valid_o = start && => assign dest_valid_o = issue &&"
  "a slot is skipped | tensor_ctrl.sv: CommandDepth - 1) ? '0 : slot_q + => CommandDepth - 2) ? '0 : slot_q +")

tern_add_proof(tensor "statuses" TOP tensor_retire FOLDERS "${folders}"
  SOURCES ${packages} ${rtl}/tensor/tensor_retire.sv FAULTS
  "a bad tag is lost | tensor_retire.sv: if (load_done_i && load_bad_i) code_q => if (load_done_i && load_bad_i && retire_o) code_q"
  "a completion is lost | tensor_retire.sv: done_q <= (done & => done_q <= ((done_q | psum_done_i) &")
