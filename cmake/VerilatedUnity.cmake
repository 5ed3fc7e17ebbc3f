# Joins the generated C++ of one Verilation into a few units, so that its file names need not be known
# before Verilator has run.
file(GLOB parts RELATIVE ${DIR} ${DIR}/${PREFIX}*.cpp)
list(REMOVE_ITEM parts ${PREFIX}__work0.cpp ${PREFIX}__work1.cpp ${PREFIX}__wave.cpp ${PREFIX}__once.cpp)
list(SORT parts)

# Verilator clears the wide outputs of tasks before every call, at the head of the calling function, whether
# the call happens or not: half a megabyte a cycle in the tensor engine. In SystemVerilog they begin as X.
list(TRANSFORM parts PREPEND ${DIR}/ OUTPUT_VARIABLE files)
# Messages name their source below the tree, so that the same RTL gives the same code in every checkout.
execute_process(COMMAND sed -i -E -e "s/VL_ZERO_W\\([0-9]+, __Vtask_\\w+\\);//" -e "s#\"${ROOT}/#\"#" ${files}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB headers ${DIR}/${PREFIX}_*.h)
execute_process(COMMAND ${ROOT}/cmake/tidy-verilated ${files} ${headers} COMMAND_ERROR_IS_FATAL ANY)

# Units of their own, optimised less: what runs at every cycle of a waveform, and what runs once, which is most of the code.
# The rest is two units of about one size for two cores: who changes a line of RTL waits for this.
set(wave "")
set(once "")
set(work "")
foreach(part ${parts})
  if(part MATCHES "__(Slow|Syms)")
    string(APPEND once "#include \"${part}\"\n")
  elseif(part MATCHES "__Trace")
    string(APPEND wave "#include \"${part}\"\n")
  else()
    file(SIZE ${DIR}/${part} size)
    list(APPEND work "${size} ${part}")
  endif()
endforeach()
list(SORT work COMPARE NATURAL ORDER DESCENDING)
foreach(unit 0 1)
  set(size${unit} 0)
  set(work${unit} "")
endforeach()
foreach(part ${work})
  string(REPLACE " " ";" part ${part})
  list(POP_FRONT part size)
  set(unit 0)
  if(size1 LESS size0)
    set(unit 1)
  endif()
  math(EXPR size${unit} "${size${unit}} + ${size}")
  string(APPEND work${unit} "#include \"${part}\"\n")
endforeach()
foreach(unit work0 work1 wave once)
  file(WRITE ${DIR}/${PREFIX}__${unit}.cpp "${${unit}}")
endforeach()
