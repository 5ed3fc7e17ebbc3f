// SPDX-License-Identifier: Apache-2.0
// Registers of the engine (docs/reference/registers.md, block dma), doorbells, and the rings' state
// that the host sees. A write of cycle t acts from t + 1; a read shows the state of its cycle.
module dma_regs #(
  parameter int unsigned Rings = 16,
  localparam int unsigned RingW = $clog2(Rings)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // Reset values of qos_policy, qos_rate and qos_depth.
  input  logic [1:0]                     cfg_policy_i,
  input  logic [63:0]                    cfg_rate_i,
  input  logic [79:0]                    cfg_depth_i,
  input  logic                           reg_valid_i,
  input  logic                           reg_write_i,
  input  logic [11:0]                    reg_offset_i,
  input  logic [31:0]                    reg_data_i,
  output logic                           reg_ok_o,   // The register exists and permits this access
  output logic [31:0]                    reg_data_o,
  // Events of this cycle.
  input  logic [dma_pkg::Stops-1:0]      stop_i,     // By dma_pkg::Stop*
  input  logic [dma_pkg::Stops*RingW-1:0] stop_ring_i,
  input  logic [dma_pkg::Stops*5-1:0]    stop_fault_i,
  input  logic [dma_pkg::Stops*24-1:0]   stop_index_i,
  input  logic [dma_pkg::Stops*64-1:0]   stop_address_i,
  input  logic                           push_i,
  input  logic [RingW-1:0]               push_ring_i,
  input  logic                           done_i,
  input  logic [RingW-1:0]               done_ring_i,
  input  logic [6:0]                     done_pairs_i,
  input  logic                           crc_i,
  input  logic [RingW-1:0]               crc_ring_i,
  input  logic [31:0]                    crc_value_i,
  input  logic                           active_i,   // engine_state: something is in flight
  // State.
  output logic [Rings*64-1:0]            tx_base_o,
  output logic [Rings*64-1:0]            rx_base_o,
  output logic [Rings*24-1:0]            size_o,
  output logic [Rings*32-1:0]            released_o,
  output logic [Rings*2-1:0]             class_o,
  output logic [Rings-1:0]               stopped_o,
  output logic [Rings-1:0]               waiting_o,  // Released and not processed, not stopped
  output logic [Rings-1:0]               kill_o,     // Stops or is set up again in this cycle
  output logic [Rings-1:0]               restart_o,
  output logic [Rings-1:0]               stopping_o, // A fault is recorded in this cycle
  output logic [1:0]                     policy_o,
  output logic [63:0]                    rate_o,
  output logic [79:0]                    depth_o
);
  localparam logic [5:0] BaseHigh = 6'h04;

  logic [Rings*32-1:0] head;
  logic [Rings*32-1:0] crc;
  logic [Rings*5-1:0]  fault;
  logic [Rings*24-1:0] index;
  logic [Rings*64-1:0] address;

  // Decoding.
  logic             of_ring, high, write;
  logic [RingW-1:0] ring;
  logic [11:0]      which;                 // Offset within the block of ring 0
  logic [1:0]       qos_class;
  logic             readable, writable;
  logic [31:0]      status;

  assign of_ring   = reg_offset_i < 12'(64 * Rings);
  assign ring      = reg_offset_i[6+:RingW];
  assign which     = {6'd0, reg_offset_i[5:0]};
  assign high      = reg_offset_i[2];
  assign qos_class = reg_offset_i[3:2];

  always_comb begin
    readable   = 1'b0;
    writable   = 1'b0;
    reg_data_o = '0;
    status     = stopped_o[ring]
                     ? ((fault[5*ring+:5] == dma_spec_pkg::FaultAbort) ? 32'd4 : 32'd3)
                     : {31'd0, waiting_o[ring]};
    if (reg_valid_i && of_ring) begin
      readable = 1'b1;
      case (which)
        dma_spec_pkg::RegRingTxBase, dma_spec_pkg::RegRingTxBase | 12'(BaseHigh): begin
          writable   = 1'b1;
          reg_data_o = high ? tx_base_o[64*ring+32+:32] : tx_base_o[64*ring+:32];
        end
        dma_spec_pkg::RegRingRxBase, dma_spec_pkg::RegRingRxBase | 12'(BaseHigh): begin
          writable   = 1'b1;
          reg_data_o = high ? rx_base_o[64*ring+32+:32] : rx_base_o[64*ring+:32];
        end
        dma_spec_pkg::RegRingSize: begin
          writable   = 1'b1;
          reg_data_o = {8'd0, size_o[24*ring+:24]};
        end
        dma_spec_pkg::RegRingTail: begin
          readable = 1'b0;
          writable = 1'b1;
        end
        dma_spec_pkg::RegRingHead:     reg_data_o = head[32*ring+:32];
        dma_spec_pkg::RegRingStatus:   reg_data_o = status;
        dma_spec_pkg::RegRingReleased: reg_data_o = released_o[32*ring+:32];
        dma_spec_pkg::RegRingClass: begin
          writable   = 1'b1;
          reg_data_o = {30'd0, class_o[2*ring+:2]};
        end
        dma_spec_pkg::RegRingFault:      reg_data_o = {27'd0, fault[5*ring+:5]};
        dma_spec_pkg::RegRingFaultIndex: reg_data_o = {8'd0, index[24*ring+:24]};
        dma_spec_pkg::RegRingFaultAddress, dma_spec_pkg::RegRingFaultAddress | 12'(BaseHigh):
          reg_data_o = high ? address[64*ring+32+:32] : address[64*ring+:32];
        dma_spec_pkg::RegRingCrc: reg_data_o = crc[32*ring+:32];
        dma_spec_pkg::RegRingAbort: begin
          readable = 1'b0;
          writable = 1'b1;
        end
        default: readable = 1'b0;
      endcase
    end else if (reg_valid_i) begin
      readable = 1'b1;
      if (reg_offset_i == dma_spec_pkg::RegEngineState) begin
        reg_data_o = active_i ? 32'd2 : 32'd1;
      end else if (reg_offset_i == dma_spec_pkg::RegQosPolicy) begin
        writable   = 1'b1;
        reg_data_o = {30'd0, policy_o};
      end else if ({reg_offset_i[11:4], 4'd0} == dma_spec_pkg::RegQosRate &&
                   reg_offset_i[1:0] == 2'd0) begin
        writable   = 1'b1;
        reg_data_o = {16'd0, rate_o[16*qos_class+:16]};
      end else if ({reg_offset_i[11:4], 4'd0} == dma_spec_pkg::RegQosDepth &&
                   reg_offset_i[1:0] == 2'd0) begin
        writable   = 1'b1;
        reg_data_o = {12'd0, depth_o[20*qos_class+:20]};
      end else begin
        readable = 1'b0;
      end
    end
  end

  assign reg_ok_o = reg_write_i ? writable : readable;
  assign write    = reg_valid_i && reg_write_i && writable;

  // Writes to a ring's registers.
  logic        set_size, size_good, bell, base_bad, overrun, bell_good, bell_stop, abort;
  logic [31:0] released, size, waiting;
  assign size      = {8'd0, size_o[24*ring+:24]};
  assign released  = released_o[32*ring+:32];
  assign waiting   = released - head[32*ring+:32];
  assign set_size  = write && of_ring && (which == dma_spec_pkg::RegRingSize);
  assign size_good = (reg_data_i[31:24] == 8'd0) && (reg_data_i[3:0] == 4'd0) &&
                     (reg_data_i[23:0] >= 24'd32);
  assign bell      = write && of_ring && (which == dma_spec_pkg::RegRingTail) &&
                     (reg_data_i != 32'd0) && !stopped_o[ring];
  assign base_bad  = (size == 32'd0) || (tx_base_o[64*ring+:8] != 8'd0) ||
                     (rx_base_o[64*ring+:8] != 8'd0);
  assign overrun   = 33'(waiting) + 33'(reg_data_i) > 33'(size);
  assign bell_stop = bell && (base_bad || overrun);
  assign bell_good = bell && !base_bad && !overrun;
  assign abort     = write && of_ring && (which == dma_spec_pkg::RegRingAbort) && reg_data_i[0] &&
                     !stopped_o[ring];

  for (genvar r = 0; r < Rings; r++) begin : gen_ring
    logic [63:0] tx_base_q, rx_base_q, address_q;
    logic [31:0] head_q, released_q, crc_q;
    logic [23:0] size_q, index_q;
    logic [4:0]  fault_q;
    logic [1:0]  class_q;
    logic        stopped_q;

    logic        here, stops;
    logic [4:0]  stop_fault;
    logic [23:0] stop_index;
    logic [63:0] stop_address;

    assign here = ring == RingW'(r);

    // The last stop in the list takes precedence.
    always_comb begin
      stops        = here && (bell_stop || abort);
      stop_fault   = abort ? dma_spec_pkg::FaultAbort :
                     base_bad ? dma_spec_pkg::FaultBase : dma_spec_pkg::FaultOverrun;
      stop_index   = '0;
      stop_address = '0;
      if (stop_i != '0) begin
        for (int unsigned i = 0; i < dma_pkg::Stops; i++) begin
          if (stop_i[i] && (stop_ring_i[RingW*i+:RingW] == RingW'(r))) begin
            stops        = 1'b1;
            stop_fault   = stop_fault_i[5*i+:5];
            stop_index   = stop_index_i[24*i+:24];
            stop_address = stop_address_i[64*i+:64];
          end
        end
      end
    end

    assign restart_o[r] = here && set_size;
    assign kill_o[r]    = restart_o[r] || (stops && !stopped_q);
    assign stopping_o[r] = restart_o[r] ? !size_good : (stops && !stopped_q);

    assign tx_base_o[64*r+:64]  = tx_base_q;
    assign rx_base_o[64*r+:64]  = rx_base_q;
    assign size_o[24*r+:24]     = size_q;
    assign released_o[32*r+:32] = released_q;
    assign class_o[2*r+:2]      = class_q;
    assign stopped_o[r]         = stopped_q;
    assign waiting_o[r]         = (released_q != head_q) && !stopped_q;
    assign head[32*r+:32]       = head_q;
    assign crc[32*r+:32]        = crc_q;
    assign fault[5*r+:5]        = fault_q;
    assign index[24*r+:24]      = index_q;
    assign address[64*r+:64]    = address_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        tx_base_q  <= '0;
        rx_base_q  <= '0;
        size_q     <= '0;
        class_q    <= 2'd3;
        head_q     <= '0;
        released_q <= '0;
        crc_q      <= '0;
        stopped_q  <= 1'b0;
        fault_q    <= '0;
        index_q    <= '0;
        address_q  <= '0;
      end else begin
        if (write && of_ring && here) begin
          case (which)
            dma_spec_pkg::RegRingTxBase:                   tx_base_q[31:0]  <= reg_data_i;
            dma_spec_pkg::RegRingTxBase | 12'(BaseHigh): tx_base_q[63:32] <= reg_data_i;
            dma_spec_pkg::RegRingRxBase:                   rx_base_q[31:0]  <= reg_data_i;
            dma_spec_pkg::RegRingRxBase | 12'(BaseHigh): rx_base_q[63:32] <= reg_data_i;
            dma_spec_pkg::RegRingClass:                    class_q          <= reg_data_i[1:0];
            default: ;
          endcase
        end
        if ((bell_good && here) || (push_i && (push_ring_i == RingW'(r)))) begin
          released_q <= released_q + ((bell_good && here) ? reg_data_i : 32'd0) +
                        32'(push_i && (push_ring_i == RingW'(r)));
        end
        if (done_i && (done_ring_i == RingW'(r))) head_q <= head_q + 32'(done_pairs_i);
        if (crc_i && (crc_ring_i == RingW'(r))) crc_q <= crc_value_i;
        if (stops && !stopped_q) begin
          stopped_q <= 1'b1;
          fault_q   <= stop_fault;
          index_q   <= stop_index;
          address_q <= stop_address;
        end
        if (restart_o[r]) begin
          size_q     <= size_good ? reg_data_i[23:0] : 24'd0;
          head_q     <= '0;
          released_q <= '0;
          stopped_q  <= !size_good;
          fault_q    <= size_good ? dma_spec_pkg::FaultNone : dma_spec_pkg::FaultSize;
          index_q    <= '0;
          address_q  <= '0;
        end
      end
    end
  end

  // Arbiter.
  logic        loaded_q;                   // From the first write to one of them on
  logic [1:0]  policy_q;
  logic [63:0] rate_q;
  logic [79:0] depth_q;
  assign policy_o = loaded_q ? policy_q : cfg_policy_i;
  assign rate_o   = loaded_q ? rate_q : cfg_rate_i;
  assign depth_o  = loaded_q ? depth_q : cfg_depth_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      policy_q <= '0;
      rate_q   <= '0;
      depth_q  <= '0;
    end else if (write && !of_ring) begin
      loaded_q <= 1'b1;
      policy_q <= policy_o;
      rate_q   <= rate_o;
      depth_q  <= depth_o;
      if (reg_offset_i == dma_spec_pkg::RegQosPolicy) policy_q <= reg_data_i[1:0];
      if ({reg_offset_i[11:4], 4'd0} == dma_spec_pkg::RegQosRate) begin
        rate_q[16*qos_class+:16] <= reg_data_i[15:0];
      end
      if ({reg_offset_i[11:4], 4'd0} == dma_spec_pkg::RegQosDepth) begin
        depth_q[20*qos_class+:20] <= reg_data_i[19:0];
      end
    end
  end
endmodule
