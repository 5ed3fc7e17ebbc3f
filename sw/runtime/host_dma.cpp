// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/host_dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "sw/base/math.h"
#include "sw/runtime/error_text.h"
#include "sw/runtime/program_fault.h"
#include "sw/runtime/status.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr unsigned kEngines = TERN_CORE_DMA_COUNT;
// An engine takes a run of at least this many bytes: below, its descriptors cost more than the
// others' work saves.
constexpr std::uint64_t kLeastRun = 4096;
// Of a ring per transfer; longer copies are several transfers.
constexpr std::uint64_t kMostRuns = 4096;
// After an abort: what the engines had sent before has landed by then, whatever the link has to do.
constexpr double kQuietUs = 1000;

class Claim {
 public:
  Claim(bool& busy, sc_core::sc_event& free) : busy_(busy), free_(free) { busy_ = true; }
  ~Claim() {
    busy_ = false;
    free_.notify(sc_core::SC_ZERO_TIME);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  bool& busy_;
  sc_core::sc_event& free_;
};

}  // namespace

// Rings of one transfer in the host's memory, and the words that end it.
class HostDma::Transfer {
 public:
  Transfer(HostPort& port, unsigned core, std::uint64_t source, std::uint64_t destination,
           std::uint64_t bytes)
      : port_(port), core_(core), done_(std::random_device()() | 1) {
    const std::uint64_t run = std::clamp(round_up(ceil_div(bytes, kEngines), kLeastRun), kLeastRun,
                                         std::uint64_t{TERN_DESCRIPTOR_MAX_LENGTH});
    std::array<std::vector<DescriptorFields>, kEngines> sources, destinations;
    unsigned engine = 0;
    for (std::uint64_t at = 0; at < bytes; at += run, engine = (engine + 1) % kEngines) {
      const auto length = static_cast<std::uint32_t>(std::min(run, bytes - at));
      sources[engine].push_back({length, 0, source + at, 1, true, true});
      destinations[engine].push_back({length, 0, destination + at, 1, true, true});
    }
    flags_pin_ = port.memory().pin(flags_.data(), sizeof flags_);
    DescriptorOperation immediate;
    immediate.op = TERN_DMA_OP_IMMEDIATE;
    for (unsigned e = 0; e < kEngines && !sources[e].empty(); ++e) {
      const std::uint64_t flag = TERN_HOST_BASE + flags_pin_.address() + e * sizeof flags_[0];
      sources[e].push_back({4, 0, done_, 1, true, true});
      destinations[e].push_back({4, immediate.word(), flag, 1, true, true});
      rings_.push_back(ring_of(sources[e], destinations[e]));
    }
  }

  void start() {
    for (unsigned e = 0; e < rings_.size(); ++e) {
      const std::uint64_t tx = TERN_HOST_BASE + rings_[e].pin.address();
      const std::uint64_t size = rings_[e].bytes.size() / (2 * TERN_DESCRIPTOR_BYTES);
      port_.post64(reg(e, TERN_REG_DMA_RING_TX_BASE), tx);
      port_.post64(reg(e, TERN_REG_DMA_RING_RX_BASE), tx + size * TERN_DESCRIPTOR_BYTES);
      port_.post32(reg(e, TERN_REG_DMA_RING_SIZE), static_cast<std::uint32_t>(size));
      port_.post32(reg(e, TERN_REG_DMA_RING_TAIL), rings_[e].count);
    }
    // All of it has arrived: what the rings say from here on is of this transfer.
    port_.read32(reg(0, TERN_REG_DMA_RING_STATUS));
  }

  // Nothing of it is written any more.
  void abort() {
    for (unsigned e = 0; e < rings_.size(); ++e) port_.post32(reg(e, TERN_REG_DMA_RING_ABORT), 1);
    // The memory is the engines' until then.
    sc_core::wait(sc_core::sc_time(kQuietUs, sc_core::SC_US));
  }

  void wait() {
    using sc_core::sc_time;
    using sc_core::sc_time_stamp;
    const sc_time look_again(10, sc_core::SC_US), limit(kLimitMs, sc_core::SC_MS);
    sc_time deadline = sc_time_stamp() + limit;
    std::uint64_t progress = 0;
    for (;;) {
      const auto used = static_cast<std::ptrdiff_t>(rings_.size());
      if (std::all_of(flags_.begin(), flags_.begin() + used,
                      [this](std::uint32_t flag) { return flag == done_; }))
        return;
      sc_core::wait(look_again, port_.memory().written());
      if (const std::uint64_t now = look(); now != progress) {
        progress = now;
        deadline = sc_time_stamp() + limit;
      }
      if (sc_time_stamp() >= deadline)
        throw StatusError(
            Status::kTimeout,
            fmt::format("host DMA of core {}: nothing moves for {} ms", core_, kLimitMs));
    }
  }

 private:
  struct Ring {
    std::vector<std::uint8_t> bytes;  // sources, then destinations
    HostMemory::Pin pin;
    std::uint32_t count = 0;
  };

