// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/formats.yaml by tern_spec_gen: do not edit.
package tern_spec_pkg;
  // Codes of the number formats
  localparam logic [3:0] DtypeNone = 4'd0;
  localparam logic [3:0] DtypeUint8 = 4'd3;
  localparam logic [3:0] DtypeBf16 = 4'd6;
  localparam logic [3:0] DtypeFp16 = 4'd7;
  localparam logic [3:0] DtypeInt32 = 4'd8;
  localparam logic [3:0] DtypeUint32 = 4'd9;
  localparam logic [3:0] DtypeFp32 = 4'd10;
endpackage
