# Joins the generated C++ of one Verilation into a single unit, so that its file names need not be known
# before Verilator has run and the compiler sees the whole model at once.
file(GLOB parts RELATIVE ${DIR} ${DIR}/${PREFIX}*.cpp)
list(REMOVE_ITEM parts ${PREFIX}__all.cpp ${PREFIX}__rare.cpp)
list(SORT parts)

# Verilator clears the wide outputs of tasks before every call, at the head of the calling function, whether
# the call happens or not: half a megabyte a cycle in the tensor engine. In SystemVerilog they begin as X.
list(TRANSFORM parts PREPEND ${DIR}/ OUTPUT_VARIABLE files)
# Messages name their source below the tree, so that the same RTL gives the same code in every checkout.
execute_process(COMMAND sed -i -E -e "s/VL_ZERO_W\\([0-9]+, __Vtask_\\w+\\);//" -e "s#\"${ROOT}/#\"#" ${files}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB headers ${DIR}/${PREFIX}_*.h)
execute_process(COMMAND ${ROOT}/cmake/tidy-verilated ${files} ${headers} COMMAND_ERROR_IS_FATAL ANY)

# What runs once or only for waveforms is most of the code: a unit of its own, optimised less.
set(all "")
set(rare "")
foreach(part ${parts})
  if(part MATCHES "__(Slow|Syms|Trace)")
    string(APPEND rare "#include \"${part}\"\n")
  else()
    string(APPEND all "#include \"${part}\"\n")
  endif()
endforeach()
file(WRITE ${DIR}/${PREFIX}__all.cpp "${all}")
file(WRITE ${DIR}/${PREFIX}__rare.cpp "${rare}")
