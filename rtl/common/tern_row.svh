// SPDX-License-Identifier: Apache-2.0
// Rows of lanes: wide inputs of tasks, and which form of a row is built.
//
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

// Default of the parameters SplitPaths: rows of lanes have paths of their own for frequent cases in
// simulation, one path in synthesis.
`ifdef SYNTHESIS
`define TERN_SPLIT_PATHS 1'b0
`else
`define TERN_SPLIT_PATHS 1'b1
`endif

`endif
