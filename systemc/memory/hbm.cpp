// SPDX-License-Identifier: Apache-2.0
#include "systemc/memory/hbm.h"

#include <algorithm>

#include "sw/spec/generated/address_map.h"
#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

void copy(SparseMemory& memory, std::uint64_t offset, tlm::tlm_generic_payload& transaction) {
  if (transaction.is_read()) {
    memory.read(offset, transaction.get_data_ptr(), transaction.get_data_length());
  } else {
    memory.write(offset, transaction.get_data_ptr(), transaction.get_data_length());
  }
}

}  // namespace

Hbm::Hbm(sc_core::sc_module_name name, const HbmConfig& config)
    : sc_module(name),
      socket("socket"),
      stack_gb_per_s_(config.bandwidth_gb_per_s / config.stacks),
      latency_fs_(ns_to_fs(config.latency_ns)) {
  for (unsigned s = 0; s < config.stacks; ++s) stacks_.emplace_back(config.stack_bytes);
  socket.register_b_transport(this, &Hbm::b_transport);
  socket.register_transport_dbg(this, &Hbm::transport_dbg);
}

std::uint64_t Hbm::allocated_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& stack : stacks_) sum += stack.memory.allocated_bytes();
  return sum;
}

Hbm::Stack* Hbm::find(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t stack = (address - TERN_HBM_BASE) / TERN_HBM_STRIDE;
  if (stack >= stacks_.size()) return nullptr;
  return stacks_[stack].memory.contains(address % TERN_HBM_STRIDE, bytes) ? &stacks_[stack]
                                                                          : nullptr;
}

void Hbm::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t bytes = transaction.get_data_length();
  Stack* stack = find(transaction.get_address(), bytes);
  if (stack == nullptr) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
    transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  if (transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (transaction.get_streaming_width() < bytes) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  copy(stack->memory, transaction.get_address() % TERN_HBM_STRIDE, transaction);

  const std::uint64_t now = now_fs();
  const std::uint64_t arrival = now + to_fs(delay);
  const std::uint64_t busy = transfer_fs(bytes, stack_gb_per_s_);
  stack->free_at_fs = std::max(stack->free_at_fs, arrival) + busy;
  delay = from_fs(stack->free_at_fs + latency_fs_ - now);

  StackCounters& counters = stack->counters;
  counters.busy_fs += busy;
  ++(transaction.is_read() ? counters.reads : counters.writes);
  (transaction.is_read() ? counters.read_bytes : counters.write_bytes) += bytes;
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Hbm::transport_dbg(tlm::tlm_generic_payload& transaction) {
  Stack* stack = find(transaction.get_address(), transaction.get_data_length());
  if (stack == nullptr || transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  copy(stack->memory, transaction.get_address() % TERN_HBM_STRIDE, transaction);
  return transaction.get_data_length();
}

}  // namespace tern
