// SPDX-License-Identifier: Apache-2.0
// Memory and the waits between instructions.
#include "sw/kernels/builder/kernel_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/spec/extension.h"
#include "sw/spec/queues.h"

namespace tern::kernels {

namespace {

constexpr std::uint64_t kSbufAlignment = 64;

std::string kib(std::uint64_t bytes) {
  if (bytes < 1024 || bytes % 1024 != 0) {
    const std::string whole = bytes >= 10240 ? " (" + std::to_string(bytes / 1024) + " KiB)" : "";
    return std::to_string(bytes) + " bytes" + whole;
  }
  return std::to_string(bytes / 1024) + " KiB";
}

std::string mib(std::uint64_t bytes) {
  return bytes < (std::uint64_t{1} << 20) ? kib(bytes) : std::to_string(bytes >> 20) + " MiB";
}

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": " + message);
}

}  // namespace

BuilderCore::BuilderCore(std::string name, const ChipConfig& chip)
    : name_(std::move(name)),
      chip_(chip),
      sbuf_(0, chip.core.sbuf_partition_bytes, kSbufAlignment),
      psum_(0, kPsumPartitionBytes, kPsumBankBytes),
      hbm_(0, chip.hbm.stacks * chip.hbm.stack_bytes, 1) {
  program_.name = name_;
}

Tensor BuilderCore::add_tensor(TensorInfo::Kind kind, const std::string& name, DType dtype,
                               std::vector<std::uint64_t> shape, SourceLine where) {
  const std::string what = "tensor '" + name + "'";
  for (const TensorInfo& other : program_.tensors) {
    if (other.name == name) fail(where, what + ": a tensor of this name exists");
  }
  if (shape.empty()) fail(where, what + ": expected at least one dimension");
  const std::uint64_t stack = chip_.hbm.stack_bytes;
  std::uint64_t bytes = numerics::dtype_size(dtype);
  for (const std::uint64_t size : shape) {
    if (size == 0) fail(where, what + ": expected every dimension to be at least 1");
    if (size > stack / bytes) {
      fail(where, what + ": larger than an HBM stack of " + mib(stack));
    }
    bytes *= size;
  }
  if (!hbm_.allocate(bytes)) {
    fail(where, what + ": " + mib(bytes) + " requested, " + mib(hbm_.total()) + " of HBM exist, " +
                    mib(hbm_.free_bytes()) + " free");
  }
  Tensor tensor;
  tensor.id = static_cast<std::uint32_t>(program_.tensors.size());
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.columns = shape.back();
  tensor.rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) tensor.rows *= shape[i];
  program_.tensors.push_back({name, kind, dtype, std::move(shape)});
  return tensor;
}

Tensor BuilderCore::input(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                          SourceLine where) {
  return add_tensor(TensorInfo::Kind::kInput, name, dtype, std::move(shape), where);
}

Tensor BuilderCore::weight(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                           SourceLine where) {
  return add_tensor(TensorInfo::Kind::kWeight, name, dtype, std::move(shape), where);
}

Tensor BuilderCore::output(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                           SourceLine where) {
  return add_tensor(TensorInfo::Kind::kOutput, name, dtype, std::move(shape), where);
}

Tensor BuilderCore::scratch(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                            SourceLine where) {
  return add_tensor(TensorInfo::Kind::kScratch, name, dtype, std::move(shape), where);
}

Tile BuilderCore::added(Tile tile) {
  use_->allocated(tile);
  return tile;
}

Tile BuilderCore::sbuf_tile(const std::string& name, unsigned partitions, std::uint32_t free,
                            DType dtype, SourceLine where) {
  const std::string what = "sbuf_tile '" + name + "'";
  if (partitions < 1 || partitions > kPartitions) {
    fail(where, what + ": expected 1..128 partitions, got " + std::to_string(partitions));
  }
  const std::uint64_t bytes = std::uint64_t{free} * numerics::dtype_size(dtype);
  if (bytes == 0) fail(where, what + ": expected at least one element per partition");
  const auto address = sbuf_.allocate(bytes);
  if (!address) {
    fail(where, what + ": " + kib(bytes) + " per partition requested, " + kib(sbuf_.total()) +
                    " exist, " + kib(sbuf_.free_bytes()) + " free" +
                    (bytes <= sbuf_.free_bytes() ? " in pieces" : ""));
  }
  return added({name, Space::kSbuf, dtype, partitions, free, static_cast<std::uint32_t>(*address)});
}

