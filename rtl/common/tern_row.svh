// SPDX-License-Identifier: Apache-2.0
// Wide inputs of tasks. Verilator 5.006 copies an `input`, which costs as much as the work on a
// row, but passes a `const ref` by reference (cmake/TernVerilate.cmake). Later versions copy
// nothing; synthesis knows no references and needs none.
`ifndef TERN_ROW_SVH
`define TERN_ROW_SVH

`ifdef TERN_CONST_REF
`define TERN_ROW_IN const ref
`else
`define TERN_ROW_IN input
`endif

`endif
