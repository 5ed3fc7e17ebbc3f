// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/dma_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/spec/generated/isa.h"
#include "systemc/trace/sim_time.h"

namespace tern {

using dma::Packet;

namespace {
// A write into PSUM moves the tensor engine's clock, and Verilated code keeps whole rows on the
// stack.
constexpr unsigned kStackBytes = 8 * 1024 * 1024;
constexpr std::size_t kSparePackets = 4;
constexpr std::size_t kSpareBytes = 256 * 1024;  // a larger buffer is not worth keeping

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}
}  // namespace

DmaEngine::DmaEngine(sc_core::sc_module_name name, const DmaConfig& config, unsigned engine_index,
                     trace::Bus* trace, const std::string& trace_process)
    : sc_module(name),
      bus("bus"),
      registers("registers"),
      index_(engine_index),
      gb_per_s_(config.engine_gb_per_s * config.efficiency),
      // The engines of a core start one femtosecond apart: the kernel does not define who goes
      // first at the same instant, and with it the order at a shared HBM stack would differ between
      // runs.
      start_latency_fs_(ns_to_fs(config.start_latency_ns) + engine_index),
      overhead_fs_(ns_to_fs(config.descriptor_overhead_ns)),
      trace_(trace),
      fetch_(
          [this](std::uint64_t address, std::uint8_t* data, unsigned bytes, std::uint64_t& done) {
            return access(tlm::TLM_READ_COMMAND, address, data, bytes, done);
          }) {
  if (trace_ != nullptr) track_ = trace_->add_track(trace_process, fmt::format("dma{}", index_));
  registers.register_b_transport(this, &DmaEngine::registers_transport);
  registers.register_transport_dbg(this, &DmaEngine::registers_dbg);
  SC_HAS_PROCESS(DmaEngine);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
}

// One pair per turn: its data are moved at the end of its time, and the only wait is for that end.
void DmaEngine::run() {
  while (true) {
    if (!pipeline_.empty()) {
      const Packet& packet = *pipeline_.front();
      if (packet.generation != rings_[packet.ring].generation()) {
        drop_packet();
        continue;
      }
      if (packet.stops_ring()) {
        stop_ring(packet.ring, packet.fetch_failed ? TERN_ERROR_BUS : dma::error_code(packet.fault),
                  packet.detail);
        continue;
      }
      if (packet.issued > packet.done) {
        move_pair();
        continue;
      }
    }
    const std::size_t packets = pipeline_.size();
    const std::size_t issued = packets == 0 ? 0 : pipeline_.front()->issued;
    fill();
    const bool progress =
        pipeline_.size() != packets || (packets != 0 && pipeline_.front()->issued != issued);
    if (!progress) wait_for_work();
  }
}

// Nothing can start now: sleep until a doorbell takes effect, descriptors arrive or a barrier
// opens.
void DmaEngine::wait_for_work() {
  const std::uint64_t now = now_fs();
  std::uint64_t next = dma::kNever;
  for (const auto& ring : rings_) {
    if (ring.has_work()) next = std::min(next, ring.next_fs(now));
  }
  if (!pipeline_.empty()) {
    const std::uint64_t barrier = last_write_fs_[pipeline_.front()->ring];
    if (barrier > now) next = std::min(next, barrier);
  }
  if (next == dma::kNever) {
    wait(work_);
  } else {
    wait(from_fs(next - now), work_);
  }
}

bool DmaEngine::at_rest() const {
  if (!pipeline_.empty()) return false;
  const std::uint64_t now = now_fs();
  return std::all_of(rings_.begin(), rings_.end(), [now](const dma::Ring& ring) {
    return !ring.has_work() || ring.next_fs(now) == dma::kNever;
  });
}

// Takes packets and issues their reads as far ahead as the window allows.
void DmaEngine::fill() {
  const std::uint64_t now = now_fs();
  for (auto& ring : rings_) {
    if (ring.has_work()) ring.advance(now, fetch_);
  }
  while (issuing_ != nullptr ? issue_reads() : next_packet()) {
  }
}

