// SPDX-License-Identifier: Apache-2.0
#include "tb/dma/back/back_driver.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>

#include "VDmaBack.h"
#include "systemc/cosim/generated/dma_ports.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/rtl_reset.h"
#include "tb/dma/back/packets.h"

namespace tern::tb {

namespace {
constexpr unsigned kEntries = 64;

float float_at(const std::uint8_t* bytes, unsigned size) {
  std::uint32_t bits = 0;
  std::memcpy(size == 4 ? reinterpret_cast<std::uint8_t*>(&bits)
                        : reinterpret_cast<std::uint8_t*>(&bits) + 2,
              bytes, size);
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
dma_ports::Answer answer(unsigned tag, bool last, unsigned error) {
  dma_ports::Answer result;
  result.valid = true;
  result.last = last;
  result.tag = tag;
  result.error = error;
  return result;
}

// A packet as an input: its first pairs in words.
std::string text(const Packet& packet) {
  std::string text = "ring " + std::to_string(packet.ring) + ", class " +
                     std::to_string(packet.traffic_class) + ", op " + std::to_string(packet.op) +
                     ", dtype " + std::to_string(packet.src_dtype) + " to " +
                     std::to_string(packet.dst_dtype) + ", crc " + std::to_string(packet.crc);
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(packet.pairs.size(), kShown); ++i) {
    text += "\n  TX " + hex_list(packet.pairs[i].tx) + ", RX " + hex_list(packet.pairs[i].rx);
  }
  if (packet.pairs.size() > kShown) {
    text += "\n  " + std::to_string(packet.pairs.size() - kShown) + " more pairs";
  }
  return text;
}
}  // namespace

struct BackDriver::Dut : cosim::RtlBlock<VDmaBack> {
  Dut() : RtlBlock(bench_wave(), "dma_back") {}
};

BackDriver::BackDriver(const Settings& settings, std::size_t memory_bytes)
    : settings_(settings),
      dut_(std::make_unique<Dut>()),
      rtl_(&dut_->model),
      random_(settings.seed),
      memory_(memory_bytes) {
  for (auto& byte : memory_) byte = static_cast<std::uint8_t>(random_());
  rtl_->clk_i = 0;
  rtl_->rst_ni = 0;
  rtl_->eval();
  rtl_->clk_i = 1;
  rtl_->eval();
  rtl_->clk_i = 0;
  rtl_->rst_ni = 1;
  rtl_->cfg_descriptor_cycles_i = settings.descriptor_cycles;
  rtl_->cfg_pace_i = settings.pace;
  rtl_->eval();
}

BackDriver::~BackDriver() = default;

void BackDriver::fail(std::uint64_t address, std::uint64_t bytes, unsigned error) {
  failures_[address] = {address + bytes, error};
}

unsigned BackDriver::error_of(const Event& event) const {
  for (const auto& [begin, failure] : failures_) {
    if (event.address < failure.first && begin < event.address + event.bytes) return failure.second;
  }
  return 0;
}

std::uint64_t BackDriver::delay(unsigned latency) {
  return 1 + latency + (settings_.spread == 0 ? 0 : random_() % (settings_.spread + 1));
}

void BackDriver::begin(const std::vector<Packet>& packets) {
  next_ = oldest_ = 0;
  packets_ = packets;
  dispatched_.clear();
  completed_.clear();
}

void BackDriver::cut(const std::vector<Packet>& packets, std::uint64_t cycles) {
  begin(packets);
  for (std::uint64_t i = 0; i < cycles; ++i) cycle(packets);
  reset_between_edges(*rtl_);
  CHECK(rtl_->settled_o == 1);
  read_answers_.clear();
  write_answers_.clear();
  answering_ = SIZE_MAX;
  written_.clear();
  written_beats_.clear();
  stopped_.clear();
}

void BackDriver::run(const std::vector<Packet>& packets, std::uint64_t limit) {
  begin(packets);
  const std::uint64_t begin = cycle_;
  while (completed_.size() < packets.size()) {
    REQUIRE(cycle_ - begin < limit);
    cycle(packets);
  }
  for (int i = 0; i < 600; ++i) cycle(packets);
  CHECK(rtl_->settled_o == 1);
  CHECK(read_answers_.empty());
  CHECK(write_answers_.empty());
  CHECK(unknown_answers_.size() == (stray_.first < cycle_ ? 1 : 0));
}

std::string BackDriver::inputs() const {
  std::string all;
  for (std::size_t p = oldest_; p < next_; ++p) {
    all += (all.empty() ? "packet " : "\npacket ") + std::to_string(p) + ": " + text(packets_[p]);
    if (p == oldest_ + 2 && next_ > p + 1) {
      return all + "\n" + std::to_string(next_ - p - 1) + " more packets in flight";
    }
  }
  return all;
}

Where BackDriver::where(std::uint64_t address) const {
  char name[32];
  std::snprintf(name, sizeof name, "address 0x%05llX", static_cast<unsigned long long>(address));
  Where where{std::string("port write_data_o, ") + name + ", never written", "no packet", cycle_};
  for (const Event& write : writes_) {
    if (address < write.address || address >= write.address + write.bytes) continue;
    // Beats hold up to 64 bytes; the first one may hold fewer.
    const std::uint64_t left = (write.address + write.bytes - 1 - address) / 64;
    const std::size_t beat = write.beats.size() - 1 - std::min(left, write.beats.size() - 1);
    where.cycle = write.beats[beat];
    where.place = std::string("port write_data_o, ") + name;
  }
  for (std::size_t p = 0; p < packets_.size(); ++p) {
    if (!writes_to(packets_[p], address)) continue;
    where.input = "packet " + std::to_string(p) + ": " + text(packets_[p]);
  }
  return where;
}

MismatchLog BackDriver::differences(const Bytes& expected, std::uint64_t begin,
                                    std::uint64_t end) const {
  constexpr std::uint64_t kWord = 4;
  MismatchLog log;
  for (std::uint64_t at = begin; at < end; at += kWord) {
    const std::uint64_t bytes = std::min(kWord, end - at);
    std::uint32_t want = 0, got = 0;
    std::memcpy(&want, expected.data() + at, bytes);
    std::memcpy(&got, memory_.data() + at, bytes);
    log.compare(want, got, 32, [&] {
      std::uint64_t byte = at;
      while (expected[byte] == memory_[byte]) ++byte;
      return where(byte);
    });
  }
  return log;
}

void BackDriver::cycle(const std::vector<Packet>& packets) {
  std::uint64_t dead = 0;
  for (std::size_t p = oldest_; p < next_; ++p) {
    const unsigned ring = packets[p].ring;
    const auto kill = kills_.find(ring);
    const auto stop = stopped_.find(ring);
    if ((kill != kills_.end() && kill->second <= cycle_) ||
        (stop != stopped_.end() && stop->second <= cycle_))
      dead |= 1ULL << (p % kEntries);
  }
  rtl_->dead_i = dead;
  rtl_->oldest_i = oldest_ % kEntries;
  rtl_->dispatch_i = 0;
  drive_answers();
  rtl_->eval();
  drive_packet(packets);
  drive_pairs(packets);
  rtl_->eval();
  observe();
  const bool complete = oldest_ < next_ && rtl_->oldest_done_o != 0;
  if (complete) {
    completed_.push_back(cycle_);
    ++oldest_;
  }
  if (rtl_->dispatch_i) {
    dispatched_.push_back(cycle_);
    ++next_;
  }
  dut_->clock.edge();
  rtl_->clk_i = 0;
  rtl_->eval();
  ++cycle_;
}

void BackDriver::drive_packet(const std::vector<Packet>& packets) {
  if (next_ == packets.size() || !rtl_->source_idle_o || rtl_->target_full_o ||
      next_ - oldest_ == kEntries)
    return;
  const Packet& packet = packets[next_];
  dma_ports::Packet port;
  port.entry = next_ % kEntries;
  port.ring = packet.ring;
  port.slot = next_ * 5 % 128;
  port.pairs = static_cast<std::uint32_t>(packet.pairs.size());
  port.op = packet.op;
  port.src_dtype = packet.src_dtype;
  port.dst_dtype = packet.dst_dtype;
  port.crc = packet.crc;
  port.crc_expected = packet.crc_expected;
  port.traffic_class = packet.traffic_class;
  port.pack(rtl_->packet_i);
  rtl_->dispatch_i = 1;
}

// The packet at work is found by its ring and slot: those of the test are unique among the packets
// in flight.
void BackDriver::drive_pairs(const std::vector<Packet>& packets) {
  const auto drive = [&](std::size_t packet, unsigned slot, std::uint32_t* words) {
    const auto& pairs = packets[packet].pairs;
    const unsigned first = packet * 5 % 128;
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned index = (slot + i - first) % 128;
      const Pair empty;
      const Pair& pair = index < pairs.size() ? pairs[index] : empty;
      std::memcpy(words + 8 * i, pair.tx, 16);
      std::memcpy(words + 8 * i + 4, pair.rx, 16);
    }
  };
  if (rtl_->source_read_o) {
    const std::size_t packet = next_ - 1;
    REQUIRE(packets[packet].ring == rtl_->source_ring_o);
    drive(packet, rtl_->source_slot_o, rtl_->source_pairs_i.m_storage);
  }
  if (rtl_->target_read_o) {
    // The target works on the packet whose entry it names.
    std::size_t packet = oldest_;
    while (packet < next_ && packet % kEntries != rtl_->target_done_entry_o) ++packet;
    REQUIRE(packet < next_);
    REQUIRE(packets[packet].ring == rtl_->target_ring_o);
    drive(packet, rtl_->target_slot_o, rtl_->target_pairs_i.m_storage);
  }
}

