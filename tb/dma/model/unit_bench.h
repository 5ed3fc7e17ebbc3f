// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "systemc/dma/model/unit.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/mismatch.h"

namespace tern::tb {

// Bytes at any address; what was never written is 0.
class SparseMemory {
 public:
  void write(std::uint64_t address, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::uint8_t*>(data);
    for (std::size_t i = 0; i < bytes;) {
      const std::size_t in_page = (address + i) % kPage;
      const std::size_t n = std::min<std::size_t>(bytes - i, kPage - in_page);
      std::memcpy(page(address + i) + in_page, from + i, n);
      i += n;
    }
  }
  void read(std::uint64_t address, void* data, std::size_t bytes) {
    auto* to = static_cast<std::uint8_t*>(data);
    for (std::size_t i = 0; i < bytes;) {
      const std::size_t in_page = (address + i) % kPage;
      const std::size_t n = std::min<std::size_t>(bytes - i, kPage - in_page);
      std::memcpy(to + i, page(address + i) + in_page, n);
      i += n;
    }
  }
  std::vector<std::uint8_t> get(std::uint64_t address, std::size_t bytes) {
    std::vector<std::uint8_t> data(bytes);
    read(address, data.data(), bytes);
    return data;
  }

 private:
  static constexpr std::uint64_t kPage = 4096;
  std::uint8_t* page(std::uint64_t address) {
    auto& data = pages_[address / kPage];
    if (data == nullptr) data = std::make_unique<std::array<std::uint8_t, kPage>>();
    return data->data();
  }
  std::unordered_map<std::uint64_t, std::unique_ptr<std::array<std::uint8_t, kPage>>> pages_;
};

struct SeenRequest {
  dma::Port port;
  std::uint64_t cycle, address;
  std::uint32_t bytes;
  unsigned tag, traffic_class, write_op;
};
struct SeenStop {
  std::uint64_t cycle;
  unsigned ring, fault;
  std::uint32_t index;
  std::uint64_t address;
};
struct SeenDone {
  std::uint64_t begin, cycle;
  unsigned ring;
  std::uint32_t bytes;
  unsigned pairs;
};

// An engine at its ports: a memory, rings as software writes them, and a record of everything. The
// first beat of a read comes `latency` cycles after its request.
class UnitBench : public dma::Environment {
 public:
  using Make = std::function<std::unique_ptr<dma::Unit>(dma::Environment&)>;
  explicit UnitBench(const Make& make) { unit = make(*this); }

  std::function<std::uint64_t(const dma::Request&)> latency = [](const dma::Request&) {
    return std::uint64_t{20};
  };
  std::function<dma::Answer(const dma::Request&)> fate = [](const dma::Request&) {
    return dma::Answer::kGood;
  };
  bool keeps_record = true;

