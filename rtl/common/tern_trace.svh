// SPDX-License-Identifier: Apache-2.0
// Declarations between TERN_LANES and TERN_LANES_END hold all lanes of a row. A large configuration
// is Verilated with TERN_TRACE_WITHOUT_LANES, which keeps them out of waveforms: thousands of words
// would drown everything else.
`ifndef TERN_TRACE_SVH
`define TERN_TRACE_SVH

`ifdef TERN_TRACE_WITHOUT_LANES
`define TERN_LANES /* verilator tracing_off */
`define TERN_LANES_END /* verilator tracing_on */
`else
`define TERN_LANES
`define TERN_LANES_END
`endif

`endif
