// SPDX-License-Identifier: Apache-2.0
// Which class is served: round robin over those that wait by right, else the most urgent one.
module qos_class_pick (
  input  logic [qos_pkg::Classes-1:0] waiting_i,
  input  logic [qos_pkg::Classes-1:0] right_i,
  input  logic [1:0]                  last_i,     // Most recently served by right
  output logic [1:0]                  class_o,
  output logic                        by_right_o
);
  logic [qos_pkg::Classes-1:0] rightful, unused_grant;
  logic [1:0] next, urgent;

  assign rightful = waiting_i & right_i;

  qos_round_robin #(.Requesters(qos_pkg::Classes)) u_round (
    .req_i   (rightful),
    .last_i  (last_i),
    .grant_o (unused_grant),
    .index_o (next)
  );

  assign urgent     = waiting_i[0] ? 2'd0 : waiting_i[1] ? 2'd1 : waiting_i[2] ? 2'd2 : 2'd3;
  assign by_right_o = rightful != '0;
  assign class_o    = by_right_o ? next : urgent;
endmodule
