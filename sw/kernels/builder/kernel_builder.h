// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/builder/array_state.h"
#include "sw/kernels/builder/dma_plan.h"
#include "sw/kernels/builder/hazards.h"
#include "sw/kernels/builder/products.h"
#include "sw/kernels/builder/source_line.h"
#include "sw/kernels/builder/views.h"
#include "sw/kernels/builder/waits.h"
#include "sw/runtime/executable.h"
#include "sw/runtime/range_allocator.h"
#include "systemc/config/chip_config.h"

namespace tern::kernels {

// The operations, by the names of the instruction set.
enum class Alu : std::uint8_t {
  kBypass = TERN_ALU_OP_BYPASS,
  kAdd = TERN_ALU_OP_ADD,
  kSubtract = TERN_ALU_OP_SUBTRACT,
  kMultiply = TERN_ALU_OP_MULTIPLY,
  kMax = TERN_ALU_OP_MAX,
  kMin = TERN_ALU_OP_MIN,
  kIsEq = TERN_ALU_OP_IS_EQ,
  kIsNe = TERN_ALU_OP_IS_NE,
  kIsGe = TERN_ALU_OP_IS_GE,
  kIsGt = TERN_ALU_OP_IS_GT,
  kIsLe = TERN_ALU_OP_IS_LE,
  kIsLt = TERN_ALU_OP_IS_LT,
};
enum class Activation : std::uint8_t {
  kIdentity = TERN_ACT_FUNC_IDENTITY,
  kRelu = TERN_ACT_FUNC_RELU,
  kExp = TERN_ACT_FUNC_EXP,
};
enum class MxRule : std::uint8_t { kAws = TERN_MX_RULE_AWS, kOcp = TERN_MX_RULE_OCP };
// Engines that execute the same instruction: where the author has a choice.
enum class Engine : std::uint8_t { kVector = TERN_QUEUE_VECTOR, kScalar = TERN_QUEUE_SCALAR };

class KernelBuilder;

// N tiles of the same size used in turn: the i-th tile() is the memory of the (i - N)-th, whose
// users it waits for.
class TilePool {
 public:
  Tile tile(const std::string& name, unsigned partitions, std::uint32_t free, DType dtype,
            SourceLine where = SourceLine::here());

 private:
  friend class KernelBuilder;
  Space space_ = Space::kSbuf;
  std::string name_;
  std::uint32_t bytes_ = 0;
  std::vector<std::uint32_t> addresses_;
  std::size_t next_ = 0;
};

// Writes the program of one NeuronCore. Functions append one instruction each, in program order;
// the builder places tiles, inserts the semaphore waits that data dependences need, and checks
// every documented limit. Errors are UserErrors that begin with the caller's source line.
class KernelBuilder {
 public:
  KernelBuilder(std::string name, const ChipConfig& chip);

  // HBM
  Tensor input(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
               SourceLine where = SourceLine::here());
  Tensor weight(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                SourceLine where = SourceLine::here());
  Tensor output(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                SourceLine where = SourceLine::here());
  Tensor scratch(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                 SourceLine where = SourceLine::here());

  // On-chip memory. A tile takes its bytes on all 128 partitions; a PSUM tile takes whole banks of
  // 512 FP32 or 1024 BF16.
  Tile sbuf_tile(const std::string& name, unsigned partitions, std::uint32_t free, DType dtype,
                 SourceLine where = SourceLine::here());
  Tile psum_tile(const std::string& name, unsigned partitions, std::uint32_t free,
                 DType dtype = DType::kFp32, SourceLine where = SourceLine::here());
  // The four results of quad mode, each at its place in a quarter of PSUM: the first is the
  // destination of the product.
  std::array<Tile, 4> psum_quad_tile(const std::string& name, unsigned partitions,
                                     std::uint32_t free, DType dtype = DType::kFp32,
                                     SourceLine where = SourceLine::here());
  void release(const Tile& tile, SourceLine where = SourceLine::here());
  TilePool sbuf_pool(const std::string& name, unsigned buffers, std::uint32_t bytes_per_partition,
                     SourceLine where = SourceLine::here());
  TilePool psum_pool(const std::string& name, unsigned banks,
                     SourceLine where = SourceLine::here());
  std::uint64_t sbuf_free_bytes() const { return sbuf_.free_bytes(); }

  // DMA: tile <- tensor on the Sync queue, tensor <- tile on the GpSimd queue.
  void dma_load(const TileView& tile, const TensorView& tensor,
                SourceLine where = SourceLine::here());
  void dma_store(const TensorView& tensor, const TileView& tile,
                 SourceLine where = SourceLine::here());

  // Tensor engine: psum[M, N] = or += stationary[K, M]^T x moving[K, N], in FP32 or BF16. Operands
  // in other modes than dense: products.h. nc_matmul() does FP32 operands in their four passes.
  void load_stationary(const TensorOperand& stationary, std::optional<ArrayTile> tile = {},
                       SourceLine where = SourceLine::here());
  void multiply_moving(const TileView& psum, const TensorOperand& moving, ProductOptions options,
                       SourceLine where = SourceLine::here());
  void nc_matmul(const TileView& psum, const TensorOperand& stationary, const TensorOperand& moving,
                 ProductOptions options = {}, SourceLine where = SourceLine::here());
  // K up to 512: x4 elements and their scales.
  void nc_matmul_mx(const TileView& psum, const TileView& stationary,
                    const TileView& stationary_scales, const TileView& moving,
                    const TileView& moving_scales, ProductOptions options = {},
                    SourceLine where = SourceLine::here());
  // psum[M, K] = source[K, M]^T, bit for bit; one-byte elements end up two bytes apart.
  void nc_transpose(const TileView& psum, const TileView& source,
                    SourceLine where = SourceLine::here());