  void request(const dma::Request& request) override {
    if (request.cycle < now_) throw std::runtime_error("a request of an earlier cycle");
    if (request.bytes == 0 || request.bytes > dma::kBurstBytes ||
        request.address / dma::kBurstBytes !=
            (request.address + request.bytes - 1) / dma::kBurstBytes) {
      throw std::runtime_error("a request across a window");
    }
    if (!tags_[static_cast<int>(request.port)].insert(request.tag).second) {
      throw std::runtime_error("a tag is used twice");
    }
    if (keeps_record) {
      requests.push_back({request.port, request.cycle, request.address, request.bytes, request.tag,
                          request.traffic_class, request.write_op});
    }
    Pending pending;
    pending.port = request.port;
    pending.tag = request.tag;
    pending.fate = fate(request);
    pending.bytes = request.port == dma::Port::kWrite ? 1 : request.bytes;
    if (pending.fate == dma::Answer::kGood) {
      if (request.port == dma::Port::kWrite) {
        write(request);
      } else {
        memory.read(request.address, pending.data.data(), request.bytes);
      }
    }
    answers_.emplace(request.cycle + latency(request), pending);
  }
  void ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
                    std::uint64_t address) override {
    stops.push_back({cycle, ring, fault, index, address});
  }
  void packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring, std::uint32_t bytes,
                   unsigned pairs) override {
    if (keeps_record) done.push_back({begin, cycle, ring, bytes, pairs});
  }

  // Everything that happens up to and including `cycle`.
  void run_to(std::uint64_t cycle) {
    while (true) {
      std::uint64_t next = unit->next_cycle();
      if (!answers_.empty()) next = std::min(next, answers_.begin()->first);
      if (next > cycle) break;
      step(std::max(next, now_));
    }
    unit->advance(cycle);
    now_ = cycle + 1;
  }
  // Until nothing is in flight; returns the last cycle.
  std::uint64_t run(std::uint64_t limit = 100'000'000) {
    while (true) {
      std::uint64_t next = unit->next_cycle();
      if (!answers_.empty()) next = std::min(next, answers_.begin()->first);
      if (next == UINT64_MAX) return now_;
      if (next > limit) throw std::runtime_error("it does not come to rest");
      step(std::max(next, now_));
    }
  }
  std::uint64_t now() const { return now_; }  // the next cycle for inputs
  // The waveform of the RTL begins with its first input, in cycle 1.
  static std::uint64_t wave_cycle(std::uint64_t cycle) { return cycle - 1; }

  void poke(std::uint32_t offset, std::uint32_t value) {
    pokes_.push_back({now_, offset, value});
    if (pokes_.size() > 4) pokes_.pop_front();
    if (!unit->write_register(now_, offset, value)) throw std::runtime_error("no such register");
    run_to(now_);
  }
  std::uint32_t peek(std::uint32_t offset) {
    std::uint32_t value = 0;
    if (!unit->read_register(now_, offset, value)) throw std::runtime_error("no such register");
    return value;
  }
  std::uint32_t ring_register(unsigned ring, std::uint32_t offset) {
    return peek(ring * TERN_REG_DMA_RING_SIZE_STRIDE + offset);
  }

  // --- The software side of a ring.
  static std::uint64_t base(unsigned ring, bool tx) {
    return 0x7000'0000'0000 + (2 * ring + (tx ? 0 : 1)) * 0x1000'0000ull;
  }
  // The ring's lists from its next set_up() on; without, base() of each.
  void move_lists(unsigned ring, std::uint64_t tx, std::uint64_t rx) { lists_[ring] = {rx, tx}; }
  std::uint64_t list(unsigned ring, bool tx) const {
    const auto moved = lists_.find(ring);
    return moved == lists_.end() ? base(ring, tx) : moved->second[tx ? 1 : 0];
  }
  void set_up(unsigned ring, std::uint32_t size, unsigned traffic_class = 3) {
    const std::uint32_t at = ring * TERN_REG_DMA_RING_SIZE_STRIDE;
    for (const bool tx : {true, false}) {
      const std::uint32_t reg = tx ? TERN_REG_DMA_RING_TX_BASE : TERN_REG_DMA_RING_RX_BASE;
      poke(at + reg, static_cast<std::uint32_t>(list(ring, tx)));
      poke(at + reg + 4, static_cast<std::uint32_t>(list(ring, tx) >> 32));
    }
    poke(at + TERN_REG_DMA_RING_CLASS, traffic_class);
    poke(at + TERN_REG_DMA_RING_SIZE, size);
    rings_[ring] = {size, 0};
  }
  struct Words {
    std::uint32_t tx[4] = {0, 0, 0, 0}, rx[4] = {0, 0, 0, 0};
  };
  static constexpr std::uint32_t kFirst = 1u << 26, kLast = 1u << 27, kDmb = 1u << 30;
  // One pair, with the ring's phase, after the last; not released.
  void put(unsigned ring, Words words) {
    auto& [size, written] = rings_.at(ring);
    const auto phase = static_cast<std::uint32_t>(1 + written / size) % 4;
    words.tx[0] |= phase << 24;
    words.rx[0] |= phase << 24;
    memory.write(list(ring, true) + written % size * 16, words.tx, 16);
    memory.write(list(ring, false) + written % size * 16, words.rx, 16);
    pairs_[ring] = words;
    ++written;
  }
  static Words copy_pair(std::uint64_t from, std::uint32_t from_bytes, std::uint64_t to,
                         std::uint32_t to_bytes, bool first, bool last) {
    Words words;
    const std::uint32_t flags = (first ? kFirst : 0) | (last ? kLast : 0);
    words.tx[0] = (from_bytes & 0xffff) | flags;
    words.rx[0] = (to_bytes & 0xffff) | flags;
    set_address(words.tx, from);
    set_address(words.rx, to);
    return words;
  }
  static void set_address(std::uint32_t* words, std::uint64_t address) {
    words[2] = static_cast<std::uint32_t>(address);
    words[3] = static_cast<std::uint32_t>(address >> 32);
  }
  void put_copy(unsigned ring, std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
    put(ring, copy_pair(from, bytes, to, bytes, true, true));
  }
  void put_immediate(unsigned ring, std::uint64_t to, std::uint32_t value) {
    Words words = copy_pair(value, 4, to, 4, true, true);
    words.rx[1] = TERN_DMA_OP_IMMEDIATE;
    put(ring, words);
  }
  // Stands at the register port in the present cycle.
  void release(unsigned ring, std::uint32_t pairs) {
    poke(ring * TERN_REG_DMA_RING_SIZE_STRIDE + TERN_REG_DMA_RING_TAIL, pairs);
  }

  std::unique_ptr<dma::Unit> unit;
  SparseMemory memory;
  std::vector<SeenRequest> requests;
  std::vector<SeenStop> stops;
  std::vector<SeenDone> done;

 private:
  struct Pending {
    dma::Port port;
    unsigned tag;
    dma::Answer fate;
    std::uint32_t bytes;
    std::array<std::uint8_t, dma::kBurstBytes> data{};
  };

  void step(std::uint64_t cycle) {
    while (!answers_.empty() && answers_.begin()->first <= cycle) {
      const Pending pending = answers_.begin()->second;
      answers_.erase(answers_.begin());
      const int port = static_cast<int>(pending.port);
      const std::uint64_t first = std::max(cycle, port_free_[port]);
      const std::uint64_t last = first + (pending.bytes - 1) / dma::kBeatBytes;
      port_free_[port] = last + 1;
      unit->answer(last, pending.port, pending.tag, pending.fate, pending.data.data());
      tags_[port].erase(pending.tag);
    }
    unit->advance(cycle);
    now_ = cycle + 1;
  }
  void write(const dma::Request& request) {
    if (request.write_op == TERN_DMA_WRITE_OP_ADD_FP32) {
      for (std::uint32_t i = 0; i < request.bytes; i += 4) {
        float sum = 0, more = 0;
        memory.read(request.address + i, &sum, 4);
        std::memcpy(&more, request.data + i, 4);
        sum += more;
        memory.write(request.address + i, &sum, 4);
      }
    } else {
      memory.write(request.address, request.data, request.bytes);
    }
  }

  std::uint64_t now_ = 1;
  std::multimap<std::uint64_t, Pending> answers_;  // by cycle of the first beat, at the earliest
  std::set<unsigned> tags_[3];
  std::uint64_t port_free_[3] = {0, 0, 0};
  std::map<unsigned, std::pair<std::uint32_t, std::uint64_t>> rings_;  // size, written
  std::map<unsigned, std::array<std::uint64_t, 2>> lists_;             // RX, TX

  // What software did last, for a failure.
  struct Poke {
    std::uint64_t cycle;
    std::uint32_t offset, value;
  };
  std::string inputs() const {
    std::string text = "register writes";
    for (const Poke& poke : pokes_) {
      text += ", cycle " + std::to_string(wave_cycle(poke.cycle)) + ": " + hex(poke.offset, 12) +
              " = " + hex(poke.value);
    }
    for (const auto& [ring, words] : pairs_) {
      text += "\nlast pair of ring " + std::to_string(ring) + ": TX " + hex_list(words.tx) +
              ", RX " + hex_list(words.rx);
    }
    return text;
  }
  std::deque<Poke> pokes_;
  std::map<unsigned, Words> pairs_;
  BenchInputs inputs_{[this] { return inputs(); }};
};

}  // namespace tern::tb