Tile BuilderCore::psum_tile(const std::string& name, unsigned partitions, std::uint32_t free,
                            DType dtype, SourceLine where) {
  const std::string what = "psum_tile '" + name + "'";
  if (partitions < 1 || partitions > kPartitions) {
    fail(where, what + ": expected 1..128 partitions, got " + std::to_string(partitions));
  }
  const std::uint64_t bytes = std::uint64_t{free} * numerics::dtype_size(dtype);
  if (bytes == 0) fail(where, what + ": expected at least one element per partition");
  const auto address = psum_.allocate(bytes);
  if (!address) {
    fail(where, what + ": " + kib(bytes) + " per partition requested, " + kib(psum_.total()) +
                    " exist, " + kib(psum_.free_bytes()) + " free");
  }
  return added({name, Space::kPsum, dtype, partitions, free, static_cast<std::uint32_t>(*address)});
}

std::array<Tile, 4> BuilderCore::psum_quad_tile(const std::string& name, unsigned partitions,
                                                std::uint32_t free, DType dtype, SourceLine where) {
  constexpr std::uint32_t kQuarter = kPsumPartitionBytes / 4;
  const std::string what = "psum_quad_tile '" + name + "'";
  if (partitions < 1 || partitions > kPartitions) {
    fail(where, what + ": expected 1..128 partitions, got " + std::to_string(partitions));
  }
  const std::uint64_t bytes = std::uint64_t{free} * numerics::dtype_size(dtype);
  if (bytes == 0 || bytes > kQuarter) {
    fail(where, what + ": expected 1 byte to " + kib(kQuarter) + " per result, a quarter of PSUM");
  }
  std::array<Tile, 4> tiles;
  for (std::uint32_t byte = 0; byte + bytes <= kQuarter; byte += kPsumBankBytes) {
    unsigned slot = 0;
    while (slot < tiles.size() && psum_.allocate_at(byte + slot * kQuarter, bytes)) {
      tiles[slot] = {name + "." + std::to_string(slot),
                     Space::kPsum,
                     dtype,
                     partitions,
                     free,
                     byte + slot * kQuarter};
      ++slot;
    }
    if (slot == tiles.size()) {
      for (const Tile& tile : tiles) use_->allocated(tile);
      return tiles;
    }
    while (slot > 0) psum_.free(tiles[--slot].byte);
  }
  fail(where, what + ": " + kib(bytes) + " in each quarter of PSUM requested, no slot is free");
}

void BuilderCore::release(const Tile& tile, SourceLine where) {
  RangeAllocator& memory = tile.space == Space::kSbuf ? sbuf_ : psum_;
  if (!memory.free(tile.byte)) fail(where, "release of tile '" + tile.name + "': not allocated");
  use_->released(tile);
}

TilePool BuilderCore::sbuf_pool(const std::string& name, unsigned buffers,
                                std::uint32_t bytes_per_partition, SourceLine where) {
  if (buffers == 0) fail(where, "sbuf_pool '" + name + "': expected at least one buffer");
  TilePool pool;
  pool.use_ = use_;
  pool.space_ = Space::kSbuf;
  pool.name_ = name;
  pool.bytes_ = bytes_per_partition;
  for (unsigned i = 0; i < buffers; ++i) {
    pool.addresses_.push_back(sbuf_tile(name + "." + std::to_string(i), kPartitions,
                                        bytes_per_partition, DType::kUint8, where)
                                  .byte);
  }
  return pool;
}

TilePool BuilderCore::psum_pool(const std::string& name, unsigned banks, SourceLine where) {
  if (banks == 0) fail(where, "psum_pool '" + name + "': expected at least one bank");
  TilePool pool;
  pool.use_ = use_;
  pool.space_ = Space::kPsum;
  pool.name_ = name;
  pool.bytes_ = kPsumBankBytes;
  for (unsigned i = 0; i < banks; ++i) {
    pool.addresses_.push_back(
        psum_tile(name + "." + std::to_string(i), kPartitions, kPsumBankBytes, DType::kUint8, where)
            .byte);
  }
  return pool;
}

Tile TilePool::tile(const std::string& name, unsigned partitions, std::uint32_t free, DType dtype,
                    SourceLine where) {
  const std::uint64_t bytes = std::uint64_t{free} * numerics::dtype_size(dtype);
  if (partitions < 1 || partitions > kPartitions || bytes == 0 || bytes > bytes_) {
    fail(where, "tile '" + name + "' [" + std::to_string(partitions) + ", " + std::to_string(free) +
                    "]: pool '" + name_ + "' holds up to [128, " +
                    std::to_string(bytes_ / numerics::dtype_size(dtype)) + "]");
  }
  const std::uint32_t address = addresses_[next_++ % addresses_.size()];
  Tile tile{name, space_, dtype, partitions, free, address};
  use_->allocated(tile);
  return tile;
}

