// SPDX-License-Identifier: Apache-2.0
#include "systemc/pcie/bus_master.h"

#include "sw/spec/generated/address_map.h"

namespace tern::pcie {

BusMaster::BusMaster(sc_core::sc_module_name name, HostLink& link)
    : sc_module(name), chip("chip"), memory("memory"), link_(link) {
  chip.register_nb_transport_fw(this, &BusMaster::transport);
  chip.register_transport_dbg(this, &BusMaster::transport_dbg);
  SC_METHOD(arrive);
  sensitive << request_due_;
  dont_initialize();
  SC_METHOD(land);
  sensitive << write_due_;
  dont_initialize();
}

void BusMaster::archive_state(base::StateArchive& archive) {
  archive.numbers(counters_.reads, counters_.writes, counters_.read_bytes, counters_.write_bytes);
}

tlm::tlm_sync_enum BusMaster::refuse(Payload& payload, MemoryFault fault) {
  payload.set_response_status(fault == MemoryFault::kAddress ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                             : tlm::TLM_COMMAND_ERROR_RESPONSE);
  auto* traffic = payload.get_extension<Traffic>();
  traffic->fault = fault;
  traffic->fault_address = payload.get_address();
  return tlm::TLM_COMPLETED;
}

bool BusMaster::exists(std::uint64_t address, unsigned bytes) {
  Payload probe;
  probe.set_command(tlm::TLM_IGNORE_COMMAND);
  probe.set_address(address);
  probe.set_data_length(bytes);
  return memory.size() != 0 && memory->transport_dbg(probe) == bytes;
}

tlm::tlm_sync_enum BusMaster::transport(Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  const std::uint64_t address = payload.get_address() - TERN_HOST_BASE;
  const unsigned bytes = payload.get_data_length();
  const std::uint64_t now = now_fs() + to_fs(delay);
  if (payload.get_extension<Traffic>()->op != WriteOp::kStore)
    return refuse(payload, MemoryFault::kAccess);
  if (!exists(address, bytes)) return refuse(payload, MemoryFault::kAddress);
  if (payload.is_read()) {
    ++counters_.reads;
    counters_.read_bytes += bytes;
    requests_.push_back({now + link_.latency_fs(), &payload});
    request_due_.notify(from_fs(requests_.front().at_fs - now_fs()));
    return tlm::TLM_ACCEPTED;
  }
  ++counters_.writes;
  counters_.write_bytes += bytes;
  const std::uint64_t sent = link_.send_to_host(now, bytes);
  const unsigned char* data = payload.get_data_ptr();
  writes_.push_back({sent + link_.latency_fs(), address, {data, data + bytes}});
  write_due_.notify(from_fs(writes_.front().at_fs - now_fs()));
  answer(payload, sent);
  return tlm::TLM_ACCEPTED;
}

void BusMaster::answer(Payload& payload, std::uint64_t at_fs) {
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = from_fs(at_fs - now_fs());
  chip->nb_transport_bw(payload, phase, delay);
}

// Requests at the host: the data begin their way back.
void BusMaster::arrive() {
  while (!requests_.empty() && requests_.front().at_fs <= now_fs()) {
    Payload& payload = *requests_.front().payload;
    requests_.pop_front();
    Payload access;
    access.set_read();
    access.set_address(payload.get_address() - TERN_HOST_BASE);
    access.set_data_ptr(payload.get_data_ptr());
    access.set_data_length(payload.get_data_length());
    access.set_streaming_width(payload.get_data_length());
    sc_core::sc_time delay;
    memory->b_transport(access, delay);
    if (!access.is_response_ok()) {
      refuse(payload, MemoryFault::kAddress);
      answer(payload, now_fs() + link_.latency_fs());
    } else {
      answer(payload, link_.send_to_chip(now_fs(), payload.get_data_length()) + link_.latency_fs());
    }
  }
  if (!requests_.empty()) request_due_.notify(from_fs(requests_.front().at_fs - now_fs()));
}

void BusMaster::land() {
  while (!writes_.empty() && writes_.front().at_fs <= now_fs()) {
    Write write = std::move(writes_.front());
    writes_.pop_front();
    Payload access;
    access.set_write();
    access.set_address(write.address);
    access.set_data_ptr(write.bytes.data());
    access.set_data_length(static_cast<unsigned>(write.bytes.size()));
    access.set_streaming_width(access.get_data_length());
    sc_core::sc_time delay;
    // Posted: memory that is gone by now loses it.
    memory->b_transport(access, delay);
  }
  if (!writes_.empty()) write_due_.notify(from_fs(writes_.front().at_fs - now_fs()));
}

}  // namespace tern::pcie
