# Joins the generated C++ of one Verilation into a single unit, so that its file names need not be known
# before Verilator has run and the compiler sees the whole model at once.
file(GLOB parts RELATIVE ${DIR} ${DIR}/${PREFIX}*.cpp)
list(REMOVE_ITEM parts ${PREFIX}__all.cpp)
list(SORT parts)

# Verilator clears the wide outputs of tasks before every call, at the head of the calling function, whether
# the call happens or not: half a megabyte a cycle in the tensor engine. In SystemVerilog they begin as X.
list(TRANSFORM parts PREPEND ${DIR}/ OUTPUT_VARIABLE files)
execute_process(COMMAND sed -i -E "s/VL_ZERO_W\\([0-9]+, __Vtask_\\w+\\);//" ${files} COMMAND_ERROR_IS_FATAL ANY)

set(text "")
foreach(part ${parts})
  string(APPEND text "#include \"${part}\"\n")
endforeach()
file(WRITE ${DIR}/${PREFIX}__all.cpp "${text}")
