// SPDX-License-Identifier: Apache-2.0
// Ranges of 32-bit words that synthesis cannot find: it keeps so many bits. The word already has
// this range, so the simulation, whose speed depends on few operations, leaves it alone; that both
// agree is what the tests of netlists compare (fpga/README.md). A guard of its own, for packages.
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
