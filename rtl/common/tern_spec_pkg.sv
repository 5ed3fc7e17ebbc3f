// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/formats.yaml by tern_spec_gen: do not edit.
package tern_spec_pkg;
  // Codes of the number formats
  localparam logic [4:0] DtypeNone = 5'd0;
  localparam logic [4:0] DtypeInt8 = 5'd2;
  localparam logic [4:0] DtypeUint8 = 5'd3;
  localparam logic [4:0] DtypeInt16 = 5'd4;
  localparam logic [4:0] DtypeUint16 = 5'd5;
  localparam logic [4:0] DtypeBf16 = 5'd6;
  localparam logic [4:0] DtypeFp16 = 5'd7;
  localparam logic [4:0] DtypeInt32 = 5'd8;
  localparam logic [4:0] DtypeUint32 = 5'd9;
  localparam logic [4:0] DtypeFp32 = 5'd10;
  localparam logic [4:0] DtypeTf32 = 5'd11;
  localparam logic [4:0] DtypeE4m3 = 5'd14;
  localparam logic [4:0] DtypeE5m2 = 5'd15;
  localparam logic [4:0] DtypeE4m3fn = 5'd16;
  localparam logic [4:0] DtypeE2m1 = 5'd17;
  localparam logic [4:0] DtypeE8m0 = 5'd18;
  localparam logic [4:0] DtypeE4m3fn_x4 = 5'd20;
  localparam logic [4:0] DtypeE5m2_x4 = 5'd21;
  localparam logic [4:0] DtypeE2m1_x4 = 5'd22;
endpackage
