// SPDX-License-Identifier: Apache-2.0
// Numbers of the QoS arbiter.
package qos_pkg;
  localparam int unsigned Classes = 4;

  // As in the specification (qos_policy). Any other value: round robin.
  localparam logic [1:0] PolicyStrict   = 2'd1;
  localparam logic [1:0] PolicyWeighted = 2'd2;
endpackage