void BuilderCore::already_written(const TileView& view) {
  use_->wrote(access_of(view, true));
}

void BuilderCore::already_written(const Tensor& scratch) {
  use_->wrote({kFirstTensorSpace + scratch.id, {}, true});
}

void BuilderCore::use(const std::vector<HazardMap::Access>& accesses, const char* name,
                      SourceLine where) {
  for (const HazardMap::Access& access : accesses) {
    if (!checks_use_ || access.write || use_->written(access)) continue;
    std::string what;
    if (access.space < kFirstTensorSpace) {
      what = use_->holder(access);
    } else {
      const TensorInfo& tensor = program_.tensors[access.space - kFirstTensorSpace];
      if (tensor.kind != TensorInfo::Kind::kScratch) continue;  // the host may have
      what = "tensor '" + tensor.name + "'";
    }
    fail(where, std::string(name) + ": reads " + what + ", which nothing has written");
  }
  for (const HazardMap::Access& access : accesses) {
    if (access.write) use_->wrote(access);
  }
}

void BuilderCore::emit(unsigned queue, tern_instruction_t instruction, const char* name,
                       const std::vector<HazardMap::Access>& accesses, SourceLine where,
                       const tern_instr_extend_t* extension) {
  use(accesses, name, where);
  if (iteration_ != nullptr) {
    iteration_->push_back({queue,
                           instruction,
                           extension != nullptr ? *extension : tern_instr_extend_t{},
                           name,
                           where,
                           accesses,
                           {}});
    return;
  }
  std::vector<Event> waits;
  for (const auto& access : accesses) {
    hazards_.collect(access, static_cast<int>(queue), &waits);
  }
  for (const Event& event : after_) {  // a queue keeps its order by itself
    if (event.semaphore != progress_semaphore(queue)) waits.push_back(event);
  }
  const Event done{progress_semaphore(queue), ++progress_[queue]};
  count_progress(queue, &instruction);
  append_with_waits(queue, instruction, name, waits_.reduce(queue, waits), where, extension);
  waits_.announce(queue, done);
  hazards_.record(accesses, static_cast<int>(queue), done);
  note_done(done);
}

void BuilderCore::note_done(Event done) {
  if (done_ != nullptr) {
    done_->push_back(done);
    handed_out_.push_back(done);
  }
  if (waits_.kept() < forget_at_) return;
  std::vector<Event> needed = hazards_.events();
  needed.insert(needed.end(), handed_out_.begin(), handed_out_.end());
  needed.insert(needed.end(), flags_.begin(), flags_.end());
  waits_.forget_all_but(std::move(needed));
  forget_at_ = 2 * waits_.kept() + kForgetAfter;
}

void BuilderCore::order(std::vector<Event> after, std::vector<Event>* done) {
  after_ = std::move(after);
  done_ = done;
}

void ElementCalls::emit(const ElementPlan& plan, const char* name, SourceLine where) {
  tern_instr_extend_t extension = plan.extension;
  const bool stochastic = rounding_ == Rounding::kStochastic && plan.can_round_stochastically();
  if (stochastic) extension.flags = static_cast<std::uint8_t>(extension.flags | kExtendStochastic);
  emit(static_cast<unsigned>(plan.engine()), plan.instruction, name, plan.accesses, where,
       stochastic || plan.has_extension() ? &extension : nullptr);
}

void BuilderCore::append_with_waits(unsigned queue, tern_instruction_t instruction,
                                    const char* name, const std::vector<Event>& waits,
                                    SourceLine where, const tern_instr_extend_t* extension) {
  for (std::size_t i = 0; i < waits.size(); ++i) {
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    tern_header_t& header = i + 1 < waits.size() ? nop.header : instruction.header;
    header.wait_cond = TERN_WAIT_COND_GE;
    header.wait_sem = static_cast<std::uint8_t>(waits[i].semaphore);
    header.wait_value = waits[i].value;
    if (i + 1 < waits.size()) append(queue, nop, name, where);
  }
  if (extension != nullptr) {
    tern_instruction_t extend{};
    extend.extend = *extension;
    extend.header.opcode = TERN_OPCODE_EXTEND;
    append(queue, extend, name, where);
  }
  append(queue, instruction, name, where);
}