  Ring ring_of(const std::vector<DescriptorFields>& sources,
               const std::vector<DescriptorFields>& destinations) {
    Ring ring;
    ring.count = static_cast<std::uint32_t>(sources.size());
    // Both lists at multiples of what a base is aligned to.
    constexpr std::uint32_t kStep = TERN_REG_DMA_RING_TX_BASE_ALIGNMENT / TERN_DESCRIPTOR_BYTES;
    const std::uint32_t size =
        round_up(std::max<std::uint32_t>(ring.count, TERN_REG_DMA_RING_SIZE_MIN),
                 std::max<std::uint32_t>(kStep, TERN_REG_DMA_RING_SIZE_STEP));
    ring.bytes.resize(std::size_t{2} * size * TERN_DESCRIPTOR_BYTES);
    for (std::size_t i = 0; i < ring.count; ++i) {
      pack_descriptor(&ring.bytes[i * TERN_DESCRIPTOR_BYTES], sources[i]);
      pack_descriptor(&ring.bytes[(size + i) * TERN_DESCRIPTOR_BYTES], destinations[i]);
    }
    ring.pin =
        port_.memory().pin(const_cast<const std::uint8_t*>(ring.bytes.data()), ring.bytes.size());
    return ring;
  }

  std::uint64_t reg(unsigned engine, std::uint64_t offset) const {
    return TERN_CORE_BASE + core_ * TERN_CORE_STRIDE + TERN_CORE_DMA_BASE +
           engine * TERN_CORE_DMA_STRIDE +
           Executable::kHostRing * TERN_REG_DMA_RING_TX_BASE_STRIDE + offset;
  }

  std::uint32_t peek(unsigned engine, std::uint64_t offset) {
    std::uint32_t value = 0;
    if (!port_.peek32(reg(engine, offset), &value))
      throw StatusError(Status::kHardware,
                        fmt::format("host DMA of core {}: the chip does not answer", core_));
    return value;
  }

  // Pairs that are done, of all engines. StatusError if one has stopped.
  std::uint64_t look() {
    std::uint64_t done = 0;
    for (unsigned e = 0; e < rings_.size(); ++e) {
      done += peek(e, TERN_REG_DMA_RING_HEAD);
      const std::uint32_t status = peek(e, TERN_REG_DMA_RING_STATUS);
      if (status == TERN_REG_DMA_RING_STATUS_ABORTED)
        throw StatusError(Status::kDmaAbort,
                          fmt::format("host DMA of core {}: engine {}: aborted", core_, e));
      if (status != TERN_REG_DMA_RING_STATUS_STOPPED) continue;
      RingFault fault;
      fault.engine = e;
      fault.ring = Executable::kHostRing;
      fault.fault = peek(e, TERN_REG_DMA_RING_FAULT);
      fault.index = peek(e, TERN_REG_DMA_RING_FAULT_INDEX);
      fault.address = peek(e, TERN_REG_DMA_RING_FAULT_ADDRESS) |
                      std::uint64_t{peek(e, TERN_REG_DMA_RING_FAULT_ADDRESS + 4)} << 32;
      throw StatusError(status_of(fault),
                        fmt::format("host DMA of core {}: engine {}: {}, {:#x}", core_, e,
                                    dma_fault_text(fault.fault), fault.address));
    }
    return done;
  }

  HostPort& port_;
  const unsigned core_;
  const std::uint32_t done_;  // the word that ends it: a program does not know it
  std::array<std::uint32_t, kEngines> flags_{};
  HostMemory::Pin flags_pin_;
  std::vector<Ring> rings_;  // by engine
};

void HostDma::copy(unsigned core, std::uint64_t source, std::uint64_t destination,
                   std::uint64_t bytes) {
  while (busy_.at(core)) sc_core::wait(free_);
  const Claim claim(busy_[core], free_);
  constexpr std::uint64_t kMost = kMostRuns * kEngines * TERN_DESCRIPTOR_MAX_LENGTH;
  for (std::uint64_t at = 0; at < bytes; at += kMost) {
    Transfer transfer(port_, core, source + at, destination + at, std::min(kMost, bytes - at));
    transfer.start();
    try {
      transfer.wait();
    } catch (const StatusError&) {
      transfer.abort();
      throw;
    }
  }
}

void HostDma::to_chip(unsigned core, std::uint64_t address, const void* data, std::uint64_t bytes) {
  to_chip(core, address, port_.memory().pin(data, bytes), bytes);
}

void HostDma::to_chip(unsigned core, std::uint64_t address, const HostMemory::Pin& pin,
                      std::uint64_t bytes) {
  copy(core, TERN_HOST_BASE + pin.address(), address, bytes);
}

void HostDma::from_chip(unsigned core, std::uint64_t address, void* data, std::uint64_t bytes) {
  const HostMemory::Pin pin = port_.memory().pin(data, bytes);
  copy(core, address, TERN_HOST_BASE + pin.address(), bytes);
}

}  // namespace tern::runtime
