// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/base/source_line.h"
#include "sw/config/chip_config.h"
#include "sw/kernels/builder/cores/core_exchange.h"
#include "sw/kernels/builder/dma/dma_lists.h"
#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/dma/dma_rings.h"
#include "sw/kernels/builder/dma/dma_view.h"
#include "sw/kernels/builder/element/element_plan.h"
#include "sw/kernels/builder/loops/loop_fold.h"
#include "sw/kernels/builder/memory/hazards.h"
#include "sw/kernels/builder/memory/use_check.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/kernels/builder/program/instruction_options.h"
#include "sw/kernels/builder/program/operations.h"
#include "sw/kernels/builder/program/waits.h"
#include "sw/kernels/builder/tensor/array_state.h"
#include "sw/kernels/builder/tensor/products.h"
#include "sw/runtime/executable.h"
#include "sw/runtime/range_allocator.h"

namespace tern::kernels {

class KernelBuilder;

// N tiles of the same size used in rotation: the i-th tile() is the memory of the (i - N)-th, whose
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
  std::shared_ptr<UseCheck> use_;  // its builder's
};

// Writes the program of one NeuronCore. Functions append one instruction each, in program order;
// the builder places tiles, inserts the semaphore waits that data dependences need, and checks
// every documented limit. Errors are UserErrors that begin with the caller's source line.
class KernelBuilder {
 public:
  KernelBuilder(std::string name, const ChipConfig& chip);

  // Instructions from here on belong to this part of the program ("layer 2"): messages name it, and
  // reports show its time. A loop belongs to one part.
  void part(const std::string& name) { part_ = name; }

  // Errors, unless switched off: reading a tile or a scratch tensor that nothing has written,
  // adding to sums in PSUM that nothing has begun, an output that nothing stores.
  void check_use(bool on) { checks_use_ = on; }
  // An earlier program, the host or another core has written it.
  void already_written(const TileView& view);
  void already_written(const Tensor& scratch);

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
  // The four results of quad mode, each in its quarter of PSUM: the first is the
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
  std::uint64_t sbuf_largest_free() const { return sbuf_.largest_free(); }  // in one piece

  // DMA: tile <- tensor, tensor <- tile. With descriptors by the chip on the Sync and the Scalar
  // queue, by the host on the Sync and the GpSimd queue.
  void dma_load(const TileView& tile, const TensorView& tensor,
                SourceLine where = SourceLine::here());
  void dma_store(const TensorView& tensor, const TileView& tile,
                 SourceLine where = SourceLine::here());
  void dma_load(const TileView& tile, const TensorView& tensor, const DmaOptions& options,
                SourceLine where = SourceLine::here());
  void dma_store(const TensorView& tensor, const TileView& tile, const DmaOptions& options,
                 SourceLine where = SourceLine::here());

  // More transfers, between any parts of HBM and SBUF (kernel_builder_transfer.cpp). Views
  // of the same number of elements in the same order; patterns of one side divide those of the
  // other. With descriptors by the host, transfers into SBUF are triggered on the Sync queue,
  // others on the GpSimd queue. Not in loops.
  //
  // dst = src, elements of one format. A generator can make at most three dimensions around a
  // contiguous run.
  void dma_copy(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                SourceLine where = SourceLine::here());
  // dst = src at addresses that the program computes, by a generator: a side with an offset moves
  // by its word, read when the transfer starts. Views span, for hazards, wherever it may move to.
  // Nothing checks that it stays there.
  void dma_copy_at(const DmaView& dst, const std::optional<DynamicOffset>& dst_offset,
                   const DmaView& src, const std::optional<DynamicOffset>& src_offset,
                   SourceLine where = SourceLine::here());
  // dst [C, R] = src [R, C]^T bit for bit, elements of 4 bytes (R, C multiples of 16) or of 2 bytes
  // (32), which generators can make, too. Rows of src begin at multiples of 64 bytes.
  void dma_transpose(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                     SourceLine where = SourceLine::here());
  // dst = dst + src near the memory, fp32 or bf16.
  void dma_accumulate(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                      SourceLine where = SourceLine::here());
  // dst = src converted; op over up to 16 sources of one format (add, min, max); sum of scale *
  // source. fp32, bf16, fp16, computed in FP32 in the order of the sources. Rows are contiguous and
  // begin at multiples of 64 bytes. `accumulate`: added to dst near the memory.
  void dma_cast(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                SourceLine where = SourceLine::here());
  void dma_compute(const DmaView& dst, Alu op, const std::vector<DmaView>& sources,
                   bool accumulate = false, const DmaOptions& options = {},
                   SourceLine where = SourceLine::here());
  void dma_scale_and_add(const DmaView& dst, const std::vector<DmaView>& sources,
                         const std::vector<float>& scales, bool accumulate = false,
                         const DmaOptions& options = {}, SourceLine where = SourceLine::here());

