// SPDX-License-Identifier: Apache-2.0
// Codes of AXI4 and AXI4-Lite (Arm IHI 0022).
package axi_pkg;
  localparam logic [1:0] RespOkay   = 2'd0;
  localparam logic [1:0] RespExOkay = 2'd1;
  localparam logic [1:0] RespSlvErr = 2'd2;
  localparam logic [1:0] RespDecErr = 2'd3;
  localparam logic [1:0] BurstIncr  = 2'd1;
  localparam logic [2:0] Size64     = 3'd6;  // 64 bytes a beat
endpackage
