# Joins the generated C++ of one Verilation into a single unit, so that its file names need not be known
# before Verilator has run and the compiler sees the whole model at once.
file(GLOB parts RELATIVE ${DIR} ${DIR}/${PREFIX}*.cpp)
list(REMOVE_ITEM parts ${PREFIX}__all.cpp)
list(SORT parts)
set(text "")
foreach(part ${parts})
  string(APPEND text "#include \"${part}\"\n")
endforeach()
file(WRITE ${DIR}/${PREFIX}__all.cpp "${text}")