  // Cores 0 .. cores - 1 that work together, each with a separate program; their tiles must have
  // equal addresses, so the programs differ only in data (kernel_builder_cores.cpp). In front of
  // the first instruction.
  void join_cores(unsigned core, unsigned cores, SourceLine where = SourceLine::here());
  // The same with cores of any chips of a system, at most one for each partition.
  void join_parts(unsigned part, unsigned parts, SourceLine where = SourceLine::here());
  // views = their sum over all cores: fp32, contiguous rows, with the same bits on every core and
  // in every run. Adds near the memory of SBUF.
  void core_sum(const std::vector<TileView>& views, SourceLine where = SourceLine::here());
  // After join_cores(), with the same number of pipes on both of two cores.
  void prepare_exchange(unsigned pipes, SourceLine where = SourceLine::here());
  // What follows and touches `data` begins when the other core has come here, too.
  void core_barrier(const DmaView& data, SourceLine where = SourceLine::here());
  // Both cores send: src goes to `there`, in the other core's SBUF, and what the other one sends
  // comes to dst. The n-th of a pipe on one core belongs to the n-th on the other.
  void send_receive(const TileView& dst, const TileView& src, const TileView& there, unsigned pipe,
                    SourceLine where = SourceLine::here());

  // GpSimd makes the descriptors (kernel_builder_indirect.cpp): partition p of the tile and row
  // indices[p] of the table, a uint32 or int32 column [P, 1]. The first use takes 16 KiB at the end
  // of every SBUF partition. An index beyond the table is an error, or its row is skipped. Scatter
  // with `accumulate` adds near the memory (fp32, bf16), also for rows that are named twice.
  void dma_gather(const TileView& tile, const TensorView& table, const TileView& indices,
                  const IndirectOptions& options = {}, SourceLine where = SourceLine::here());
  void dma_scatter(const TensorView& table, const TileView& tile, const TileView& indices,
                   const IndirectOptions& options = {}, SourceLine where = SourceLine::here());

  // Tensor engine: psum[M, N] = or += stationary[K, M]^T x moving[K, N], in FP32 or BF16. Dense
  // operands are views of up to two dimensions; a stationary that is no run from a multiple of 8
  // bytes on loads one column a cycle instead of four. Operands in other modes than dense:
  // products.h. nc_matmul() runs FP32 operands in their four passes.
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
  // Tensor engine: psum[M, K] = source[K, M]^T, bit for bit, read as a stationary; one-byte
  // elements end up two bytes apart. Vector engine: dst[F, P] = source[P, F], both at most 32, SBUF
  // or PSUM.
  void nc_transpose(const TileView& dst, const TileView& source, Engine engine = Engine::kTensor,
                    SourceLine where = SourceLine::here());

  // Element-wise instructions. Unless noted otherwise, every operand has the same number of
  // partitions and of elements on each, in patterns of up to four dimensions. Sources are widened
  // to FP32; results are rounded once to the format of the destination. A ScalarOperand is a number
  // or an FP32 column [P, 1].

  // Scalar engine: dst = func(src * scale + bias).
  void activation(const TileView& dst, Activation func, const TileView& src,
                  const ActivationOptions& options = {}, SourceLine where = SourceLine::here());
  void activation(const TileView& dst, Activation func, const TileView& src, float scale,
                  const ScalarOperand& bias = 0.0f, SourceLine where = SourceLine::here());
  // The same, and column = reduction of the results along the free axis: add, or another of
  // Reduce.
  void activation_reduce(const TileView& dst, Activation func, const TileView& src, Alu reduce_op,
                         const TileView& column, const ActivationOptions& options = {},
                         SourceLine where = SourceLine::here());
  // Scalar engine: dst = (src op0 scalar0) op1 scalar1, for multiply then add or subtract, or one
  // of multiply, add, subtract, bypass.
  void activate2(const TileView& dst, const TileView& src, Alu op0, const ScalarOperand& scalar0,
                 Alu op1 = Alu::kBypass, const ScalarOperand& scalar1 = 0.0f,
                 const ScalarOptions& options = {}, SourceLine where = SourceLine::here());
  // Vector engine, trn3: dst = exp(src - max), four elements per cycle. Sources and results in
  // floating point. `sum` (add) is that of the results before their conversion.
  void exponential(const TileView& dst, const TileView& src, const ScalarOperand& max = 0.0f,
                   const std::optional<Reduce>& sum = {}, SourceLine where = SourceLine::here());