void BuilderCore::count_progress(unsigned queue, tern_instruction_t* instruction) {
  instruction->header.upd_sem = static_cast<std::uint8_t>(progress_semaphore(queue));
  instruction->header.upd_op = TERN_UPD_OP_INC;
  instruction->header.upd_when = TERN_UPD_WHEN_COMPLETE;
}

void BuilderCore::append(unsigned queue, const tern_instruction_t& instruction, const char* name,
                         SourceLine where) {
  auto& program = program_.queues[queue];
  if (program.empty()) {
    // The host starts the queues one by one; the program starts when the last one, Sync, runs.
    tern_instruction_t gate{};
    gate.header.opcode = TERN_OPCODE_NOP;
    if (queue == TERN_QUEUE_SYNC) {
      gate.header.upd_sem = kStartSemaphore;
      gate.header.upd_op = TERN_UPD_OP_INC;
      if (start_flag_) {
        gate.header.wait_cond = TERN_WAIT_COND_GE;
        gate.header.wait_sem = static_cast<std::uint8_t>(start_flag_->semaphore);
        gate.header.wait_value = start_flag_->value;
      }
    } else {
      gate.header.wait_cond = TERN_WAIT_COND_GE;
      gate.header.wait_sem = kStartSemaphore;
      gate.header.wait_value = 1;
    }
    program.push_back(gate);
    program_.origins[queue].push_back(where.text() + ": start");
  }
  program.push_back(instruction);
  program_.origins[queue].push_back(where.text() + ": " + name +
                                    (part_.empty() ? "" : ", " + part_));
}

std::vector<BuilderCore::Writer> BuilderCore::writers(const TileView& view) const {
  const HazardMap::Access access = access_of(view, false);
  std::vector<Writer> result;
  for (const HazardMap::Written& written : hazards_.writers(access.space, access.box)) {
    Writer writer{written.box, "a transfer"};
    for (unsigned queue = 0; queue < TERN_QUEUE_COUNT; ++queue) {
      if (written.done.semaphore != progress_semaphore(queue)) continue;
      std::uint32_t progress = 0;
      std::size_t index = 0;
      for (const auto& instruction : program_.queues[queue]) {
        if (instruction.header.upd_op == TERN_UPD_OP_INC &&
            instruction.header.upd_sem == written.done.semaphore &&
            ++progress == written.done.value) {
          break;
        }
        index += 1;
      }
      writer.instruction = std::string(kQueueNames[queue]) + " queue, instruction " +
                           std::to_string(index) + ", from " + program_.origins[queue].at(index);
    }
    result.push_back(std::move(writer));
  }
  return result;
}

Executable KernelBuilder::finish(SourceLine where) {
  if (iteration_ != nullptr || !repeats_.empty()) fail(where, "finish: inside a loop");
  for (std::uint32_t i = 0; checks_use_ && i < program_.tensors.size(); ++i) {
    const TensorInfo& tensor = program_.tensors[i];
    if (tensor.kind == TensorInfo::Kind::kOutput && !use_->written_tensor(i))
      fail(where, "finish: nothing stores output '" + tensor.name + "'");
  }
  for (unsigned queue = 0; queue < TERN_QUEUE_COUNT; ++queue) {
    if (program_.queues[queue].empty() && queue != TERN_QUEUE_SYNC) continue;
    std::vector<Event> waits;
    if (progress_[queue] > 0) waits.push_back({progress_semaphore(queue), progress_[queue]});
    rings_.collect(queue, &waits);
    if (queue == TERN_QUEUE_SYNC) {  // nothing raises a flag of this run any more
      std::copy_if(flags_.begin(), flags_.end(), std::back_inserter(waits),
                   [](const Event& flag) { return flag.value > 0; });
    }
    for (unsigned d = 0; queue == TERN_QUEUE_SYNC && d < loop_transfers_.size(); ++d) {
      for (unsigned slot = 0; slot < kLoopSemaphores; ++slot) {
        if (loop_transfers_[d][slot] == 0) continue;
        waits.push_back({loop_semaphore(d, slot), loop_transfers_[d][slot]});
      }
    }
    tern_instruction_t halt{};
    halt.header.opcode = TERN_OPCODE_HALT;
    append_with_waits(queue, halt, "halt", waits_.reduce(queue, waits), where);
  }
  Executable program = std::move(program_);
  const bool checks_use = checks_use_;
  *this = KernelBuilder(name_, chip_);
  checks_use_ = checks_use;
  return program;
}

}  // namespace tern::kernels
