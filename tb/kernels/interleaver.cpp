// SPDX-License-Identifier: Apache-2.0
#include "tb/kernels/interleaver.h"

#include <algorithm>
#include <cmath>

namespace tern::tb {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 32);
}

constexpr std::uint64_t kPsum = std::uint64_t{1} << 40;
std::uint64_t chip_cell(bool psum, std::uint64_t partition, std::uint64_t byte) {
  return (psum ? kPsum : 0) | partition << 24 | byte / 2;
}
std::uint64_t tensor_cell(std::uint32_t tensor, std::uint64_t byte) {
  return std::uint64_t{tensor} << 48 | byte / 2;
}

unsigned bytes_of(unsigned dtype) {
  return static_cast<unsigned>(numerics::dtype_size(static_cast<numerics::DType>(dtype)));
}

// The two arrays of the tensor engine keep a stationary each.
unsigned array_of(unsigned mode) {
  return mode >= TERN_TENSOR_MODE_DOUBLE_ROW ? 1 : 0;
}

// Uses the random generators of its engine, whose state persists from instruction to instruction.
bool is_random(unsigned opcode) {
  return opcode >= TERN_OPCODE_DROPOUT && opcode <= TERN_OPCODE_RAND2;
}

bool is_control(unsigned opcode) {
  return opcode < TERN_OPCODE_LOAD_STATIONARY;
}

}  // namespace

Interleaver::Interleaver(const Executable& program, std::uint64_t seed)
    : program_(program), random_(seed) {
  // Very different speeds: that is what brings races out.
  std::uniform_real_distribution<double> exponent(-12, 0);
  const auto weight = [&] { return std::exp2(exponent(random_)); };
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (program.queues[q].empty()) queues_[q].halted = true;
    for (unsigned kind = 0; kind < 3; ++kind) actors_.push_back({kind, q, 0, 0, weight()});
  }
  for (const auto& ring : program.rings) {
    const double ring_weight = weight();
    for (unsigned e = 0; e < 16; ++e) {
      actors_.push_back({3, 0, ring.first, e, ring_weight * weight()});
    }
  }
  for (const auto& ring : program.generated_rings) {
    const double ring_weight = weight();
    for (unsigned e = 0; e < 16; ++e) {
      actors_.push_back({4, 0, ring.first, e, ring_weight * weight()});
    }
  }
}

