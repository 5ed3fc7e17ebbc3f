// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_info.h"

#include <fmt/format.h>

#include <string_view>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/registers.h"
#include "sw/spec/queues.h"

namespace tern {

namespace {

std::string place(const tern_ap_t& raw) {
  const AccessPattern ap(raw);
  return fmt::format("{}[{}]+{:#x}", ap.psum ? "psum" : "sbuf", ap.partition, ap.byte);
}

// Partitions, elements of each, and where they go and come from, if from anywhere.
std::string tile_args(unsigned index, unsigned partitions, std::uint64_t count,
                      const std::string& dst, const std::string& src) {
  const std::string from = src.empty() ? "" : fmt::format(R"(,"src0":"{}")", src);
  return fmt::format(R"({{"index":{},"P":{},"N":{},"dst":"{}"{}}})", index, partitions, count, dst,
                     from);
}

std::string_view format_name(unsigned dtype) {
  return numerics::dtype_name(static_cast<numerics::DType>(dtype));
}

// Format and mode; a tile of its own only where there is one.
template <typename Instruction>
std::string tensor_args(const Instruction& in) {
  static constexpr const char* kModes[] = {"dense", "sparse", "double_row", "mx", "quad"};
  std::string text = fmt::format(R"(,"format":"{}","mode":"{}")", format_name(in.dtype),
                                 in.mode < 5 ? kModes[in.mode] : "?");
  if (in.tile_rows != 0 || in.tile_cols != 0) {
    text += fmt::format(R"(,"rows":"{}..{}","columns":"{}..{}")", AccessPattern(in.src).partition,
                        AccessPattern(in.src).partition + in.rows - 1, in.col_start,
                        in.col_start + in.cols - 1);
  }
  return text;
}

}  // namespace

const char* queue_name(unsigned queue) {
  return queue < TERN_QUEUE_COUNT ? kQueueNames[queue] : "?";
}

std::string instruction_name(unsigned opcode) {
#define TERN_NAME(code, name, queues, format) \
  if (opcode == (code)) return #name;
  TERN_INSTRUCTIONS(TERN_NAME)
#undef TERN_NAME
  return fmt::format("opcode {:#04x}", opcode);
}

unsigned instruction_queues(unsigned opcode) {
#define TERN_QUEUES(code, name, queues, format) \
  if (opcode == (code)) return queues;
  TERN_INSTRUCTIONS(TERN_QUEUES)
#undef TERN_QUEUES
  return 0;
}

const char* wait_condition_symbol(unsigned wait_cond) {
  static constexpr const char* kSymbols[] = {"any", "==", "!=", ">=", ">", "<=", "<"};
  return wait_cond < 7 ? kSymbols[wait_cond] : "?";
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string instruction_args(const Operation& operation, unsigned index) {
  const tern_instruction_t& instruction = operation.instruction;
  switch (instruction.header.opcode) {
    case TERN_OPCODE_NOP:
    case TERN_OPCODE_HALT:
      return fmt::format(R"({{"index":{}}})", index);
    case TERN_OPCODE_DMA_TRIGGER: {
      unsigned pairs = 0;
      for (const std::uint16_t count : instruction.dma_trigger.count) pairs += count;
      return fmt::format(R"({{"index":{},"ring":{},"pairs":{}}})", index,
                         instruction.dma_trigger.ring, pairs);
    }
    case TERN_OPCODE_DMA_COPY: {
      const auto& in = instruction.dma_copy;
      const unsigned run = in.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : in.length;
      return fmt::format(R"({{"index":{},"ring":{},"runs":{},"run_bytes":{},"src":"{:#x}",)"
                         R"("dst":"{:#x}"}})",
                         index, in.ring, std::uint64_t{in.count[0]} * in.count[1] * in.count[2],
                         run, std::uint64_t{in.src_hi} << 32 | in.src_lo,
                         std::uint64_t{in.dst_hi} << 32 | in.dst_lo);
    }
    case TERN_OPCODE_DMA_INDIRECT: {
      const auto& in = instruction.dma_indirect;
      return fmt::format(R"({{"index":{},"ring":{},"P":{},"row_bytes":{},"direction":"{}",)"
                         R"("tile":"{}"}})",
                         index, in.ring, in.partitions, in.length,
                         in.direction == TERN_DMA_DIRECTION_GATHER ? "gather" : "scatter",
                         place({in.tile, 1, 1, 1, 0}));
    }
    case TERN_OPCODE_LOAD_STATIONARY: {
      const auto& in = instruction.load_stationary;
      return fmt::format(R"({{"index":{},"K":{},"M":{},"src":"{}"{}}})", index, in.rows, in.cols,
                         place(in.src), tensor_args(in));
    }
    case TERN_OPCODE_MULTIPLY_MOVING: {
      const auto& in = instruction.multiply_moving;
      return fmt::format(
          R"({{"index":{},"K":{},"M":{},"N":{},"src":"{}","dst":"{}","accumulate":{}{},)"
          R"("result":"{}"}})",
          index, in.rows, in.cols, AccessPattern(in.src).count(), place(in.src), place(in.dst),
          in.accumulate, tensor_args(in), format_name(in.dst_dtype));
    }
    case TERN_OPCODE_TRANSPOSE: {
      const auto& in = instruction.transpose;
      return fmt::format(R"({{"index":{},"K":{},"M":{},"src":"{}","dst":"{}","format":"{}"}})",
                         index, in.rows, in.cols, place(in.src), place(in.dst),
                         format_name(in.dtype));
    }
    case TERN_OPCODE_STREAM_SHUFFLE: {
      const auto& in = instruction.shuffle;
      return fmt::format(R"({{"index":{},"P":{},"N":{},"dst":"{}","src":"{}"}})", index,
                         in.partitions, in.num, place({in.dst, in.num, 1, 1, 0}),
                         place({in.src, in.num, 1, 1, 0}));
    }
    case TERN_OPCODE_IOTA:
    case TERN_OPCODE_AFFINE_SELECT: {
      const auto& in = instruction.affine;
      return fmt::format(R"({{"index":{},"P":{},"N":{},"dst":"{}"}})", index, in.partitions,
                         AccessPattern(in.dst, operation.extension.dst_outer).count(),
                         place(in.dst));
    }
    case TERN_OPCODE_CUSTOM_OP: {
      const auto& in = instruction.custom_op;
      return fmt::format(R"({{"index":{},"processors":"{:#04x}","file_bytes":{}}})", index,
                         in.cores, in.code_bytes);
    }
    default: {
      const auto& in = instruction.elementwise;
      const AccessPattern dst(in.dst, operation.extension.dst_outer);
      const AccessPattern src(in.src0, operation.extension.src0_outer);
      return tile_args(index, in.partitions, std::max(dst.count(), src.count()), place(in.dst),
                       in.src0_dtype == 0 ? "" : place(in.src0));
    }
  }
}

}  // namespace tern
