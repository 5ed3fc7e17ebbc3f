# Proofs of the crossings (README.md, "Proofs"), included by CMakeLists.txt.
set(folders "${rtl}/common ${rtl}/cdc")
foreach(ratio 2 4)
  tern_add_proof(cdc "to a clock slower by ${ratio}" TOP cdc_down FOLDERS "${folders}" PARAMS "Width=3 Ratio=${ratio}"
    SOURCES ${down})
  tern_add_proof(cdc "to a clock faster by ${ratio}" TOP cdc_up FOLDERS "${folders}" PARAMS "Width=3 Ratio=${ratio}"
    SOURCES ${up})
endforeach()
tern_add_proof(cdc "to a clock slower by 3" TOP cdc_down FOLDERS "${folders}" PARAMS "Width=3 Ratio=3"
  SOURCES ${down} FAULTS
  "a word is lost when a full buffer leaves | cdc_down.sv: CountW'(take && full) => '0"
  "words leave before the slow clock's edge | cdc_down.sv: = edge_i && (!valid_o || ready_i) => = (!valid_o || ready_i)")
tern_add_proof(cdc "to a clock faster by 3" TOP cdc_up FOLDERS "${folders}" PARAMS "Width=3 Ratio=3"
  SOURCES ${up} FAULTS
  "ready without room | cdc_up.sv: ready_o <= fill <= FillW'(Ratio) => ready_o <= fill <= FillW'(Ratio + 1)"
  "ready changes with the fast clock | cdc_up.sv: if (edge_i) ready_o <= => ready_o <=")
# Both clocks of the FIFO rise and fall at any times.
function(cdc_fifo_proof name parameters)
  tern_add_yosys_test("cdc: ${name}" LABEL full SCRIPT prove
    ARGUMENTS ${ARGN} --clocks cdc_fifo "${folders}" "${parameters}" - 2 ${fifo})
endfunction()
cdc_fifo_proof("proof, FIFO of 4 words" "Width=2 Depth=4")
cdc_fifo_proof("proof, FIFO of 8 words" "Width=2 Depth=8")
cdc_fifo_proof("proof, FIFO with three stages" "Width=2 Depth=4 Stages=3")
cdc_fifo_proof("no proof with a fault, nothing waits for room" "Width=2 Depth=4" --fault
  "cdc_fifo.sv: assign push          = write_valid_i && write_ready_o => assign push          = write_valid_i")
cdc_fifo_proof("no proof with a fault, a pointer crosses as a number" "Width=2 Depth=4" --fault
  "cdc_pointer.sv: gray_o  <= next ^ (next >> 1) => gray_o  <= next")
cdc_fifo_proof("no proof with a fault, the pointer leaves before the word" "Width=2 Depth=4" --fault
  "cdc_fifo.sv: mem[write_ptr[PtrW-1:0]] <= write_data_i => mem[write_ptr[PtrW-1:0] - 1'b1] <= write_data_i")
