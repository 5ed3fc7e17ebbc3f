// SPDX-License-Identifier: Apache-2.0
// The read port as an AXI4 manager: random requests, back-pressure and errors, resets in mid-work.
#include <VAxiRead.h>
#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

#include "systemc/cosim/rtl_block.h"
#include "tb/axi/bus.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/rtl_reset.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

constexpr unsigned kTags = 64;

std::uint8_t byte_at(std::uint64_t address) {
  return static_cast<std::uint8_t>((address * 0x9E3779B1U) >> 13);
}

// Plays the engine and the memory, and checks both sides.
class ReadBench {
 public:
  ReadBench() {
    block_.model.rst_ni = 1;
    block_.model.request_valid_i = block_.model.r_valid_i = block_.model.ar_ready_i = 0;
    reset();
  }
  ~ReadBench() { CHECK_NO_MISMATCH(log_); }
  ReadBench(const ReadBench&) = delete;
  ReadBench& operator=(const ReadBench&) = delete;

  void reset() {
    reset_between_edges(block_.model);
    sent_.clear();
    open_.clear();
    bursts_.clear();
    offers_ = false;
    beat_ = got_ = 0;
    worst_ = kGood;
  }

  std::deque<Request>& expected() { return open_; }
  std::size_t in_flight() const { return open_.size(); }
  std::uint64_t answers() const { return answers_; }

  // A cycle: a request of the engine or none, whether the bus takes an address, whether it has
  // data.
  void step(const Request* request, bool ar_ready, bool data, std::mt19937_64& random) {
    VAxiRead& dut = block_.model;
    dut.clk_i = 0;
    dut.request_valid_i = request != nullptr;
    Request any;
    any.bytes = 1;
    set_request(dut.request_i, request != nullptr ? *request : any);
    dut.ar_ready_i = ar_ready;
    if (!offers_ && data && !bursts_.empty()) {
      offers_ = true;
      response_ = random_response(random);
      for (unsigned i = 0; i < 64; ++i) beat_bytes_[i] = byte_at(bus_address() + i);
    }
    if (!offers_) {
      for (auto& byte : beat_bytes_) byte = static_cast<std::uint8_t>(random());
    }
    dut.r_valid_i = offers_;
    dut.r_last_i = offers_ && beat_ + 1 == bursts_.front().bus_beats();
    dut.r_resp_i = response_;
    set_beat(dut.r_data_i, beat_bytes_);
    dut.eval();
    inputs_ = fmt::format("request {:d}, address taken {:d}, data {:d}, beat {}",
                          request != nullptr, ar_ready, offers_, beat_);
    check_address();
    check_answer();
    const bool taken = offers_ && dut.r_ready_o != 0;
    if (dut.ar_valid_o != 0 && ar_ready) {
      bursts_.push_back(sent_.front());
      sent_.pop_front();
    }
    block_.clock.edge();
    if (request != nullptr) {
      sent_.push_back(*request);
      open_.push_back(*request);
    }
    if (taken) {
      offers_ = false;
      if (++beat_ == bursts_.front().bus_beats()) {
        beat_ = 0;
        bursts_.pop_front();
      }
    }
  }

 private:
  std::uint64_t bus_address() const { return bursts_.front().address / 64 * 64 + beat_ * 64; }
  void compare(const char* port, std::uint64_t expected, std::uint64_t got, unsigned bits) {
    log_.compare(expected, got, bits, [&] { return Where{fmt::format("port {}", port), inputs_}; });
  }

  void check_address() {
    const VAxiRead& dut = block_.model;
    compare("ar_valid_o", !sent_.empty(), dut.ar_valid_o, 1);
    compare("ar_size_o", 6, dut.ar_size_o, 3);
    compare("ar_burst_o", 1, dut.ar_burst_o, 2);
    if (sent_.empty()) return;
    compare("ar_addr_o", sent_.front().address / 64 * 64, dut.ar_addr_o, 64);
    compare("ar_len_o", sent_.front().bus_beats() - 1, dut.ar_len_o, 8);
    compare("ar_qos_o", 3 - sent_.front().cls, dut.ar_qos_o, 4);
  }