// Round robin over the rings, a packet at a time.
bool DmaEngine::next_packet() {
  if (window_full()) {
    starved_since_fs_ = dma::kNever;
    return false;
  }
  const std::uint64_t now = now_fs();
  for (unsigned step = 1; step <= kRings; ++step) {
    const unsigned index = (last_ring_ + step) % kRings;
    dma::Ring& ring = rings_[index];
    if (!ring.has_work()) continue;
    ring.advance(now, fetch_);  // a packet taken before may have made room for the next burst
    PacketPtr packet = new_packet();
    packet->ring = index;
    if (!ring.take(now, *packet)) {
      spare_.push_back(std::move(packet));
      continue;
    }
    last_ring_ = index;
    if (!packet->stops_ring()) {
      if (packet->data.size() < packet->bytes) packet->data.resize(packet->bytes);
      issuing_ = packet.get();
      const std::uint64_t since = std::max(packet->available_fs, starved_since_fs_);
      head_start_fs_ = since < now ? now - since : 0;
    }
    pipeline_.push_back(std::move(packet));
    return true;
  }
  starved_since_fs_ = std::min(starved_since_fs_, now);
  return false;
}

bool DmaEngine::window_full() const {
  return waiting_pairs_ >= dma::Ring::kPrefetchPairs || waiting_bytes_ >= kWindowBytes;
}

// True when all reads of the packet are issued.
bool DmaEngine::issue_reads() {
  Packet& packet = *issuing_;
  while (packet.issued < packet.sources.size()) {
    Packet::Source& source = packet.sources[packet.issued];
    if (window_full() || (source.barrier && barrier_holds(packet)) ||
        source_is_pending(packet, source)) {
      starved_since_fs_ = dma::kNever;
      head_start_fs_ = 0;
      return false;
    }
    std::uint64_t done = 0;
    source.failed = !access(tlm::TLM_READ_COMMAND, source.address,
                            packet.data.data() + packet.bytes_issued, source.length, done);
    source.ready_fs = done - head_start_fs_;
    packet.bytes_issued += source.length;
    ++packet.issued;
    waiting_bytes_ += source.length;
    ++waiting_pairs_;
  }
  issuing_ = nullptr;
  return true;
}

// Earlier transfers of the same ring are not complete yet.
bool DmaEngine::barrier_holds(const Packet& packet) const {
  if (packet.issued > packet.done || &packet == moving_) return true;
  for (const auto& other : pipeline_) {
    if (other.get() != &packet && other->ring == packet.ring) return true;
  }
  return last_write_fs_[packet.ring] > now_fs();
}

// A read never passes an earlier write of this engine to the same bytes, although it is issued
// ahead.
bool DmaEngine::source_is_pending(const Packet& packet, const Packet::Source& source) const {
  for (const auto& other : pipeline_) {
    if (other.get() == &packet) break;
    for (std::size_t i = other->written; i < other->destinations.size(); ++i) {
      const auto& target = other->destinations[i];
      if (overlap(source.address, source.length, target.address, target.length)) return true;
    }
  }
  return false;
}

void DmaEngine::move_pair() {
  Packet& packet = *pipeline_.front();
  const unsigned generation = packet.generation;
  Packet::Source& source = packet.sources[packet.done];
  if (source.failed) {
    stop_ring(packet.ring, TERN_ERROR_BUS, source.address);
    return;
  }
  const std::uint64_t now = now_fs();
  const std::uint64_t begin = wait_for_write_room(std::max(now, source.ready_fs));
  const std::uint64_t busy = overhead_fs_ + transfer_fs(source.length, gb_per_s_);
  if (packet.done == 0) packet.begin_fs = begin;
  ++packet.done;
  packet.bytes_done += source.length;
  waiting_bytes_ -= source.length;
  --waiting_pairs_;
  moving_ = &packet;
  fill();
  if (begin + busy > now) wait(from_fs(begin + busy - now));
  moving_ = nullptr;

  if (generation != rings_[packet.ring].generation()) {  // reset while it ran
    drop_packet();
    return;
  }
  counters_.busy_fs += busy;
  ++counters_.descriptors;
  counters_.bytes += source.length;
  if (!write_destinations(packet)) return;
  rings_[packet.ring].pair_done();
  if (packet.done == packet.sources.size()) finish_packet();
}

