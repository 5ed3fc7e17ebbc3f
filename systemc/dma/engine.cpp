// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sw/base/math.h"
#include "systemc/dma/model/unit_model.h"
#include "systemc/trace/activity.h"
#include "systemc/trace/sim_time.h"

namespace tern::dma {

// A request in flight: payload, extension and bytes.
struct Engine::Access : tlm::tlm_generic_payload, tlm::tlm_mm_interface {
  explicit Access(Engine& engine) : owner(engine) {
    set_mm(this);
    set_extension(&traffic);
    set_data_ptr(data.data());
    set_byte_enable_ptr(nullptr);
  }
  ~Access() override { clear_extension(&traffic); }
  void free(tlm::tlm_generic_payload*) override { owner.free_.push_back(this); }

  Engine& owner;
  Traffic traffic;
  Port port = Port::kRead;
  unsigned tag = 0;
  std::array<std::uint8_t, kBurstBytes> data{};
};

UnitConfig unit_config(const DmaConfig& config) {
  UnitConfig unit;
  unit.descriptor_cycles = config.descriptor_cycles;
  unit.pace =
      static_cast<unsigned>(std::min(1023L, std::lround((1 / config.efficiency - 1) * 1024)));
  unit.policy = static_cast<unsigned>(config.qos.policy);
  for (unsigned c = 0; c < qos::kClasses; ++c) {
    unit.rate_256[c] =
        static_cast<std::uint32_t>(std::lround(config.qos.shares[c] * 256 * kBeatBytes));
    unit.depth[c] = config.qos.bucket_bytes;
  }
  return unit;
}

Engine::Engine(sc_core::sc_module_name name, const DmaConfig& config, EngineClock& clock,
               unsigned engine_index, trace::Bus* trace, const std::string& trace_process,
               const UnitFactory& factory)
    : sc_module(name),
      bus("bus"),
      registers("registers"),
      index_(engine_index),
      clock_(clock),
      member_(clock.add(*this)),
      doorbell_fs_(ns_to_fs(config.doorbell_latency_ns)),
      trace_(trace) {
  if (trace_ != nullptr) track_ = trace_->add_track(trace_process, fmt::format("dma{}", index_));
  classes_.fill(kTrafficClasses - 1);
  const UnitConfig unit = unit_config(config);
  unit_ = factory ? factory(unit, *this) : make_unit_model(unit, *this);
  bus.register_nb_transport_bw(this, &Engine::nb_transport_bw);
  registers.register_b_transport(this, &Engine::registers_transport);
  registers.register_transport_dbg(this, &Engine::registers_dbg);
}

Engine::~Engine() = default;

void Engine::wake() {
  unit_->advance(clock_.present());
  give_inputs();
  schedule();
}

// One register write and one pair per cycle.
void Engine::give_inputs() {
  const std::uint64_t next = clock_.present() + 1;
  if (!posted_.empty() && posted_.front().due_fs <= now_fs() && written_ < next) {
    const RegisterWrite first = posted_.front();
    posted_.pop_front();
    write(first);
  }
  while (!pushed_.empty() && pushed_cycle_ < next) {
    const PushedPair& pair = pushed_.front();
    if (!stopped_[pair.ring]) {
      if (!unit_->push_pair(next, pair.ring, pair.pair.data())) break;
      pushed_cycle_ = next;
    }
    pushed_.pop_front();
  }
  if (wants_room_ && pushed_.size() < kPushedPairs) {
    wants_room_ = false;
    if (room_handler_) room_handler_();
  }
}

void Engine::schedule() {
  const std::uint64_t soon = clock_.present() + 1;
  const std::uint64_t next = pushed_.empty() ? unit_->next_cycle() : soon;
  if (next <= soon) {
    clock_.wake_at(member_, clock_.next_fs());
  } else if (next != UINT64_MAX) {
    clock_.wake_at(member_, clock_.fs_of(next));
  }
  if (!posted_.empty()) {
    const std::uint64_t free = written_ < soon ? now_fs() : clock_.next_fs();
    clock_.wake_at(member_, std::max(posted_.front().due_fs, free));
  }
}

void Engine::request(const Request& request) {
  if (free_.empty()) free_.push_back(&accesses_.emplace_back(*this));
  Access& access = *free_.back();
  free_.pop_back();
  access.acquire();
  access.port = request.port;
  access.tag = request.tag;
  access.traffic.traffic_class = request.traffic_class;
  access.traffic.op = static_cast<WriteOp>(request.write_op);
  access.traffic.fault = MemoryFault::kNone;
  access.traffic.fault_address = 0;
  const bool write = request.port == Port::kWrite;
  if (write) std::memcpy(access.data.data(), request.data, request.bytes);
  access.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  access.set_address(request.address);
  access.set_data_length(request.bytes);
  access.set_streaming_width(request.bytes);
  access.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus->nb_transport_fw(access, phase, delay);
}

tlm::tlm_sync_enum Engine::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  auto& access = static_cast<Access&>(payload);
  Answer answer = Answer::kGood;
  if (!access.is_response_ok()) {
    answer = access.traffic.fault == MemoryFault::kUncorrectableEcc ? Answer::kUncorrectable
                                                                    : Answer::kBadAddress;
  }
  const std::uint32_t beats =
      access.port == Port::kWrite ? 1 : ceil_div(access.get_data_length(), kBeatBytes);
  std::uint64_t& port_free = port_free_[static_cast<unsigned>(access.port)];
  port_free = std::max(clock_.cycle_begun(now_fs() + to_fs(delay)) + 1, port_free) + beats;
  unit_->answer(port_free - 1, access.port, access.tag, answer, access.data.data());
  access.release();
  schedule();
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void Engine::doorbell(unsigned ring, unsigned pairs) {
  post(TERN_REG_DMA_RING_TAIL + ring * TERN_REG_DMA_RING_TAIL_STRIDE, pairs, now_fs());
}

bool Engine::push_pair(unsigned ring, const std::uint8_t* pair) {
  if (stopped_.at(ring)) return false;
  if (pushed_.size() >= kPushedPairs) {
    wants_room_ = true;
    return false;
  }
  PushedPair& entry = pushed_.emplace_back();
  entry.ring = ring;
  std::memcpy(entry.pair.data(), pair, entry.pair.size());
  clock_.wake_at(member_, now_fs());
  return true;
}

void Engine::ring_stopped(std::uint64_t, unsigned ring, unsigned fault, std::uint32_t index,
                          std::uint64_t) {
  stopped_[ring] = true;
  if (error_handler_) {
    error_handler_(ring, TERN_ERROR_DMA_DESCRIPTOR, std::uint64_t{fault} << 24 | index);
  }
}

void Engine::packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring,
                         std::uint32_t bytes, unsigned pairs) {
  ++counters_.packets;
  counters_.descriptors += pairs;
  counters_.bytes += bytes;
  const std::uint64_t from = clock_.fs_of(std::max(begin, busy_until_)), to = clock_.fs_of(cycle);
  if (to > from) counters_.busy_fs += to - from;
  busy_until_ = cycle;
  if (packet_handler_) packet_handler_(ring, bytes);
  if (trace_ == nullptr || !trace_->enabled()) return;
  trace::Activity activity;
  activity.dma_bytes = bytes;
  trace_->span(
      {track_, fmt::format("ring {}", ring), clock_.fs_of(begin), to,
       fmt::format(R"({{"bytes":{},"descriptors":{},"class":{}}})", bytes, pairs, classes_[ring]),
       &activity});
}

bool Engine::at_rest() const {
  return posted_.empty() && pushed_.empty() && unit_->at_rest();
}

bool Engine::rests_for_snapshot() const {
  return at_rest() && unit_->rests_for_snapshot() && free_.size() == accesses_.size();
}

void Engine::archive_state(base::StateArchive& archive) {
  archive.numbers(counters_.packets, counters_.descriptors, counters_.bytes, counters_.busy_fs);
  for (unsigned& traffic_class : classes_) archive.number(traffic_class, kTrafficClasses - 1);
  archive.each(stopped_);
  archive.each(set_up_);
  archive.number(wants_room_);
  unit_->archive_state(archive, clock_.present());
}

}  // namespace tern::dma