  // Answers in the order of requests, beats packed, the first error of a burst with the last beat.
  void check_answer() {
    const VAxiRead& dut = block_.model;
    if (offers_ && dut.r_ready_o != 0 && worst_ == kGood) worst_ = answer_of(response_);
    const Answer answer(dut.answer_o);
    if (!answer.valid) return;
    if (open_.empty()) {
      compare("answer_o, without a request", 0, dut.answer_o, 10);
      return;
    }
    const Request& request = open_.front();
    compare("answer_o, tag", request.tag, answer.tag, 6);
    for (unsigned i = 0; i < 64 && 64 * got_ + i < request.bytes; ++i) {
      log_.compare(byte_at(request.address + 64 * got_ + i),
                   reinterpret_cast<const std::uint8_t*>(dut.data_o.m_storage)[i], 8, [&] {
                     return Where{fmt::format("port data_o, byte {} of beat {}", i, got_), inputs_};
                   });
    }
    ++got_;
    compare("answer_o, last", got_ == request.packed_beats(), answer.last, 1);
    if (!answer.last) return;
    compare("answer_o, error", worst_, answer.error, 2);
    open_.pop_front();
    got_ = 0;
    worst_ = kGood;
    ++answers_;
  }

  cosim::RtlBlock<VAxiRead> block_{bench_wave(), "axi_read"};
  std::deque<Request> sent_, open_, bursts_;  // not on the bus; not answered; without all data
  bool offers_ = false;
  unsigned beat_ = 0, got_ = 0, worst_ = kGood, response_ = kOkay;
  std::uint8_t beat_bytes_[64] = {};
  std::uint64_t answers_ = 0;
  MismatchLog log_;
  std::string inputs_;
  BenchInputs shown_{[this] { return inputs_; }};
};

}  // namespace

TEST_CASE("axi read: any requests, back-pressure and errors, with resets in mid-work") {
  std::mt19937_64 random(test_seed());
  ReadBench bench;
  unsigned tag = 0, ask = 8, take = 8, data = 8;
  for (unsigned cycle = 0; cycle < 60000; ++cycle) {
    if (random() % 256 == 0) {
      ask = random() % 9;
      take = random() % 9;
      data = 1 + random() % 8;
    }
    Request request = random_request(random);
    request.tag = tag;
    const bool asks = random() % 8 < ask && bench.in_flight() < kTags;
    if (asks) tag = (tag + 1) % kTags;
    bench.step(asks ? &request : nullptr, random() % 8 < take, random() % 8 < data, random);
    if (random() % 8192 == 0) bench.reset();
  }
  for (unsigned cycle = 0; cycle < 5000; ++cycle) bench.step(nullptr, true, true, random);
  CHECK(bench.in_flight() == 0);
  CHECK(bench.answers() > 1000);
}

TEST_CASE("axi read: aligned requests move a beat in every cycle") {
  std::mt19937_64 random(test_seed());
  ReadBench bench;
  for (unsigned i = 0; i < 8; ++i) {
    const Request request{kTop + 1024 * i, 1024, i, 0, 0};
    bench.step(&request, true, true, random);
  }
  // An address a cycle from the second on, data from the third: 128 beats.
  for (unsigned cycle = 8; cycle < 2 + 128; ++cycle) {
    CHECK(bench.in_flight() > 0);
    bench.step(nullptr, true, true, random);
  }
  CHECK(bench.in_flight() == 0);
}

TEST_CASE("a mismatch on purpose: axi", "[.]") {
  std::mt19937_64 random(test_seed());
  ReadBench bench;
  const Request request{kTop, 64, 5, 1, 0};
  for (unsigned i = 0; i < 20; ++i) bench.step(nullptr, true, true, random);
  bench.step(&request, true, true, random);
  bench.expected().front().tag = 6;
  for (unsigned i = 0; i < 8; ++i) bench.step(nullptr, true, true, random);
}
