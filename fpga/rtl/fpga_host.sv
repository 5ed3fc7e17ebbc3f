// SPDX-License-Identifier: Apache-2.0
// Requests of the host: each frame is answered by one frame. It reads and writes the memory, rings
// the doorbell and resets the ring.
module fpga_host #(
  parameter int unsigned MemWords  = 16384,
  parameter int unsigned SbufWords = 16384,
  parameter int unsigned PsumWords = 512,    // Of a column
  parameter int unsigned Rows      = 2,
  parameter int unsigned Cols      = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // The frame in the buffer.
  input  logic                frame_i,
  input  logic                good_i,
  input  logic          [9:0] bytes_i,
  output logic                busy_o,
  output logic          [9:0] address_o,  // Its byte is data_i in the next cycle
  input  logic          [7:0] data_i,
  // The answer.
  output logic                valid_o,
  input  logic                ready_i,
  output logic                last_o,
  output logic          [7:0] data_o,
  // Memory: granted in every cycle.
  output fpga_pkg::access_t   mem_o,
  input  logic         [31:0] mem_i,
  // Ring.
  output logic                doorbell_o,
  output logic                reset_o,
  output logic         [15:0] tail_o
);
  typedef enum logic [3:0] {
    Rest, Fetch, Check, Gather, Store, Kind, Number, Info, Code, Load, Loaded, Send
  } state_e;
  state_e      state_q;
  logic [39:0] head_q;    // The first five bytes, the first in the lowest place
  logic  [9:0] at_q;      // Next byte of the buffer
  logic        known_q;   // A byte has been asked for in the last cycle
  logic  [9:0] bytes_q;
  logic [31:0] word_q;
  logic  [1:0] lane_q;
  logic  [2:0] index_q;
  logic  [7:0] left_q;    // Words
  logic [15:0] where_q;   // Word of the memory
  logic  [7:0] code_q;    // Of a refusal; 0: none
  logic  [7:0] kind, number, count;
  logic [15:0] place;

  assign kind   = head_q[7:0];
  assign number = head_q[15:8];
  assign place  = head_q[31:16];
  assign count  = head_q[39:32];

  function automatic logic [7:0] log2_of(input int unsigned n);
    log2_of = 8'($clog2(n));
  endfunction
  localparam logic [47:0] InfoBytes = {log2_of(PsumWords), log2_of(SbufWords), log2_of(MemWords),
                                       8'(Cols), 8'(Rows), fpga_pkg::Version};

  logic in_range, fits;
  assign in_range = 17'(place) + 17'(count) <= 17'(MemWords) && count <= 8'(fpga_pkg::MaxWords);
  assign fits   = bytes_q == ((kind == fpga_pkg::ReqWrite) ? 10'd5 + {count, 2'b00} :
                              (kind == fpga_pkg::ReqRead) ? 10'd5 :
                              (kind == fpga_pkg::ReqDoorbell) ? 10'd4 : 10'd2);

  assign busy_o     = state_q != Rest;
  assign address_o  = at_q;
  assign tail_o     = place;
  assign doorbell_o = state_q == Check && code_q == 8'd0 && kind == fpga_pkg::ReqDoorbell && fits;
  assign reset_o    = state_q == Check && code_q == 8'd0 && kind == fpga_pkg::ReqReset && fits;
  assign mem_o      = {state_q == Store || state_q == Load, state_q == Store, where_q, word_q};

  always_comb begin
    valid_o = 1'b0;
    last_o  = 1'b0;
    data_o  = (code_q != 8'd0) ? fpga_pkg::Nak : kind | fpga_pkg::Answer;
    unique case (state_q)
      Kind: valid_o = 1'b1;
      Number: begin
        valid_o = 1'b1;
        data_o  = number;
        last_o  = code_q == 8'd0 && (kind == fpga_pkg::ReqWrite || kind == fpga_pkg::ReqDoorbell
                                     || kind == fpga_pkg::ReqReset);
      end
      Info: begin
        valid_o = 1'b1;
        data_o  = InfoBytes[{index_q, 3'd0}+:8];
        last_o  = index_q == 3'd5;
      end
      Code: begin
        valid_o = 1'b1;
        data_o  = code_q;
        last_o  = 1'b1;
      end
      Send: begin
        valid_o = 1'b1;
        data_o  = word_q[7:0];
        last_o  = lane_q == 2'd3 && left_q == 8'd1;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Rest;
      head_q  <= '0;
      at_q    <= '0;
      known_q <= 1'b0;
      bytes_q <= '0;
      word_q  <= '0;
      lane_q  <= '0;
      index_q <= '0;
      left_q  <= '0;
      where_q <= '0;
      code_q  <= '0;
    end else begin
      unique case (state_q)
        Rest: begin
          at_q    <= '0;
          known_q <= 1'b0;
          index_q <= '0;
          lane_q  <= '0;
          bytes_q <= bytes_i;
          code_q  <= good_i ? 8'd0 : fpga_pkg::NakFrame;
          if (frame_i) state_q <= Fetch;
        end
        // Five bytes, whether the frame has them or not; then where the data begin.
        Fetch: begin
          known_q <= 1'b1;
          if (known_q) begin
            head_q  <= {data_i, head_q[39:8]};
            index_q <= index_q + 1'b1;
          end
          if (index_q == 3'd4 && known_q) begin
            index_q <= '0;
            known_q <= 1'b0;
            at_q    <= 10'd5;
            state_q <= Check;
          end else begin
            at_q <= at_q + 1'b1;
          end
        end
        Check: begin
          left_q  <= count;
          where_q <= place;
          state_q <= Kind;
          if (code_q == 8'd0) begin
            if (kind == 8'd0 || kind > fpga_pkg::ReqReset) begin
              code_q <= fpga_pkg::NakRequest;
            end else if (!fits || ((kind == fpga_pkg::ReqWrite || kind == fpga_pkg::ReqRead)
                                   && (!in_range || count == 8'd0))) begin
              code_q <= fpga_pkg::NakRange;
            end else if (kind == fpga_pkg::ReqWrite) begin
              state_q <= Gather;
            end
          end
        end
        Gather: begin
          known_q <= !known_q;
          if (known_q) begin
            word_q <= {data_i, word_q[31:8]};
            lane_q <= lane_q + 1'b1;
            if (lane_q == 2'd3) state_q <= Store;
          end else begin
            at_q <= at_q + 1'b1;
          end
        end
        Store: begin
          where_q <= where_q + 1'b1;
          left_q  <= left_q - 1'b1;
          state_q <= (left_q == 8'd1) ? Kind : Gather;
        end
        Kind: if (ready_i) state_q <= Number;
        Number: begin
          if (ready_i) begin
            state_q <= (code_q != 8'd0) ? Code : (kind == fpga_pkg::ReqInfo) ? Info
                     : (kind == fpga_pkg::ReqRead) ? Load : Rest;
          end
        end
        Info: begin
          if (ready_i) begin
            index_q <= index_q + 1'b1;
            if (last_o) state_q <= Rest;
          end
        end
        Code: if (ready_i) state_q <= Rest;
        Load: state_q <= Loaded;
        Loaded: begin
          word_q  <= mem_i;
          where_q <= where_q + 1'b1;
          state_q <= Send;
        end
        default: begin  // Send
          if (ready_i) begin
            word_q <= word_q >> 8;
            lane_q <= lane_q + 1'b1;
            if (lane_q == 2'd3) begin
              left_q  <= left_q - 1'b1;
              state_q <= last_o ? Rest : Load;
            end
          end
        end
      endcase
    end
  end
endmodule
