// SPDX-License-Identifier: Apache-2.0
// Operands of array A: from the formats in memory to the common form of fp_pkg, and where the
// weights of a sparse tile find their partners.
package tensor_operand_pkg;

  // no_inline_task: one copy in the simulator's C++ instead of one for every row and use.

  // Recodes one operand, found in the lower bits of x; exact. Subnormals are normalised.
  function automatic logic [31:0] recode(input logic [31:0] x, input logic [2:0] form);
    // verilator no_inline_task
    logic        is_fp16, split, low, sign, special, nan, zero;
    logic [31:0] word, exp;
    logic [7:0]  field;
    logic [11:0] sig;
    is_fp16 = form == tensor_pkg::FormFp16;
    low     = form == tensor_pkg::FormFp32Low;
    split   = low || form == tensor_pkg::FormFp32High;
    word    = (form == tensor_pkg::FormBf16) ? {x[15:0], 16'd0} : x;
    sign    = is_fp16 ? x[15] : word[31];
    field   = is_fp16 ? {3'd0, x[14:10]} : word[30:23];
    word    = is_fp16 ? {9'd0, x[9:0], 13'd0} : {9'd0, word[22:0]};
    special = field == (is_fp16 ? 8'h1F : 8'hFF);
    nan     = special && (word != 32'd0 || split);  // Infinities do not survive a split
    sig     = low ? word[11:0] : {field != 8'd0, word[22:12]};
    sig     = (form == tensor_pkg::FormTf32) ? sig & 12'hFFE : sig;
    zero    = sig == 12'd0 && !special;
    // Exponent of the field (a subnormal has the smallest normal one), biased.
    exp = {24'd0, field} + {31'd0, field == 8'd0}
        + fp_pkg::RecExpBias - (is_fp16 ? 32'd15 : low ? 32'd139 : 32'd127);
    if (!sig[11]) begin
      if (sig[11:4] == 8'd0) begin
        sig = sig << 8;
        exp = exp - 32'd8;
      end
      if (sig[11:8] == 4'd0) begin
        sig = sig << 4;
        exp = exp - 32'd4;
      end
      if (sig[11:10] == 2'd0) begin
        sig = sig << 2;
        exp = exp - 32'd2;
      end
      if (!sig[11]) begin
        sig = sig << 1;
        exp = exp - 32'd1;
      end
    end
    exp    = special ? fp_pkg::RecExpInf : zero ? 32'd0 : exp;
    sig    = special ? 12'h800 : sig;
    recode = {sign, nan, special && !nan, zero, 1'b1, 5'd0, exp[9:0], sig};
  endfunction

  // The same for the moving factor of a product.
  function automatic logic [31:0] moving(input logic [31:0] x, input logic [2:0] form);
    // verilator no_inline_task
    logic [31:0] rec;
    rec    = recode(x, form);
    moving = {rec[31], 1'b1, rec[fp_pkg::RecZeroBit], rec[fp_pkg::RecInfBit],
              rec[fp_pkg::RecNanBit], 5'd0, rec[21:0]};
  endfunction

  // Element i of the sixteen bytes that a LoadStationary reads at once, as its lane keeps it.
  function automatic logic [31:0] weight(input logic [127:0] data, input logic [1:0] i,
                                         input logic [2:0] form);
    // verilator no_inline_task
    logic [31:0] x;
    if (form == tensor_pkg::FormRaw8) begin
      x = {24'd0, data[i*8+:8]};
    end else if (form == tensor_pkg::FormBf16 || form == tensor_pkg::FormFp16 ||
                 form == tensor_pkg::FormRaw16) begin
      x = {16'd0, data[i*16+:16]};
    end else begin
      x = data[i*32+:32];
    end
    if (form == tensor_pkg::FormRaw8 || form == tensor_pkg::FormRaw16 ||
        form == tensor_pkg::FormRaw32) begin
      weight = x;
    end else begin
      weight = recode(x, form);
    end
  endfunction

  // The bits {skip, place} of a sparse weight (26:22 of the common form, skip lowest). The window
  // holds four partitions with four planes each, word 4 * partition + plane. `row` is the row's
  // number in its group of four; a position outside the pattern is skipped.
  function automatic logic [4:0] partner(input logic [3:0] position, input logic [2:0] sparsity,
                                         input logic [1:0] row);
    // verilator no_inline_task
    logic [2:0] kept;        // M
    logic [1:0] first;       // First partition of the row's own M
    logic [1:0] up;          // Partitions below that
    logic [1:0] plane;
    kept  = tensor_pkg::kept(sparsity);
    first = (kept == 3'd4) ? 2'd0 : (kept == 3'd2) ? {row[1], 1'b0} : row;
    case (tensor_pkg::plane_count(sparsity))
      3'd4: begin
        up    = position[3:2];
        plane = position[1:0];
      end
      3'd3: begin
        up    = (position >= 4'd9) ? 2'd3 : (position >= 4'd6) ? 2'd2 : {1'b0, position >= 4'd3};
        plane = position[1:0] + up;  // Position - 3 * up
      end
      default: begin
        up    = position[2:1];
        plane = {1'b0, position[0]};
      end
    endcase
    partner = {first + up, plane, {1'b0, position} >= tensor_pkg::group_size(sparsity)};
  endfunction

endpackage