void BackDriver::drive_answers() {
  rtl_->read_answer_i = 0;
  if (answering_ == SIZE_MAX) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < read_answers_.size(); ++i) {
      if (read_answers_[i].ready <= cycle_) ready.push_back(i);
    }
    if (!ready.empty()) {
      const std::size_t chosen = settings_.spread == 0 ? ready[0] : ready[random_() % ready.size()];
      answering_ = read_answers_[chosen].event;
      read_answers_.erase(read_answers_.begin() + static_cast<std::ptrdiff_t>(chosen));
      beat_ = 0;
    }
  }
  if (answering_ != SIZE_MAX) {
    Event& event = reads_[answering_];
    const unsigned error = error_of(event);
    const unsigned beats = (event.bytes + 63) / 64;
    const bool last = beat_ + 1 == beats;
    std::memset(rtl_->read_data_i.m_storage, 0, 64);
    if (error == 0) {
      const unsigned bytes = std::min(64U, event.bytes - 64 * beat_);
      std::memcpy(rtl_->read_data_i.m_storage, memory_.data() + event.address + 64 * beat_, bytes);
    }
    answer(event.tag, last, last ? error : 0).pack(rtl_->read_answer_i);
    ++beat_;
    if (last) {
      event.answered = cycle_;
      event.beats_of_answer = beats;
      answering_ = SIZE_MAX;
    }
  }
  rtl_->write_answer_i = 0;
  if (cycle_ == stray_.first) {
    answer(stray_.second, true, 0).pack(rtl_->write_answer_i);
    return;
  }
  for (std::size_t i = 0; i < write_answers_.size(); ++i) {
    if (write_answers_[i].ready > cycle_) continue;
    Event& event = writes_[write_answers_[i].event];
    event.answered = cycle_;
    answer(event.tag, true, error_of(event)).pack(rtl_->write_answer_i);
    write_answers_.erase(write_answers_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
}

void BackDriver::store(const Event& event, const Bytes& data) {
  if (error_of(event) != 0) return;
  std::uint8_t* to = memory_.data() + event.address;
  if (event.write_op == 0) {
    std::copy(data.begin(), data.end(), to);
    return;
  }
  const unsigned size = event.write_op == 1 ? 4 : 2;
  for (unsigned i = 0; i < event.bytes; i += size) {
    // Small integers in the tests: every sum is exact.
    const float sum = float_at(to + i, size) + float_at(data.data() + i, size);
    std::memcpy(to + i, reinterpret_cast<const std::uint8_t*>(&sum) + 4 - size, size);
  }
}

void BackDriver::observe() {
  if (rtl_->read_valid_o) {
    const Event event = request(dma_ports::Request::unpack(rtl_->read_request_o));
    read_answers_.push_back({cycle_ + delay(settings_.read_latency), reads_.size()});
    reads_.push_back(event);
  }
  if (rtl_->write_valid_o) observe_write();
  observe_stop(dma_ports::Stop::unpack(rtl_->read_stop_o), false);
  observe_stop(dma_ports::Stop::unpack(rtl_->write_stop_o), true);
  if (rtl_->unknown_answer_o) unknown_answers_.push_back(cycle_);
  if (rtl_->crc_valid_o) {
    std::size_t packet = oldest_;
    while (packet < next_ && packet % kEntries != rtl_->crc_entry_o) ++packet;
    crcs_.push_back(
        {cycle_, static_cast<unsigned>(packet), rtl_->crc_value_o, rtl_->crc_wrong_o != 0});
  }
}

void BackDriver::observe_write() {
  const auto* data = reinterpret_cast<const std::uint8_t*>(rtl_->write_data_o.m_storage);
  const unsigned bytes = rtl_->write_bytes_o;
  REQUIRE(bytes >= 1);
  REQUIRE(bytes <= 64);
  // An immediate may come between the beats of another request.
  Bytes immediate;
  std::vector<std::uint64_t> immediate_beats;
  Bytes& written = rtl_->write_immediate_o ? immediate : written_;
  auto& beats = rtl_->write_immediate_o ? immediate_beats : written_beats_;
  written.insert(written.end(), data, data + bytes);
  beats.push_back(cycle_);
  if (!rtl_->write_last_o) return;
  Event event = request(dma_ports::Request::unpack(rtl_->write_request_o));
  event.beats = beats;
  CHECK(event.bytes == written.size());
  store(event, written);
  write_answers_.push_back({cycle_ + delay(settings_.write_latency), writes_.size()});
  writes_.push_back(event);
  written.clear();
  beats.clear();
}

BackDriver::Event BackDriver::request(const dma_ports::Request& port) const {
  Event event{};
  event.cycle = cycle_;
  event.write_op = port.write_op;
  event.traffic_class = port.traffic_class;
  event.tag = port.tag;
  event.bytes = port.bytes;
  event.address = port.address;
  REQUIRE(event.bytes >= 1);
  REQUIRE(event.address / 1024 == (event.address + event.bytes - 1) / 1024);
  REQUIRE(event.address + event.bytes <= memory_.size());
  return event;
}

void BackDriver::observe_stop(const dma_ports::Stop& stop, bool of_write) {
  if (!stop.valid) return;
  std::size_t packet = oldest_;
  while (packet < next_ && packet % kEntries != stop.entry) ++packet;
  REQUIRE(packet < next_);
  stopped_.emplace(packets_[packet].ring, cycle_ + 1);
  stops_.push_back(
      {cycle_, static_cast<unsigned>(packet), stop.pair, stop.fault, stop.address, of_write});
}

}  // namespace tern::tb