  // Vector, Scalar or GpSimd engine: dst = src, converted.
  void tensor_copy(const TileView& dst, const TileView& src, Engine engine = Engine::kVector,
                   SourceLine where = SourceLine::here());
  // Vector engine: dst = src where predicate is not zero (`reverse`: where it is zero); the other
  // elements keep their values.
  void tensor_copy_predicated(const TileView& dst, const TileView& src, const TileView& predicate,
                              bool reverse = false, SourceLine where = SourceLine::here());
  // Vector or GpSimd engine: dst = src0 op src1. int32 add, subtract and multiply are exact modulo
  // 2^32 on GpSimd; bit operations take elements of one size and run on Vector.
  void tensor_tensor(const TileView& dst, const TileView& src0, Alu op, const TileView& src1,
                     Engine engine = Engine::kVector, SourceLine where = SourceLine::here());
  // Vector, Scalar or GpSimd engine: dst = (src op0 scalar0) op1 scalar1.
  void tensor_scalar(const TileView& dst, const TileView& src, Alu op0,
                     const ScalarOperand& scalar0, Alu op1 = Alu::kBypass,
                     const ScalarOperand& scalar1 = 0.0f, const ScalarOptions& options = {},
                     SourceLine where = SourceLine::here());
  // Vector engine: the same, and column = reduction of the results along the free axis.
  void tensor_scalar_reduce(const TileView& dst, const TileView& src, Alu op0,
                            const ScalarOperand& scalar0, Alu reduce_op, const TileView& column,
                            SourceLine where = SourceLine::here());
  // Vector engine: dst = (src0 op0 scalar0) op1 src1.
  void scalar_tensor_tensor(const TileView& dst, const TileView& src0, Alu op0,
                            const ScalarOperand& scalar0, Alu op1, const TileView& src1,
                            bool reverse0 = false, bool reverse1 = false,
                            SourceLine where = SourceLine::here());
  // Vector engine: one element of dst for the `dimensions` inner dimensions of src, in element
  // order, negated if requested; [P, a, b, c] with two reduced gives [P, a].
  void tensor_reduce(const TileView& dst, Alu op, const TileView& src, bool negate = false,
                     unsigned dimensions = 1, SourceLine where = SourceLine::here());
  // Vector engine: dst[i] = (src0[i] op0 dst[i-1]) op1 src1[i], dst[-1] = initial, in FP32 along
  // all elements of a partition.
  void tensor_tensor_scan(const TileView& dst, const TileView& src0, Alu op0, const TileView& src1,
                          Alu op1, const ScalarOperand& initial = 0.0f, bool reverse0 = false,
                          bool reverse1 = false, SourceLine where = SourceLine::here());
  // Vector engine: dst[i] = dst[i-1] op1 (src[i] op0 scalar), dst[-1] = initial; op1 one of add,
  // subtract, multiply, max, min. The accumulators receive the last result with kResetReduce, and
  // with kReduce, which begins with what they hold in place of `initial`.
  void tensor_scalar_cumulative(const TileView& dst, const TileView& src, Alu op0,
                                const ScalarOperand& scalar, Alu op1,
                                const ScalarOperand& initial = 0.0f, bool reverse0 = false,
                                ReduceCommand command = ReduceCommand::kIdle,
                                SourceLine where = SourceLine::here());
  // Vector engine: dst = predicate is not zero (`reverse`: is zero) ? src : otherwise; column, if
  // given: the largest result. With kReduce the accumulators go on, also without a column; without
  // a command they are new.
  void select_reduce(const TileView& dst, const TileView& src, const TileView& predicate,
                     const ScalarOperand& otherwise, std::optional<TileView> max_column = {},
                     bool reverse = false, std::optional<ReduceCommand> command = {},
                     SourceLine where = SourceLine::here());
  // Vector engine, trn3: dst[i] = (first + i op0 bound0) and (first + i op1 bound1) ? src[i] : the
  // most negative FP32; operations is_eq .. is_lt.
  void range_select(const TileView& dst, const TileView& src, Alu op0, const ScalarOperand& bound0,
                    Alu op1, const ScalarOperand& bound1, float first = 0.0f,
                    std::optional<TileView> max_column = {},
                    std::optional<ReduceCommand> command = {},
                    SourceLine where = SourceLine::here());
  // Vector or GpSimd engine: dst = value.
  void memset(const TileView& dst, const ScalarOperand& value, Engine engine = Engine::kVector,
              SourceLine where = SourceLine::here());
  // Vector engine: dst = 1 / src, correctly rounded.
  void reciprocal(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  // GpSimd: dst = the pattern's values; dst = (pattern's value op 0) ? src : fill, op is_eq ..
  // is_lt.
  void iota(const TileView& dst, const IndexPattern& index, SourceLine where = SourceLine::here());
  void affine_select(const TileView& dst, const TileView& src, const IndexPattern& index, Alu op,
                     float fill, SourceLine where = SourceLine::here());

  // Per core of 16 partitions, all operands on the same ones, P a multiple of 16. Result i of the
  // core comes from list item i, which is in partition i % 16 and column i / 16 of `indices`:
  // uint16, counted in elements of src. dst[p] = the `each` elements of src[p] at every index; each
  // is 1, 2, .. 32.
  void local_gather(const TileView& dst, const TileView& src, const TileView& indices,
                    unsigned each = 1, SourceLine where = SourceLine::here());
  // dst[p, i] = src[p, indices[p, i]], indices uint32.
  void nc_n_gather(const TileView& dst, const TileView& src, const TileView& indices,
                   SourceLine where = SourceLine::here());
  // On partitions 0, 16, .. 112: dst (int32, one element more than src) = indices of the non-zero
  // elements of src (fp32 or int32) plus `offset`, then `padding`, finally their number.
  void nonzero_with_count(const TileView& dst, const TileView& src, std::int32_t padding = -1,
                          std::int32_t offset = 0, SourceLine where = SourceLine::here());
  // dst [P, 2 N] = N starts, then N ends, of the runs of equal ids in src [P, N].
  void sequence_bounds(const TileView& dst, const TileView& src,
                       SourceLine where = SourceLine::here());
  // Per core of 16 partitions: the `count` largest of `elements` elements of src (bf16), ascending,
  // and their indices (uint32). Element i of a core is in partition i % 16, column i / 16; so are
  // the results.
  void topk(const TileView& dst, const TileView& indices, const TileView& src, unsigned elements,
            unsigned count, SourceLine where = SourceLine::here());
  // dst [1, F] = op (add, max, bit_and, bit_or) over the partitions of src [P, F].
  void tensor_partition_reduce(const TileView& dst, Alu op, const TileView& src,
                               SourceLine where = SourceLine::here());

  // Vector engine: statistics and searches. bn_stats: dst [P, 6] = count, mean, sum of squared
  // deviations of the even, then of the odd elements of src, at most 512 of them. bn_aggr: dst
  // [P, 2] = mean and variance of such groups, [P, 3 n].
  void bn_stats(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  void bn_aggr(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  // The eight largest, descending; the first index of each of eight values (uint32, uint16; all
  // ones if absent); src with the first match of each of eight values replaced. src: 8..16,384
  // elements.
  void max8(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  void nc_find_index8(const TileView& dst, const TileView& src, const TileView& values,
                      SourceLine where = SourceLine::here());
  void nc_match_replace8(const TileView& dst, const TileView& src, const TileView& values,
                         float replacement, SourceLine where = SourceLine::here());
  // In each group of 32 partitions, partition i gets partition mask[i]; 255: it is unchanged.
  void nc_stream_shuffle(const TileView& dst, const TileView& src,
                         const std::array<std::uint8_t, 32>& mask,
                         SourceLine where = SourceLine::here());

  // Random numbers: every partition has separate generators, four on Vector, one on Scalar and
  // one on GpSimd; they continue from instruction to instruction of the queue. dropout: dst = a
  // uniform number < probability ? 0 : src. rng: random bits, cut to the integer format. rand2:
  // uniform in [low, high), fp32. Scalar's only round (element_rounding). A state has 24 words per
  // partition on Vector, 6 on the others (uint32). A seed reaches all states of its engine.
  void dropout(const TileView& dst, const TileView& src, const ScalarOperand& probability,
               SourceLine where = SourceLine::here());
  void rng(const TileView& dst, Engine engine = Engine::kVector,
           SourceLine where = SourceLine::here());
  void rand2(const TileView& dst, const ScalarOperand& low, const ScalarOperand& high,
             SourceLine where = SourceLine::here());
  void set_rng_seed(const TileView& seed, Engine engine = Engine::kVector,
                    SourceLine where = SourceLine::here());
  void rand_set_state(const TileView& state, Engine engine = Engine::kVector,
                      SourceLine where = SourceLine::here());
  void rand_get_state(const TileView& state, Engine engine = Engine::kVector,
                      SourceLine where = SourceLine::here());
  // How the element-wise instructions that follow round to bf16, fp16 and FP8, until it is called
  // again: to nearest, or stochastically with their engine's generators.
  void element_rounding(Rounding rounding) { rounding_ = rounding; }

  // dst x4 [P, F] and their scales [P, F], laid out as for mx(), from src [P, 4F]; and back.
  void quantize_mx(const TileView& dst, const TileView& scales, const TileView& src,
                   MxRule rule = MxRule::kAws, unsigned scale_offset = 0,
                   SourceLine where = SourceLine::here());
  void dequantize_mx(const TileView& dst, const TileView& src, const TileView& scales,
                     unsigned scale_offset = 0, SourceLine where = SourceLine::here());
  // dst e4m3fn_x4 = src e2m1_x4, the same values; scales are unchanged.
  void expand_fp4(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());

  // GpSimd engine: runs a program (an ELF file: sw/gpsimd/README.md) on the processors of a mask,
  // bit i for partitions 16 i .. 16 i + 15, with up to eight arguments. `reads` and `writes`: every
  // part of SBUF that it uses, on these partitions.
  void custom_op(const Blob& program, unsigned processors,
                 const std::vector<std::uint32_t>& arguments, const std::vector<TileView>& reads,
                 const std::vector<TileView>& writes, SourceLine where = SourceLine::here());

  // The instructions that `body` writes, called for 0 .. count - 1, as a hardware loop on each
  // queue they use. Iterations must be identical except for addresses that advance by equal steps,
  // taken one by one or in groups of up to eight; any other difference is an error with its line.
  // Transfers may have any addresses. Loops do not nest.
  void loop(unsigned count, const std::function<void(unsigned iteration)>& body,
            SourceLine where = SourceLine::here());

  // Registers 1 .. kRegisters of the queues in `queues` (bit q: queue q), which compute the same.
  // dst = a op (b + value), TERN_REGISTER_OP_*; a register without a number is zero.
  static constexpr unsigned kRegisters = 56, kAllQueues = (1u << TERN_QUEUE_COUNT) - 1;
  void register_alu(unsigned queues, unsigned op, unsigned dst, unsigned a, unsigned b,
                    std::uint32_t value, SourceLine where = SourceLine::here());
  // A register = a word [1, 1] in SBUF, and the word = the register as Sync has it.
  void register_load(unsigned queues, unsigned dst, const TileView& word,
                     SourceLine where = SourceLine::here());
  void register_store(const TileView& word, unsigned reg, SourceLine where = SourceLine::here());
  // A register of a queue, from kOffsets on, = an offset in bytes, for TileView::moved_by.
  static constexpr unsigned kOffsets = 61, kMostOffsets = 3;
  void load_offset(unsigned queue, unsigned reg, const DynamicOffset& offset,
                   SourceLine where = SourceLine::here());

  // What is written between these two calls is repeated until `a` CONDITION (b + value), registers
  // and TERN_BRANCH_COND_*; it is tested before each time. After each time `step` is added to
  // `counter`, if there is one. All queues take part and meet after each time, so no time overlaps
  // the next. Repetitions nest. Transfers in them have their descriptors by a generator.
  void begin_repeat(unsigned condition, unsigned a, unsigned b, std::uint32_t value,
                    SourceLine where = SourceLine::here());
  void end_repeat(unsigned counter, std::int32_t step, SourceLine where = SourceLine::here());
  // Whether a generator makes the descriptors of a copy.
  static bool generator_takes(const DmaView& dst, const DmaView& src);

  // Until the next call: instructions and transfers wait for `after`, besides what their operands
  // need; `done`, if not null, gets when each of them is complete.
  void order(std::vector<Event> after, std::vector<Event>* done);

  // The last writers of the parts of a tile, for messages: "vector queue, instruction 17, from
  // my_kernel.cpp:20: tensor_scalar", or a transfer. Oldest first; not for parts written in loops.
  struct Writer {
    Box box;  // bytes of a partition by partitions
    std::string instruction;
  };
  std::vector<Writer> writers(const TileView& view) const;

  // Waits for everything on every queue, halts, and hands the program over. The builder is empty
  // afterwards.
  Executable finish(SourceLine where = SourceLine::here());

  // Semaphores: 0 starts the other queues together, then one of progress per queue, then the DMA
  // transfers', those outside loops and those in loops.
  static constexpr unsigned kStartSemaphore = 0;
  static constexpr unsigned progress_semaphore(unsigned queue) { return 1 + queue; }
  static constexpr unsigned kFirstDmaSemaphore = DmaRings::kFirstSemaphore;
  static constexpr unsigned kSemaphoresPerRing = DmaRings::kSemaphores;
  static constexpr unsigned kLoadRing = DmaRings::kLoad, kStoreRing = DmaRings::kStore;
  static constexpr unsigned kLoopSemaphores = 64;  // in each direction
  static constexpr unsigned loop_semaphore(unsigned direction, unsigned slot) {
    return kFirstDmaSemaphore + 2 * kSemaphoresPerRing + direction * kLoopSemaphores + slot;
  }
  // How often the queues have gone on with a repetition: the last one of loops.
  static constexpr unsigned kRepeatSemaphore = kFirstDmaSemaphore + 2 * kSemaphoresPerRing + 127;
  static_assert(DmaRings::kFirstFurtherSemaphore ==
                kFirstDmaSemaphore + 2 * kSemaphoresPerRing + 2 * kLoopSemaphores);

 private:
  friend class LoopWriter;

  Tensor add_tensor(TensorInfo::Kind kind, const std::string& name, DType dtype,
                    std::vector<std::uint64_t> shape, SourceLine where);
  Tile added(Tile tile);
  void transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                const DmaOptions& options, SourceLine where);
  // A transfer on a ring: its semaphore, what it waits for, when it is complete.
  struct Started {
    unsigned ring = 0, queue = 0, semaphore = 0;
    std::vector<Event> waits;
    Event done;
  };
  // The fields of a dma_copy with their addresses; none if the host makes the descriptors.
  struct Generated {
    DmaRings::Kind kind = DmaRings::Kind::kSync;
    tern_instr_dma_copy_t fields{};
    DmaAddress destination, source;
  };
  std::optional<Generated> generated(const DmaView& dst, const DmaView& src,
                                     const DmaOptions& options, const std::string& what,
                                     SourceLine where) const;
  void record_transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                       const std::optional<Generated>& generated,
                       std::vector<HazardMap::Access> accesses, SourceLine where);
  Started begin_transfer(DmaRings::Kind kind, unsigned priority, const char* name,
                         const std::vector<HazardMap::Access>& accesses, SourceLine where);
  void end_transfer(const Started& started, const std::vector<HazardMap::Access>& accesses);
  void trigger(const Started& started, std::array<std::size_t, Executable::kEngines> left,
               const char* name, SourceLine where);
  std::array<std::size_t, Executable::kEngines> append_pairs(unsigned ring,
                                                             const EngineDescriptors& pairs,
                                                             const std::string& what,
                                                             SourceLine where);
  using MakePlan = std::function<EngineDescriptors(unsigned semaphore)>;
  void host_transfer(const DmaView& dst, const std::vector<DmaView>& sources, bool reads_dst,
                     const DmaOptions& options, const char* name, SourceLine where,
                     const MakePlan& plan);
  void generated_transfer(const Generated& generated, unsigned priority,
                          const std::vector<HazardMap::Access>& accesses, const char* name,
                          SourceLine where, const tern_instr_extend_t* extension = nullptr,
                          std::vector<tern_instruction_t> skips = {});
  void append_skipped(const Started& started, const char* name, SourceLine where);
  void load_offset(unsigned queue, unsigned reg, const DynamicOffset& offset, const char* name,
                   SourceLine where);
  // A program that gets here with the register elsewhere stops.
  void check_offset(unsigned queue, unsigned reg, const DynamicOffset& offset, const char* name,
                    SourceLine where);
  // Every queue knows that everything before is complete.
  std::vector<Event> all_so_far() const;
  void meet(const char* name, SourceLine where);
  void compute(const DmaView& dst, const std::vector<DmaView>& sources, DmaOperation operation,
               bool accumulate, const DmaOptions& options, const char* name, SourceLine where);
  void indirect(const TileView& tile, const TensorView& table, const TileView& indices,
                const IndirectOptions& options, bool scatter, SourceLine where);
  void check_side(const DmaView& view, bool write, const char* role, const char* name,
                  SourceLine where) const;
  void add_access(const DmaView& view, bool write, std::vector<HazardMap::Access>* accesses) const;
  void check_write_op(const DmaView& dst, const char* name, SourceLine where) const;
  void join(const char* name, const CoreGroup& group, SourceLine where);
  unsigned next_flag(const char* name, SourceLine where);
  // In all other cores, when everything before the accesses is complete.
  void raise_flag(unsigned flag, const std::vector<HazardMap::Access>& after, const char* name,
                  SourceLine where);
  void reserve_generated_ring(unsigned ring, const char* name, SourceLine where);
  // Appends the descriptors of a transfer; returns how many there are on each engine.
  std::array<std::size_t, Executable::kEngines> append_descriptors(const TileView& tile,
                                                                   const TensorView& tensor,
                                                                   DmaDirection direction,
                                                                   unsigned semaphore,
                                                                   SourceLine where);
  void announce_transfer(unsigned ring, unsigned queue, Event done);
  void write_iteration(const LoopIteration& iteration);
  void check_view(const char* name, const TileView& view, bool write, const char* role,
                  SourceLine where) const;
  void vector_transpose(const TileView& dst, const TileView& source, Engine engine,
                        SourceLine where);
  ElementPlan plan(Engine engine, unsigned opcode, const char* name,
                   std::initializer_list<Engine> engines, SourceLine where) const;
  static void require_columns(const char* name, const TensorOperand& stationary,
                              const ArrayTile& tile, SourceLine where);
  std::vector<HazardMap::Access> accesses_of(const TensorOperand& operand) const;
  // Appends an instruction that waits for what its accesses need and counts on its queue's progress
  // semaphore.
  void emit(unsigned queue, tern_instruction_t instruction, const char* name,
            const std::vector<HazardMap::Access>& accesses, SourceLine where,
            const tern_instr_extend_t* extension = nullptr);
  void emit(const ElementPlan& plan, const char* name, SourceLine where);
  // Checks what an instruction reads, and notes what it writes.
  void use(const std::vector<HazardMap::Access>& accesses, const char* name, SourceLine where);
  static void count_progress(unsigned queue, tern_instruction_t* instruction);
  void append(unsigned queue, const tern_instruction_t& instruction, const char* name,
              SourceLine where);
  void append_with_waits(unsigned queue, tern_instruction_t instruction, const char* name,
                         const std::vector<Event>& waits, SourceLine where,
                         const tern_instr_extend_t* extension = nullptr);

  std::string name_, part_;
  ChipConfig chip_;
  Executable program_;
  RangeAllocator sbuf_, psum_, hbm_;
  HazardMap hazards_;
  std::shared_ptr<UseCheck> use_ = std::make_shared<UseCheck>();  // pools tell it of their tiles
  bool checks_use_ = true;
  WaitPlanner waits_;
  std::vector<Event> after_;            // of order()
  std::vector<Event>* done_ = nullptr;  // of order()
  std::array<std::uint32_t, TERN_QUEUE_COUNT> progress_{};
  DmaRings rings_;
  ArrayState array_;
  CoreGroup group_;
  std::vector<Event> flags_;         // raised by other cores, with values; in place of loops'
  std::size_t barrier_flag_ = 0;     // of flags_; those of the pipes follow
  std::optional<Event> start_flag_;  // core 0 has begun
  // A repetition that is open: its branches to the end, and where the counts began.
  struct Repeat {
    std::array<std::size_t, TERN_QUEUE_COUNT> branch{};
    std::array<std::uint32_t, TERN_QUEUE_COUNT> progress{};
    DmaRings rings;
    SourceLine where;
  };
  std::vector<Repeat> repeats_;         // the innermost last
  LoopIteration* iteration_ = nullptr;  // the body of a loop is being recorded here
  // Values of the semaphores of transfers in loops, so far.
  std::array<std::array<std::uint32_t, kLoopSemaphores>, 2> loop_transfers_{};
  Rounding rounding_ = Rounding::kNearest;
};

}  // namespace tern::kernels
