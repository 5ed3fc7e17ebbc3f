// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/{dma,registers,isa}.yaml by tern_spec_gen: do not edit.
// Numbers of the QoS arbiter.
package qos_pkg;
  localparam int unsigned Classes = 4;  // traffic classes; 0 is the most urgent
  localparam int unsigned RateBits = 16;  // of a share
  localparam int unsigned DepthBits = 20;  // of the depth of a bucket in bytes
  localparam int unsigned FractionBits = 8;  // a share counts 2^-FractionBits byte per cycle
  localparam int unsigned ChargeBits = 23;  // a packet is charged by fewer than 2^ChargeBits bytes
  // Of all classes together, class 0 lowest
  localparam int unsigned RatesW = Classes * RateBits;
  localparam int unsigned DepthsW = Classes * DepthBits;

  // qos_policy; any other value: round robin.
  localparam logic [1:0] PolicyStrict = 2'd1;
  localparam logic [1:0] PolicyWeighted = 2'd2;
endpackage
