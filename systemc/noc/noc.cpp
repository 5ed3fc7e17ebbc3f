// SPDX-License-Identifier: Apache-2.0
#include "systemc/noc/noc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sw/spec/generated/address_map.h"
#include "systemc/trace/sim_time.h"

namespace tern::noc {

namespace {
// Message::order: the initiator, then its count of pieces.
constexpr unsigned kSequenceBits = 44;
}  // namespace

Noc::Noc(sc_core::sc_module_name name, const NocConfig& config, const Shape& shape,
         trace::Bus* trace)
    : sc_module(name),
      initiators("initiators"),
      stacks("stack", shape.stacks),
      cores("core", shape.cores),
      registers("registers"),
      host("host"),
      links("links"),
      network_(*this),
      topology_(config, shape, network_) {
  initiators.register_nb_transport_fw(this, &Noc::nb_transport_fw);
  initiators.register_b_transport(this, &Noc::b_transport);
  initiators.register_transport_dbg(this, &Noc::transport_dbg);
  for (Target& stack : stacks) stack.register_nb_transport_bw(this, &Noc::memory_answer);
  host.register_nb_transport_bw(this, &Noc::memory_answer);
  links.register_nb_transport_bw(this, &Noc::memory_answer);
  const auto serve = [this](Message& message) {
    auto& transit = static_cast<Transit&>(message);
    access(transit);
    answer(transit, now_fs(), false);
  };
  for (unsigned n = 0; n < shape.cores; ++n) {
    psum_servers_.emplace_back(fmt::format("core{}_psum", n), serve);
    register_servers_.emplace_back(fmt::format("core{}_registers", n), serve);
  }
  if (trace != nullptr) {
    for (unsigned n = 0; n < network_.resources(); ++n) network_.resource(n).trace_to(trace);
  }
  SC_HAS_PROCESS(Noc);
  SC_METHOD(wake_up);
  sensitive << wake_;
  dont_initialize();
}

unsigned Noc::attach(tlm::tlm_initiator_socket<>& socket, Initiator who) {
  socket.bind(initiators);
  who_.push_back(std::move(who));
  sequence_.push_back(0);
  return static_cast<unsigned>(who_.size()) - 1;
}

void Noc::reset_statistics() {
  traffic_ = {};
  for (unsigned n = 0; n < network_.resources(); ++n) network_.resource(n).reset_statistics();
}

tlm::tlm_response_status Noc::check(const Payload& payload) {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length()) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_sync_enum Noc::nb_transport_fw(int initiator, Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  if (phase != tlm::BEGIN_REQ) {
    SC_REPORT_ERROR(name(), "unexpected phase from an initiator");
    return tlm::TLM_ACCEPTED;
  }
  if (const auto status = check(payload); status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  if (payload.has_mm()) payload.acquire();
  const std::uint64_t begin = now_fs() + to_fs(delay);
  auto* traffic = payload.get_extension<Traffic>();
  if (traffic != nullptr &&
      payload.get_address() % kPieceBytes + payload.get_data_length() <= kPieceBytes) {
    Transit& transit = new_transit();
    transit.payload = &payload;
    transit.traffic = traffic;
    transit.job = nullptr;
    transit.initiator = static_cast<unsigned>(initiator);
    enter(transit, begin);
  } else {
    Job& job = new_job();
    job.payload = &payload;
    job.initiator = static_cast<unsigned>(initiator);
    job.blocking = false;
    for (unsigned n = 0; n < kWindow && job.next < payload.get_data_length(); ++n) {
      send_piece(job, begin);
    }
  }
  schedule();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Noc::b_transport(int initiator, Payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  if (const auto status = check(payload); status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return;
  }
  Job& job = new_job();
  job.payload = &payload;
  job.initiator = static_cast<unsigned>(initiator);
  job.blocking = true;
  for (unsigned n = 0; n < kWindow && job.next < payload.get_data_length(); ++n) {
    send_piece(job, now_fs());
  }
  schedule();
  try {
    while (job.under_way > 0) sc_core::wait(job.done);
  } catch (...) {
    abandon(job);  // the caller's buffer is about to be destroyed
    throw;
  }
  free_jobs_.push_back(&job);
}

void Noc::send_piece(Job& job, std::uint64_t begin_fs) {
  const std::uint64_t address = job.payload->get_address() + job.next;
  const std::uint64_t left = job.payload->get_data_length() - job.next;
  const auto bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(left, kPieceBytes - address % kPieceBytes));
  Transit& transit = new_transit();
  Payload& payload = transit.own;
  payload.set_command(job.payload->get_command());
  payload.set_address(address);
  std::memcpy(transit.bytes_of_own.data(), job.payload->get_data_ptr() + job.next, bytes);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_byte_enable_ptr(nullptr);
  transit.payload = &payload;
  transit.traffic = payload.get_extension<Traffic>();
  const auto* said = job.payload->get_extension<Traffic>();
  transit.traffic->traffic_class =
      said != nullptr ? said->traffic_class : who_[job.initiator].traffic_class;
  transit.traffic->op = said != nullptr ? said->op : WriteOp::kStore;
  transit.job = &job;
  transit.initiator = job.initiator;
  job.next += bytes;
  ++job.under_way;
  enter(transit, begin_fs);
}

void Noc::enter(Transit& transit, std::uint64_t begin_fs) {
  transit.payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  Traffic& traffic = *transit.traffic;
  traffic.traffic_class = std::min(traffic.traffic_class, kTrafficClasses - 1);
  traffic.initiator = transit.initiator;
  traffic.transit = transit.number;
  traffic.fault = MemoryFault::kNone;
  traffic.fault_address = 0;

  transit.begin_fs = begin_fs;
  transit.responding = false;
  transit.ahead = false;
  transit.unit = topology_.decode(transit.payload->get_address());
  const Initiator& who = who_[transit.initiator];
  // Nobody reaches the host's memory or other chips where there are none; nor is a chip a way from
  // the host to other chips, from them to its host, or from the host to itself.
  if (transit.unit.kind == Unit::Kind::kHost &&
      (host.size() == 0 || who.entrance != Entrance::kInside)) {
    transit.unit = {};
  }
  if (transit.unit.kind == Unit::Kind::kLinks &&
      (links.size() == 0 || who.entrance != Entrance::kInside)) {
    transit.unit = {};
  }
  transit.order = std::uint64_t{transit.initiator} << kSequenceBits |
                  (sequence_[transit.initiator]++ & ((std::uint64_t{1} << kSequenceBits) - 1));
  transit.bytes = transit.payload->get_data_length();
  transit.traffic_class = traffic.traffic_class;
  transit.path = transit.payload->is_write()
                     ? &topology_.data_to(who.die, who.entrance, transit.unit)
                     : &topology_.message(who.die, who.entrance, transit.unit);
  network_.send(transit, begin_fs);
}

void Noc::delivered(Message& message, std::uint64_t now) {
  auto& transit = static_cast<Transit&>(message);
  if (transit.responding) {
    finish(transit, now);
  } else {
    reach_unit(transit);
  }
}

void Noc::reach_unit(Transit& transit) {
  switch (transit.unit.kind) {
    case Unit::Kind::kNone:
      transit.payload->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      transit.traffic->fault = MemoryFault::kAddress;
      transit.traffic->fault_address = transit.payload->get_address();
      return answer(transit, now_fs(), true);
    case Unit::Kind::kHbm:
    case Unit::Kind::kHost:
    case Unit::Kind::kLinks: {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      const auto result =
          transit.unit.kind == Unit::Kind::kHost
              ? host->nb_transport_fw(*transit.payload, phase, delay)
          : transit.unit.kind == Unit::Kind::kLinks
              ? links->nb_transport_fw(*transit.payload, phase, delay)
              : stacks[transit.unit.index]->nb_transport_fw(*transit.payload, phase, delay);
      if (result == tlm::TLM_COMPLETED) answer(transit, now_fs(), true);
      return;
    }
    case Unit::Kind::kCore:
      if (transit.unit.offset >= TERN_CORE_REGS_BASE) {
        return register_servers_[transit.unit.index].push(transit);
      }
      if (transit.unit.offset >= TERN_CORE_PSUM_BASE) {
        return psum_servers_[transit.unit.index].push(transit);
      }
      [[fallthrough]];
    case Unit::Kind::kChipRegisters:
      access(transit);
      return answer(transit, now_fs(), true);
  }
}

void Noc::access(Transit& transit) {
  Payload& payload = *transit.payload;
  const std::uint64_t address = payload.get_address();
  payload.set_address(transit.unit.offset);
  sc_core::sc_time delay;
  Target& target = transit.unit.kind == Unit::Kind::kCore ? cores[transit.unit.index] : registers;
  target->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  payload.set_address(address);
  Traffic& traffic = *transit.traffic;
  if (!payload.is_response_ok() && traffic.fault == MemoryFault::kNone) {
    traffic.fault = payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE
                        ? MemoryFault::kAddress
                        : MemoryFault::kAccess;
    traffic.fault_address = address;
  }
}

// May come early, with a delay.
tlm::tlm_sync_enum Noc::memory_answer(Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  answer(transits_[payload.get_extension<Traffic>()->transit], now_fs() + to_fs(delay), false);
  return tlm::TLM_COMPLETED;
}

void Noc::answer(Transit& transit, std::uint64_t fs, bool resident) {
  const Initiator& who = who_[transit.initiator];
  transit.responding = true;
  transit.ahead = who.early_answers && transit.job == nullptr;
  transit.path = transit.payload->is_read() && transit.payload->is_response_ok()
                     ? &topology_.data_from(who.die, who.entrance, transit.unit, resident)
                     : &topology_.message(who.die, who.entrance, transit.unit);
  network_.send(transit, fs);
  schedule();
}

void Noc::finish(Transit& transit, std::uint64_t now) {
  Payload& payload = *transit.payload;
  ClassTraffic& traffic = traffic_[transit.traffic_class];
  ++(payload.is_read() ? traffic.reads : traffic.writes);
  (payload.is_read() ? traffic.read_bytes : traffic.write_bytes) += transit.bytes;
  (payload.is_read() ? traffic.read_latency : traffic.write_latency).add(now - transit.begin_fs);

  Job* job = transit.job;
  const unsigned initiator = transit.initiator;
  free_transits_.push_back(&transit);
  if (job == nullptr) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = from_fs(now - now_fs());
    initiators[static_cast<int>(initiator)]->nb_transport_bw(payload, phase, delay);
    if (payload.has_mm()) payload.release();
    return;
  }
  --job->under_way;
  if (payload.is_read() && job->payload != nullptr) {
    std::memcpy(
        job->payload->get_data_ptr() + (payload.get_address() - job->payload->get_address()),
        transit.bytes_of_own.data(), transit.bytes);
  }
  if (!payload.is_response_ok() && (job->status == tlm::TLM_OK_RESPONSE ||
                                    transit.traffic->fault_address < job->fault_address)) {
    job->status = payload.get_response_status();
    job->fault = transit.traffic->fault;
    job->fault_address = transit.traffic->fault_address;
  }
  const bool more = job->payload != nullptr && job->status == tlm::TLM_OK_RESPONSE &&
                    job->next < job->payload->get_data_length();
  if (more) {
    send_piece(*job, now);
  } else if (job->under_way == 0) {
    end_job(*job);
  }
}

void Noc::end_job(Job& job) {
  if (job.payload == nullptr) {
    free_jobs_.push_back(&job);
    return;
  }
  Payload& payload = *job.payload;
  payload.set_response_status(job.status);
  if (auto* said = payload.get_extension<Traffic>()) {
    said->fault = job.fault;
    said->fault_address = job.fault_address;
  }
  if (job.blocking) return job.done.notify(sc_core::SC_ZERO_TIME);
  const unsigned initiator = job.initiator;
  free_jobs_.push_back(&job);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  initiators[static_cast<int>(initiator)]->nb_transport_bw(payload, phase, delay);
  if (payload.has_mm()) payload.release();
}

// What is in transit goes through the network, for no recipient.
void Noc::abandon(Job& job) {
  if (job.under_way == 0) return free_jobs_.push_back(&job);
  job.payload = nullptr;
}

Noc::Transit& Noc::new_transit() {
  if (free_transits_.empty()) {
    transits_.emplace_back();
    transits_.back().number = static_cast<std::uint32_t>(transits_.size() - 1);
    transits_.back().own.set_extension(new Traffic);  // the payload's from here on
    transits_.back().own.set_data_ptr(transits_.back().bytes_of_own.data());
    free_transits_.push_back(&transits_.back());
  }
  Transit& transit = *free_transits_.back();
  free_transits_.pop_back();
  return transit;
}

Noc::Job& Noc::new_job() {
  if (free_jobs_.empty()) {
    jobs_.emplace_back();
    free_jobs_.push_back(&jobs_.back());
  }
  Job& job = *free_jobs_.back();
  free_jobs_.pop_back();
  job.next = 0;
  job.under_way = 0;
  job.status = tlm::TLM_OK_RESPONSE;
  job.fault = MemoryFault::kNone;
  job.fault_address = 0;
  return job;
}

void Noc::archive_state(base::StateArchive& archive) {
  archive.section("network");
  archive.constant(network_.resources());
  for (unsigned n = 0; n < network_.resources(); ++n)
    network_.resource(n).archive_state(archive, now_fs());
  archive.constant(sequence_.size());
  archive.each(sequence_);
  for (ClassTraffic& traffic : traffic_) {
    archive.numbers(traffic.reads, traffic.writes, traffic.read_bytes, traffic.write_bytes);
    traffic.read_latency.archive_state(archive);
    traffic.write_latency.archive_state(archive);
  }
}

void Noc::wake_up() {
  wake_at_ = UINT64_MAX;
  running_ = true;
  network_.run(now_fs());
  running_ = false;
  schedule();
}

void Noc::schedule() {
  const std::uint64_t next = network_.next();
  if (running_ || next >= wake_at_) return;
  wake_at_ = next;
  wake_.notify(from_fs(next - now_fs()));
}

unsigned Noc::transport_dbg(int, Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const Unit unit = topology_.decode(address);
  if (unit.kind == Unit::Kind::kHbm) return stacks[unit.index]->transport_dbg(payload);
  const Unit last = topology_.decode(address + std::max(payload.get_data_length(), 1u) - 1);
  if (unit.kind == Unit::Kind::kNone || unit.kind == Unit::Kind::kHost ||
      unit.kind == Unit::Kind::kLinks || last.kind != unit.kind || last.index != unit.index) {
    return 0;
  }
  payload.set_address(unit.offset);
  Target& target = unit.kind == Unit::Kind::kCore ? cores[unit.index] : registers;
  const unsigned count = target->transport_dbg(payload);
  payload.set_address(address);
  return count;
}

}  // namespace tern::noc