  // Scalar engine: dst = func(src * scale + bias), bias an immediate or [P, 1] FP32.
  void activation(const TileView& dst, Activation func, const TileView& src, float scale = 1.0f,
                  float bias = 0.0f, SourceLine where = SourceLine::here());
  void activation(const TileView& dst, Activation func, const TileView& src, float scale,
                  const TileView& bias, SourceLine where = SourceLine::here());
  void tensor_copy(const TileView& dst, const TileView& src, Engine engine = Engine::kVector,
                   SourceLine where = SourceLine::here());

  // Vector engine.
  void tensor_tensor(const TileView& dst, const TileView& src0, Alu op, const TileView& src1,
                     SourceLine where = SourceLine::here());
  // dst = (src op0 scalar0) op1 scalar1; scalar0 an immediate or [P, 1] FP32.
  void tensor_scalar(const TileView& dst, const TileView& src, Alu op0, float scalar0,
                     Alu op1 = Alu::kBypass, float scalar1 = 0.0f,
                     SourceLine where = SourceLine::here());
  void tensor_scalar(const TileView& dst, const TileView& src, Alu op0, const TileView& scalar0,
                     Alu op1 = Alu::kBypass, float scalar1 = 0.0f,
                     SourceLine where = SourceLine::here());
  // dst[p, i1] = op over i0 of src[p, i1, i0], negated if asked.
  void tensor_reduce(const TileView& dst, Alu op, const TileView& src, bool negate = false,
                     SourceLine where = SourceLine::here());
  void memset(const TileView& dst, float value, SourceLine where = SourceLine::here());
  void reciprocal(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  // dst x4 [P, F] and their scales [P, F], laid out as for mx(), from src [P, 4F]; and back.
  void quantize_mx(const TileView& dst, const TileView& scales, const TileView& src,
                   MxRule rule = MxRule::kAws, unsigned scale_offset = 0,
                   SourceLine where = SourceLine::here());
  void dequantize_mx(const TileView& dst, const TileView& src, const TileView& scales,
                     unsigned scale_offset = 0, SourceLine where = SourceLine::here());
  // dst e4m3fn_x4 = src e2m1_x4, the same values; scales stay as they are.
  void expand_fp4(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());

  // Waits for everything on every queue, halts, and hands the program over. The builder is empty
  // afterwards.
  Executable finish(SourceLine where = SourceLine::here());

  // Semaphores: 0 starts the other queues together, then one of progress per queue, then the DMA
  // transfers'.
  static constexpr unsigned kStartSemaphore = 0;
  static constexpr unsigned progress_semaphore(unsigned queue) { return 1 + queue; }
  static constexpr unsigned kFirstDmaSemaphore = 1 + TERN_QUEUE_COUNT;
  static constexpr unsigned kSemaphoresPerRing = 32;
  static constexpr unsigned kLoadRing = 0, kStoreRing = 1;

 private:
  struct Operand {
    const TileView* view;
    bool write;
    const char* role;
  };

  Tensor add_tensor(TensorInfo::Kind kind, const std::string& name, DType dtype,
                    std::vector<std::uint64_t> shape, SourceLine where);
  void transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                SourceLine where);
  void elementwise(unsigned queue, unsigned opcode, const char* name, const TileView& dst,
                   const TileView* src0, const TileView* src1, bool src1_is_column,
                   tern_instr_elementwise_t fields, SourceLine where);
  void check_view(const char* name, const Operand& operand, SourceLine where) const;
  void check_element_operand(const char* name, const Operand& operand, SourceLine where) const;
  static void require_columns(const char* name, const TensorOperand& stationary,
                              const ArrayTile& tile, SourceLine where);
  std::vector<HazardMap::Access> accesses_of(const TensorOperand& operand) const;
  HazardMap::Access access_of(const TileView& view, bool write) const;
  // Appends an instruction that waits for `events` and counts on its queue's progress semaphore.
  Event emit(unsigned queue, tern_instruction_t instruction, const char* name,
             const std::vector<HazardMap::Access>& accesses, SourceLine where);
  void append(unsigned queue, const tern_instruction_t& instruction, const char* name,
              SourceLine where);
  void append_with_waits(unsigned queue, tern_instruction_t instruction, const char* name,
                         const std::vector<Event>& waits, SourceLine where);

  std::string name_;
  ChipConfig chip_;
  Executable program_;
  RangeAllocator sbuf_, psum_, hbm_;
  HazardMap hazards_;
  WaitPlanner waits_;
  std::array<std::uint32_t, TERN_QUEUE_COUNT> progress_{};
  std::array<std::uint32_t, 2> transfers_{};  // per ring, so far
  std::array<std::optional<Event>, 2> last_transfer_;
  ArrayState array_;
};

}  // namespace tern::kernels
