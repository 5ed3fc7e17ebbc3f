// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/registers.yaml and docs/spec/isa.yaml by tern_spec_gen: do not edit.
package dma_spec_pkg;
  // Offsets of the registers; those of a ring: of ring 0
  localparam logic [11:0] RegRingTxBase = 12'h000;
  localparam logic [11:0] RegRingRxBase = 12'h008;
  localparam logic [11:0] RegRingSize = 12'h010;
  localparam logic [11:0] RegRingTail = 12'h014;
  localparam logic [11:0] RegRingHead = 12'h018;
  localparam logic [11:0] RegRingStatus = 12'h01c;
  localparam logic [11:0] RegRingReleased = 12'h020;
  localparam logic [11:0] RegRingClass = 12'h024;
  localparam logic [11:0] RegRingFault = 12'h028;
  localparam logic [11:0] RegRingFaultIndex = 12'h02c;
  localparam logic [11:0] RegRingFaultAddress = 12'h030;
  localparam logic [11:0] RegRingCrc = 12'h038;
  localparam logic [11:0] RegRingAbort = 12'h03c;
  localparam logic [11:0] RegEngineState = 12'h400;
  localparam logic [11:0] RegQosPolicy = 12'h408;
  localparam logic [11:0] RegQosRate = 12'h410;
  localparam logic [11:0] RegQosDepth = 12'h420;
  // Fields of a descriptor: the lowest bit of 128
  localparam int unsigned DescLengthLsb = 0;
  localparam int unsigned DescLengthWidth = 16;
  localparam int unsigned DescRingIdLsb = 24;
  localparam int unsigned DescRingIdWidth = 2;
  localparam int unsigned DescFirstLsb = 26;
  localparam int unsigned DescFirstWidth = 1;
  localparam int unsigned DescLastLsb = 27;
  localparam int unsigned DescLastWidth = 1;
  localparam int unsigned DescIntEnLsb = 28;
  localparam int unsigned DescIntEnWidth = 1;
  localparam int unsigned DescDmbLsb = 30;
  localparam int unsigned DescDmbWidth = 1;
  localparam int unsigned DescMetaLsb = 32;
  localparam int unsigned DescMetaWidth = 32;
  localparam int unsigned DescScaleLsb = 32;
  localparam int unsigned DescScaleWidth = 32;
  localparam int unsigned DescOpLsb = 32;
  localparam int unsigned DescOpWidth = 4;
  localparam int unsigned DescSrcDtypeLsb = 36;
  localparam int unsigned DescSrcDtypeWidth = 4;
  localparam int unsigned DescDstDtypeLsb = 40;
  localparam int unsigned DescDstDtypeWidth = 4;
  localparam int unsigned DescCrcLsb = 44;
  localparam int unsigned DescCrcWidth = 2;
  localparam int unsigned DescExtLsb = 48;
  localparam int unsigned DescExtWidth = 2;
  localparam int unsigned DescWriteOpLsb = 52;
  localparam int unsigned DescWriteOpWidth = 2;
  localparam int unsigned DescAddressLsb = 64;
  localparam int unsigned DescAddressWidth = 64;
  localparam int unsigned DescCount0Lsb = 32;
  localparam int unsigned DescCount0Width = 16;
  localparam int unsigned DescCount1Lsb = 48;
  localparam int unsigned DescCount1Width = 16;
  localparam int unsigned DescStride0Lsb = 64;
  localparam int unsigned DescStride0Width = 32;
  localparam int unsigned DescStride1Lsb = 96;
  localparam int unsigned DescStride1Width = 32;
  // dma_op
  localparam logic [3:0] OpCopy = 4'd0;
  localparam logic [3:0] OpCast = 4'd1;
  localparam logic [3:0] OpAdd = 4'd2;
  localparam logic [3:0] OpMin = 4'd3;
  localparam logic [3:0] OpMax = 4'd4;
  localparam logic [3:0] OpFma = 4'd5;
  localparam logic [3:0] OpTranspose = 4'd6;
  localparam logic [3:0] OpImmediate = 4'd7;
  // dma_dtype
  localparam logic [3:0] DtypeFp32 = 4'd0;
  localparam logic [3:0] DtypeBf16 = 4'd1;
  localparam logic [3:0] DtypeFp16 = 4'd2;
  // dma_write_op
  localparam logic [1:0] WriteStore = 2'd0;
  localparam logic [1:0] WriteAddFp32 = 2'd1;
  localparam logic [1:0] WriteAddBf16 = 2'd2;
  // dma_fault
  localparam logic [4:0] FaultNone = 5'd0;
  localparam logic [4:0] FaultPhase = 5'd1;
  localparam logic [4:0] FaultReserved = 5'd2;
  localparam logic [4:0] FaultFirst = 5'd3;
  localparam logic [4:0] FaultMismatch = 5'd4;
  localparam logic [4:0] FaultTooLong = 5'd5;
  localparam logic [4:0] FaultSums = 5'd6;
  localparam logic [4:0] FaultOperation = 5'd7;
  localparam logic [4:0] FaultIntEn = 5'd8;
  localparam logic [4:0] FaultBase = 5'd9;
  localparam logic [4:0] FaultSize = 5'd10;
  localparam logic [4:0] FaultOverrun = 5'd11;
  localparam logic [4:0] FaultAlignment = 5'd12;
  localparam logic [4:0] FaultFetch = 5'd13;
  localparam logic [4:0] FaultRead = 5'd14;
  localparam logic [4:0] FaultWrite = 5'd15;
  localparam logic [4:0] FaultEcc = 5'd16;
  localparam logic [4:0] FaultCrc = 5'd17;
  localparam logic [4:0] FaultAbort = 5'd18;
  localparam logic [4:0] FaultCompletion = 5'd19;
endpackage
