// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/error_text.h"

#include "sw/base/text.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/queues.h"

namespace tern::runtime {

std::string queue_name(unsigned queue) {
  if (queue < TERN_QUEUE_COUNT) return kQueueNames[queue];
  return "queue " + std::to_string(queue);
}

std::string opcode_name(unsigned opcode) {
  switch (opcode) {
#define TERN_NAME(code, name, mask, format) \
  case code:                                \
    return #name;
    TERN_INSTRUCTIONS(TERN_NAME)
#undef TERN_NAME
  }
  return "opcode " + std::to_string(opcode);
}

namespace {

std::string control_fault(std::uint32_t detail) {
  switch (detail) {
    case TERN_CONTROL_FAULT_EXTEND:
      return "extend without an instruction after it that it can extend";
    case TERN_CONTROL_FAULT_BRANCH_PROGRAM:
      return "the branch leads out of the program";
    case TERN_CONTROL_FAULT_BRANCH_LOOP:
      return "the branch leads out of the body of the innermost loop";
    case TERN_CONTROL_FAULT_LOOP_BODY:
      return "the loop's body leads out of the program or out of the enclosing body";
    case TERN_CONTROL_FAULT_LOOP_DEPTH:
      return "loops nested deeper than 8";
    case TERN_CONTROL_FAULT_ENDLESS:
      return "an endless loop: 1048576 control instructions in a row, no work between them";
  }
  return "control flow (detail " + std::to_string(detail) + ")";
}

}  // namespace

std::string dma_fault_text(unsigned fault) {
  switch (fault) {
    case TERN_DMA_FAULT_PHASE:
      return "a stale descriptor: its ring_id is not the phase of this pass through the ring";
    case TERN_DMA_FAULT_RESERVED:
      return "a reserved bit is set";
    case TERN_DMA_FAULT_FIRST:
      return "first is missing at the start of a packet, or set inside one";
    case TERN_DMA_FAULT_MISMATCH:
      return "source and destination descriptor differ in last";
    case TERN_DMA_FAULT_TOO_LONG:
      return "more than 64 descriptors in a packet, or more than 64 KiB in one";
    case TERN_DMA_FAULT_SUMS:
      return "sources and destinations of a packet differ in length";
    case TERN_DMA_FAULT_OPERATION:
      return "an unknown operation, or a field that it does not take";
    case TERN_DMA_FAULT_INT_EN:
      return "a completion interrupt, which is not modelled";
    case TERN_DMA_FAULT_BASE:
      return "the ring's base is not 256-byte aligned, or it has no size";
    case TERN_DMA_FAULT_SIZE:
      return "the ring's size is against the rules";
    case TERN_DMA_FAULT_OVERRUN:
      return "more descriptors were released than the ring holds";
    case TERN_DMA_FAULT_ALIGNMENT:
      return "an address or length that its operation does not take";
    case TERN_DMA_FAULT_FETCH:
      return "the descriptors could not be read";
    case TERN_DMA_FAULT_READ:
      return "a source address outside every unit";
    case TERN_DMA_FAULT_WRITE:
      return "a destination address outside every unit";
    case TERN_DMA_FAULT_ECC:
      return "uncorrectable bits in memory";
    case TERN_DMA_FAULT_CRC:
      return "the CRC of a packet is not the expected one";
    case TERN_DMA_FAULT_ABORT:
      return "aborted by software";
    case TERN_DMA_FAULT_COMPLETION:
      return "a completion of a write that was not in flight";
  }
  return "fault " + std::to_string(fault);
}

std::string error_meaning(unsigned code, std::uint32_t detail) {
  const std::string more = detail != 0 ? " (detail " + std::to_string(detail) + ")" : "";
  switch (code) {
    case TERN_ERROR_NONE:
      return "no error code";
    case TERN_ERROR_ILLEGAL_OPCODE:
      return "unknown opcode, or one this queue does not execute" + more;
    case TERN_ERROR_ILLEGAL_FIELD:
      return "a field outside its range" + more;
    case TERN_ERROR_BAD_ACCESS_PATTERN:
      if ((detail & 0x80) != 0) {
        return "index " + std::to_string(detail >> 16) + " in partition " +
               std::to_string(detail >> 8 & 0xFF) + " of the tile of indices lies outside its row";
      }
      return "an access pattern leaves its partition, starts on a forbidden partition or crosses "
             "into another PSUM bank" +
             more;
    case TERN_ERROR_BAD_DTYPE:
      return "an operand type this instruction does not take" + more;
    case TERN_ERROR_FORBIDDEN_MEMORY:
      return "this engine cannot reach that memory" + more;
    case TERN_ERROR_NOT_MODELLED:
      return "documented for the real chip, not in this version" + more;
    case TERN_ERROR_TENSOR_ENGINE:
      return "the tensor engine rejected the command, status " + std::to_string(detail);
    case TERN_ERROR_BUS:
      return "an address outside every unit, " + base::hex_bits(detail) +
             " (low half); status 1006 (out of bound)";
    case TERN_ERROR_DMA_DESCRIPTOR:
      return dma_fault_text(detail >> 24) + " (descriptor " + std::to_string(detail & 0xFFFFFF) +
             " of the ring)";
    case TERN_ERROR_SEMAPHORE_RANGE:
      return "a semaphore would leave 0 .. 2^32-1" + more;
    case TERN_ERROR_EVENT_REPEATED:
      return "event " + std::to_string(detail) + " was set twice, or cleared twice";
    case TERN_ERROR_CONTROL_FLOW:
      return control_fault(detail);
    case TERN_ERROR_CUSTOM_OP:
      return "a program of the GpSimd processors failed" + more;
    case TERN_ERROR_DMA_INDEX:
      return "the index of partition " + std::to_string(detail) + " lies outside the table";
    case TERN_ERROR_ECC:
      return "uncorrectable bits in memory, read at " + base::hex_bits(detail) +
             " (low half of the address); status 1201 (HBM uncorrectable error)";
  }
  return "error " + std::to_string(code) + more;
}

std::string status_text(Status status) {
  const auto text = [&](const char* meaning) {
    return std::to_string(static_cast<int>(status)) + " (" + meaning + ")";
  };
  switch (status) {
    case Status::kHbmUncorrectable:
      return text("HBM uncorrectable error");
    case Status::kCoreUncorrectable:
      return text("NeuronCore uncorrectable error");
    case Status::kOutOfBound:
      return text("out of bound");
    case Status::kDmaAbort:
      return text("DMA abort");
    default:
      return std::to_string(static_cast<int>(status));
  }
}

}  // namespace tern::runtime
