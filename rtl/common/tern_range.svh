// SPDX-License-Identifier: Apache-2.0
// The range of a 32-bit word, stated for synthesis: it cannot find it and would keep all bits.
// The word already has this range, so a simulation does not mask it: each operation costs speed.
// The netlist tests prove that both agree (fpga/README.md). Packages include this file, too.
`ifndef TERN_RANGE_SVH
`define TERN_RANGE_SVH

`ifdef SYNTHESIS
`define TERN_UNSIGNED(Bits, word) ((word) & 32'((64'd1 << Bits) - 64'd1))
`define TERN_SIGNED(Bits, word) {{(32 - Bits){word[Bits-1]}}, word[Bits-1:0]}
`else
`define TERN_UNSIGNED(Bits, word) (word)
`define TERN_SIGNED(Bits, word) word
`endif

`endif