// Writes every destination buffer whose bytes have all arrived.
bool DmaEngine::write_destinations(Packet& packet) {
  while (packet.written < packet.destinations.size()) {
    const Packet::Piece target = packet.destinations[packet.written];
    if (packet.bytes_written + target.length > packet.bytes_done) break;
    std::uint64_t done = 0;
    const unsigned generation = packet.generation;
    if (!access(tlm::TLM_WRITE_COMMAND, target.address, packet.data.data() + packet.bytes_written,
                target.length, done)) {
      stop_ring(packet.ring, TERN_ERROR_BUS, target.address);
      return false;
    }
    // The write may have been to our own registers.
    if (generation != rings_[packet.ring].generation()) {
      drop_packet();
      return false;
    }
    packet.bytes_written += target.length;
    ++packet.written;
    last_write_fs_[packet.ring] = std::max(last_write_fs_[packet.ring], done);
    if (done > now_fs()) {
      posted_.push_back({done, target.length});
      posted_bytes_ += target.length;
    }
  }
  return true;
}

// The write buffer is finite: a slow destination holds the next pair back.
std::uint64_t DmaEngine::wait_for_write_room(std::uint64_t begin_fs) {
  while (!posted_.empty() &&
         (posted_.front().done_fs <= begin_fs || posted_bytes_ >= kWindowBytes)) {
    begin_fs = std::max(begin_fs, posted_.front().done_fs);
    posted_bytes_ -= posted_.front().bytes;
    posted_.pop_front();
  }
  return begin_fs;
}

void DmaEngine::finish_packet() {
  const Packet& packet = *pipeline_.front();
  ++counters_.packets;
  if (trace_ != nullptr && trace_->enabled()) {
    const std::string name = fmt::format("ring {}", packet.ring);
    const std::string args =
        fmt::format(R"({{"bytes":{},"descriptors":{}}})", packet.bytes, packet.sources.size());
    trace_->span({track_, name, packet.begin_fs, now_fs(), args});
  }
  drop_packet();
}

// Removes the oldest packet, whatever state it is in.
void DmaEngine::drop_packet() {
  PacketPtr packet = std::move(pipeline_.front());
  pipeline_.pop_front();
  for (std::size_t i = packet->done; i < packet->issued; ++i) {
    waiting_bytes_ -= packet->sources[i].length;
    --waiting_pairs_;
  }
  if (issuing_ == packet.get()) issuing_ = nullptr;
  if (spare_.size() < kSparePackets && packet->data.size() <= kSpareBytes) {
    spare_.push_back(std::move(packet));
  }
}

DmaEngine::PacketPtr DmaEngine::new_packet() {
  if (spare_.empty()) return std::make_unique<Packet>();
  PacketPtr packet = std::move(spare_.back());
  spare_.pop_back();
  Packet fresh;
  // The containers keep their memory.
  std::swap(fresh.sources, packet->sources);
  std::swap(fresh.destinations, packet->destinations);
  std::swap(fresh.data, packet->data);
  fresh.sources.clear();
  fresh.destinations.clear();
  *packet = std::move(fresh);
  return packet;
}

// The pipeline drops the ring's packets when their turn comes: they are of an older generation.
void DmaEngine::stop_ring(unsigned ring, unsigned code, std::uint64_t detail) {
  rings_[ring].stop();
  if (error_handler_) error_handler_(ring, code, detail);
}

bool DmaEngine::access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                       unsigned bytes, std::uint64_t& done_fs) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(data);
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus->b_transport(payload_, delay);
  done_fs = now_fs() + to_fs(delay);
  return payload_.is_response_ok();
}

void DmaEngine::doorbell_at(unsigned ring, unsigned pairs, std::uint64_t delay_fs) {
  const std::uint64_t rung = now_fs() + delay_fs;
  const dma::Fault fault = rings_.at(ring).ring_doorbell(pairs, rung, rung + start_latency_fs_);
  if (fault != dma::Fault::kNone) {
    stop_ring(ring, dma::error_code(fault), dma::error_detail(fault, 0));
    return;
  }
  work_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tern