bool Interleaver::run() {
  for (;;) {
    std::vector<Actor> open = actors_;
    bool moved = false;
    while (!open.empty() && !moved) {
      std::vector<double> weights;
      weights.reserve(open.size());
      for (const Actor& actor : open) weights.push_back(actor.weight);
      std::discrete_distribution<std::size_t> choose(weights.begin(), weights.end());
      const std::size_t chosen = choose(random_);
      moved = step(open[chosen]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    if (!moved) break;
  }
  for (const auto& ring : program_.rings) {
    for (unsigned e = 0; e < 16; ++e) {
      if (head_[ring.first][e] != ring.second[e].size()) return false;
    }
  }
  for (const auto& ring : generated_) {
    for (const auto& moves : ring.second) {
      if (!moves.empty()) return false;
    }
  }
  return std::all_of(queues_.begin(), queues_.end(),
                     [](const Queue& q) { return q.halted && q.flight.empty(); });
}

bool Interleaver::step(const Actor& actor) {
  switch (actor.kind) {
    case 0:
      return issue(actor.queue);
    case 1:
      return read(actor.queue);
    case 2:
      return write(actor.queue);
    case 3:
      return dma(actor.ring, actor.engine);
    default:
      return generated_dma(actor.ring, actor.engine);
  }
}

bool Interleaver::may_start(const tern_header_t& header) const {
  if (header.wait_cond == TERN_WAIT_COND_NONE) return true;
  return header.wait_cond == TERN_WAIT_COND_GE && semaphores_[header.wait_sem] >= header.wait_value;
}

void Interleaver::update(const tern_header_t& header) {
  if (header.upd_op == TERN_UPD_OP_INC) semaphores_[header.upd_sem] += 1;
  if (header.upd_op == TERN_UPD_OP_ADD_IMM) semaphores_[header.upd_sem] += header.upd_value;
}

// The current instruction of the queue.
Interleaver::Whole Interleaver::whole(unsigned queue) const {
  const auto& program = program_.queues[queue];
  const Queue& q = queues_[queue];
  Whole result{program[q.pc], {}};
  if (q.pc == 0 || program[q.pc - 1].header.opcode != TERN_OPCODE_EXTEND) return result;
  result.extension = program[q.pc - 1].extend;
  tern_instruction_t& in = result.instruction;
  in.header.wait_value += q.registers[result.extension.wait_reg];
  const std::uint32_t dst = q.registers[result.extension.dst_reg];
  const std::uint32_t src0 = q.registers[result.extension.src0_reg];
  const std::uint32_t src1 = q.registers[result.extension.src1_reg];
  switch (in.header.opcode) {
    case TERN_OPCODE_NOP:
    case TERN_OPCODE_DMA_TRIGGER:
    case TERN_OPCODE_DMA_COPY:
      break;
    case TERN_OPCODE_LOAD_STATIONARY:
      in.load_stationary.src.addr += src0;
      break;
    case TERN_OPCODE_MULTIPLY_MOVING:
      in.multiply_moving.src.addr += src0;
      in.multiply_moving.dst.addr += dst;
      break;
    case TERN_OPCODE_TRANSPOSE:
      in.transpose.src.addr += src0;
      in.transpose.dst.addr += dst;
      break;
    case TERN_OPCODE_STREAM_SHUFFLE:
      in.shuffle.src += src0;
      in.shuffle.dst += dst;
      break;
    case TERN_OPCODE_IOTA:
    case TERN_OPCODE_AFFINE_SELECT:
      in.affine.src.addr += src0;
      in.affine.dst.addr += dst;
      break;
    default:
      in.elementwise.src0.addr += src0;
      in.elementwise.src1.addr += src1;
      in.elementwise.dst.addr += dst;
  }
  return result;
}

// Instructions that the sequencer executes itself; false if the instruction is none of those.
bool Interleaver::control(Queue& q, const tern_instruction_t& in) {
  if (in.header.opcode == TERN_OPCODE_REGISTER_ALU) {
    const auto& alu = in.register_alu;
    const std::uint32_t b = q.registers[alu.b] + alu.imm;
    q.registers[alu.dst] = alu.op == TERN_REGISTER_OP_ADD ? q.registers[alu.a] + b : b;
  } else if (in.header.opcode == TERN_OPCODE_LOOP) {
    const auto& loop = in.loop;
    if (loop.counter != 0) q.registers[loop.counter] = loop.start;
    q.pc += 1;
    q.loops.push_back({q.pc, q.pc + loop.length, loop.count - 1, loop.counter, loop.step});
    return true;
  } else if (in.header.opcode != TERN_OPCODE_EXTEND) {
    return false;
  }
  next(q);
  return true;
}

void Interleaver::next(Queue& q) {
  q.pc += 1;
  while (!q.loops.empty() && q.pc == q.loops.back().end) {
    Loop& loop = q.loops.back();
    if (loop.counter != 0) q.registers[loop.counter] += static_cast<std::uint32_t>(loop.step);
    if (loop.left == 0) {
      q.loops.pop_back();
    } else {
      loop.left -= 1;
      q.pc = loop.begin;
    }
  }
}

bool Interleaver::issue(unsigned queue) {
  Queue& q = queues_[queue];
  if (q.halted || q.flight.size() >= 8) return false;
  const Whole operation = whole(queue);
  const tern_instruction_t& instruction = operation.instruction;
  if (control(q, instruction)) return true;
  if (!may_start(instruction.header)) return false;
  const unsigned opcode = instruction.header.opcode;
  if (opcode == TERN_OPCODE_HALT) {
    q.halted = true;
  } else if (opcode == TERN_OPCODE_DMA_TRIGGER) {
    const auto& trigger = instruction.dma_trigger;
    for (unsigned e = 0; e < 16; ++e) tail_[trigger.ring][e] += trigger.count[e];
  } else if (opcode == TERN_OPCODE_DMA_COPY) {
    generate(queue, q.pc);
  }
  // A nop that counts completes in the order of its queue.
  if (is_control(opcode) && instruction.header.upd_op != TERN_UPD_OP_ADD_IMM) {
    update(instruction.header);
  } else {
    q.flight.push_back({operation, is_control(opcode) ? 0 : q.work++});
  }
  next(q);
  return true;
}

bool Interleaver::read(unsigned queue) {
  for (Flight& flight : queues_[queue].flight) {
    if (flight.read) continue;
    const Whole& operation = flight.whole;
    const tern_instruction_t& instruction = operation.instruction;
    flight.read = true;
    if (is_control(instruction.header.opcode)) return true;
    std::uint64_t value = mix(queue, flight.number);
    for (const std::uint64_t cell : read_cells(operation)) value = mix(value, chip_value(cell));
    // Accumulators persist from instruction to instruction of a queue.
    const unsigned command = operation.extension.reduce_cmd;
    if (command == TERN_REDUCE_CMD_REDUCE) value = mix(value, accumulators_[queue]);
    if (command != TERN_REDUCE_CMD_IDLE) accumulators_[queue] = value;
    if (is_random(instruction.header.opcode)) {
      value = generators_[queue] = mix(value, generators_[queue]);
    }
    // A stationary is still used by the multiplications that follow.
    if (instruction.header.opcode == TERN_OPCODE_LOAD_STATIONARY) {
      stationary_[array_of(instruction.load_stationary.mode)] = value;
    }
    if (instruction.header.opcode == TERN_OPCODE_MULTIPLY_MOVING) {
      value = mix(value, stationary_[array_of(instruction.multiply_moving.mode)]);
    }
    flight.value = value;
    return true;
  }
  return false;
}

bool Interleaver::write(unsigned queue) {
  auto& flight = queues_[queue].flight;
  if (flight.empty() || !flight.front().read) return false;
  const tern_instruction_t instruction = flight.front().whole.instruction;
  const bool accumulate = instruction.header.opcode == TERN_OPCODE_MULTIPLY_MOVING &&
                          instruction.multiply_moving.accumulate != 0;
  if (!is_control(instruction.header.opcode)) {
    for (const std::uint64_t cell : write_cells(flight.front().whole)) {
      const std::uint64_t value = mix(flight.front().value, cell);
      chip_[cell] = accumulate ? mix(chip_value(cell), value) : value;
    }
  }
  flight.erase(flight.begin());
  update(instruction.header);
  return true;
}

bool Interleaver::dma(unsigned ring, unsigned engine) {
  std::size_t& head = head_[ring][engine];
  if (head >= tail_[ring][engine]) return false;
  const DescriptorPair& pair = program_.rings.at(ring)[engine][head];
  head += 1;
  const DmaAddress& to = pair.destination;
  if (pair.source.space == DmaAddress::Space::kValue) {
    semaphores_[(to.offset - 0x20001800u) / 4] += 1;
    return true;
  }
  move(to, pair.source, pair.bytes);
  return true;
}

bool Interleaver::generated_dma(unsigned ring, unsigned engine) {
  const auto known = generated_.find(ring);
  if (known == generated_.end() || known->second[engine].empty()) return false;
  const Move part = known->second[engine].front();
  known->second[engine].pop_front();
  if (part.bytes == 0) {
    semaphores_[part.semaphore] += 1;
  } else {
    move(part.destination, part.source, part.bytes);
  }
  return true;
}

// Runs in the order of the dimensions. Row i of R goes to engine 16 i / R; runs of fewer than 16
// rows rotate.
void Interleaver::generate(unsigned queue, std::size_t pc) {
  const tern_instr_dma_copy_t& in = program_.queues[queue][pc].dma_copy;
  const auto link =
      std::find_if(program_.links.begin(), program_.links.end(),
                   [&](const Executable::Link& l) { return l.queue == queue && l.index == pc; });
  const Whole operation = whole(queue);
  Move part{link->destination, link->source, in.length == 0 ? 65536u : in.length, 0};
  part.destination.offset += queues_[queue].registers[operation.extension.dst_reg];
  part.source.offset += queues_[queue].registers[operation.extension.src0_reg];
  auto& engines = generated_[in.ring];
  unsigned turn = 0;
  for (unsigned i2 = 0; i2 < in.count[2]; ++i2) {
    for (unsigned i1 = 0; i1 < in.count[1]; ++i1) {
      for (unsigned i0 = 0; i0 < in.count[0]; ++i0) {
        const auto at = [&](const std::int32_t* stride) {
          return static_cast<std::uint64_t>(std::int64_t{stride[0]} * i0 +
                                            std::int64_t{stride[1]} * i1 +
                                            std::int64_t{stride[2]} * i2);
        };
        Move run = part;
        run.destination.offset += at(in.dst_stride);
        run.source.offset += at(in.src_stride);
        engines[in.count[2] >= 16 ? i2 * 16 / in.count[2] : turn++ % 16].push_back(run);
      }
    }
  }
  for (auto& moves : engines) moves.push_back({{}, {}, 0, in.semaphore});
}

void Interleaver::move(const DmaAddress& to, const DmaAddress& from, std::uint32_t bytes) {
  const auto chip_at = [](std::uint64_t offset) {
    return chip_cell(false, offset / 0x40000, offset % 0x40000);
  };
  for (std::uint32_t b = 0; b < bytes; b += 2) {
    if (to.space == DmaAddress::Space::kCore) {
      const std::uint64_t cell = tensor_cell(from.tensor, from.offset + b);
      const auto known = hbm_.find(cell);
      chip_[chip_at(to.offset + b)] = known == hbm_.end() ? mix(cell, 1) : known->second;
    } else {
      hbm_[tensor_cell(to.tensor, to.offset + b)] = chip_value(chip_at(from.offset + b));
    }
  }
}

std::uint64_t Interleaver::chip_value(std::uint64_t cell) const {
  const auto known = chip_.find(cell);
  return known == chip_.end() ? 0 : known->second;
}

void Interleaver::add_cells(const tern_ap_t& ap, unsigned partitions, unsigned size, Cells* cells,
                            const tern_outer_t& outer) {
  const bool psum = ap.addr >> 31 != 0;
  const std::uint64_t first = ap.addr >> 24 & 0x7f, byte = ap.addr & 0xffffff;
  std::vector<std::int64_t> planes;
  for (int i3 = 0; i3 < std::max<int>(outer.num3, 1); ++i3) {
    for (int i2 = 0; i2 < std::max<int>(outer.num2, 1); ++i2) {
      planes.push_back(std::int64_t{i3} * outer.step3 + std::int64_t{i2} * outer.step2);
    }
  }
  for (unsigned p = 0; p < partitions; ++p) {
    for (const std::int64_t plane : planes) {
      for (int i1 = 0; i1 < ap.num1; ++i1) {
        for (int i0 = 0; i0 < ap.num0; ++i0) {
          const std::int64_t element =
              plane + std::int64_t{i0} * ap.step0 + std::int64_t{i1} * ap.step1;
          for (unsigned b = 0; b < size; b += 2) {
            cells->push_back(
                chip_cell(psum, first + p, byte + static_cast<std::uint64_t>(element * size) + b));
          }
        }
      }
    }
  }
}

// One FP32 per partition.
void Interleaver::add_column(std::uint32_t address, unsigned partitions, Cells* cells) {
  add_cells({address, 1, 1, 1, 0}, partitions, 4, cells);
}

// The planes of an operand, and its tags or the scales of each quadrant.
template <typename Fields>
void Interleaver::add_operand(const Fields& in, unsigned planes, unsigned scale_columns,
                              Cells* cells) {
  for (unsigned plane = 0; plane < planes; ++plane) {
    tern_ap_t ap = in.src;
    ap.addr += static_cast<std::uint32_t>(static_cast<int>(plane) * in.plane);
    add_cells(ap, in.rows, bytes_of(in.dtype), cells);
  }
  if (in.mode == TERN_TENSOR_MODE_MX || in.mode == TERN_TENSOR_MODE_QUAD) {
    for (unsigned quadrant = 0; quadrant < in.rows; quadrant += 32) {
      tern_ap_t ap = in.src;
      ap.addr = (in.src.addr & 0x7f000000) + ((quadrant + in.scale_offset) << 24) + in.aux;
      add_cells(ap, 4, 1, cells);
    }
  } else if (scale_columns > 0 && in.mode == TERN_TENSOR_MODE_SPARSE) {
    tern_ap_t ap{};
    ap.addr = (in.src.addr & 0x7f000000) + in.aux;
    ap.num0 = static_cast<std::uint16_t>((scale_columns + 3) / 4);
    ap.step0 = ap.num1 = 1;
    add_cells(ap, in.rows, 2, cells);
  }
}

Interleaver::Cells Interleaver::read_cells(const Whole& whole) {
  Cells cells;
  const tern_instruction_t& instruction = whole.instruction;
  const tern_instr_extend_t& extension = whole.extension;
  switch (instruction.header.opcode) {
    case TERN_OPCODE_LOAD_STATIONARY: {
      const auto& in = instruction.load_stationary;
      add_operand(in, in.mode == TERN_TENSOR_MODE_DOUBLE_ROW ? 2 : 1, in.cols, &cells);
      break;
    }
    case TERN_OPCODE_MULTIPLY_MOVING: {
      const auto& in = instruction.multiply_moving;
      static constexpr unsigned kSparsePlanes[] = {4, 3, 2, 4, 2, 4, 2};
      unsigned planes = in.mode == TERN_TENSOR_MODE_DOUBLE_ROW ? 2 : 1;
      if (in.mode == TERN_TENSOR_MODE_SPARSE) planes = kSparsePlanes[in.sparsity];
      add_operand(in, planes, 0, &cells);
      break;
    }
    case TERN_OPCODE_TRANSPOSE: {
      const auto& in = instruction.transpose;
      add_cells(in.src, in.rows, bytes_of(in.dtype), &cells);
      break;
    }
    case TERN_OPCODE_STREAM_SHUFFLE: {
      const auto& in = instruction.shuffle;
      const unsigned size = bytes_of(in.dtype);
      add_cells({in.src, in.num, 1, 1, 0}, in.partitions, size, &cells);
      if (std::count(std::begin(in.mask), std::end(in.mask), 255) != 0) {
        add_cells({in.dst, in.num, 1, 1, 0}, in.partitions, size, &cells);
      }
      break;
    }
    case TERN_OPCODE_IOTA:
    case TERN_OPCODE_AFFINE_SELECT: {
      const auto& in = instruction.affine;
      if (in.src_dtype != 0) {
        add_cells(in.src, in.partitions, bytes_of(in.src_dtype), &cells, extension.src0_outer);
      }
      break;
    }
    default: {
      const auto& in = instruction.elementwise;
      const unsigned partitions = in.partitions;
      if (in.src0_dtype != 0) {
        add_cells(in.src0, partitions, bytes_of(in.src0_dtype), &cells, extension.src0_outer);
      }
      if (in.src1_dtype != 0 && in.header.opcode != TERN_OPCODE_TOPK) {
        add_cells(in.src1, partitions, bytes_of(in.src1_dtype), &cells, extension.src1_outer);
      }
      if ((extension.flags & 1) != 0) add_column(extension.scalar0, partitions, &cells);
      if ((extension.flags & 2) != 0) add_column(extension.scalar1, partitions, &cells);
      if (extension.reduce_cmd == TERN_REDUCE_CMD_LOAD_REDUCE) {
        add_column(extension.reduce, partitions, &cells);
      }
      if (in.header.opcode == TERN_OPCODE_TENSOR_COPY_PREDICATED) {
        add_cells(in.dst, partitions, bytes_of(in.dst_dtype), &cells, extension.dst_outer);
      }
    }
  }
  return cells;
}

Interleaver::Cells Interleaver::write_cells(const Whole& whole) {
  Cells cells;
  const tern_instruction_t& instruction = whole.instruction;
  const tern_instr_extend_t& extension = whole.extension;
  switch (instruction.header.opcode) {
    case TERN_OPCODE_LOAD_STATIONARY:
      break;
    case TERN_OPCODE_MULTIPLY_MOVING: {
      const auto& in = instruction.multiply_moving;
      tern_ap_t slot = in.dst;
      for (unsigned i = 0; i < (in.mode == TERN_TENSOR_MODE_QUAD ? 4 : 1); ++i) {
        add_cells(slot, in.cols, bytes_of(in.dst_dtype), &cells);
        slot.addr += 4096;
      }
      break;
    }
    case TERN_OPCODE_TRANSPOSE: {
      const auto& in = instruction.transpose;
      add_cells(in.dst, in.cols, std::max(bytes_of(in.dtype), 2u), &cells);
      break;
    }
    case TERN_OPCODE_STREAM_SHUFFLE: {
      const auto& in = instruction.shuffle;
      add_cells({in.dst, in.num, 1, 1, 0}, in.partitions, bytes_of(in.dtype), &cells);
      break;
    }
    case TERN_OPCODE_NONZERO_WITH_COUNT: {
      const auto& in = instruction.elementwise;
      for (unsigned p = 0; p < in.partitions; p += 16) {
        tern_ap_t ap = in.dst;
        ap.addr += p << 24;
        add_cells(ap, 1, bytes_of(in.dst_dtype), &cells, extension.dst_outer);
      }
      break;
    }
    case TERN_OPCODE_IOTA:
    case TERN_OPCODE_AFFINE_SELECT: {
      const auto& in = instruction.affine;
      add_cells(in.dst, in.partitions, bytes_of(in.dst_dtype), &cells, extension.dst_outer);
      break;
    }
    default: {
      const auto& in = instruction.elementwise;
      unsigned partitions = in.partitions;
      if (in.header.opcode == TERN_OPCODE_VECTOR_TRANSPOSE) {
        partitions = unsigned{in.src0.num0} * in.src0.num1;
      }
      if (in.header.opcode == TERN_OPCODE_TENSOR_PARTITION_REDUCE) partitions = 1;
      add_cells(in.dst, partitions, bytes_of(in.dst_dtype), &cells, extension.dst_outer);
      if (in.header.opcode == TERN_OPCODE_TOPK) {
        add_cells(in.src1, partitions, bytes_of(in.src1_dtype), &cells, extension.src1_outer);
      }
      if ((extension.flags & 4) != 0) add_column(extension.reduce, in.partitions, &cells);
    }
  }
  return cells;
}

}  // namespace tern::tb
