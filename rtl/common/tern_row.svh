// SPDX-License-Identifier: Apache-2.0
// Wide inputs of tasks. The simulator copies an `input`, which costs as much as the work on a row,
// but passes a `const ref` by reference; synthesis knows no references and needs none.
`ifndef TERN_ROW_SVH
`define TERN_ROW_SVH

`ifdef VERILATOR
`define TERN_ROW_IN const ref
`else
`define TERN_ROW_IN input
`endif

`endif
