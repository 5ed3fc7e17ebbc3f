// SPDX-License-Identifier: Apache-2.0
// The write port as an AXI4 manager: beats of any sizes, immediates between them, back-pressure and
// errors, resets in mid-work. The memory takes address and data in any order.
#include <VAxiWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <utility>
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

constexpr unsigned kTags = 64, kLines = 128;  // Lines: of this Verilation

struct Write {
  Request request;
  std::vector<std::uint8_t> data;
  bool immediate = false;

  // What a beat of the bus must hold: byte and whether it is written.
  std::pair<std::uint8_t, bool> at(unsigned beat, unsigned lane) const {
    const unsigned place = 64 * beat + lane;
    if (place < request.offset() || place >= request.offset() + request.bytes) return {0, false};
    return {data[place - request.offset()], true};
  }
};

// One beat at the engine's port.
struct Beat {
  std::array<std::uint8_t, 64> data{};
  unsigned bytes = 64;
  bool last = false, immediate = false;
};

class WriteBench {
 public:
  WriteBench() {
    block_.model.rst_ni = 1;
    block_.model.write_valid_i = block_.model.aw_ready_i = 0;
    block_.model.w_ready_i = block_.model.b_valid_i = 0;
    reset();
  }
  ~WriteBench() { CHECK_NO_MISMATCH(log_); }
  WriteBench(const WriteBench&) = delete;
  WriteBench& operator=(const WriteBench&) = delete;

  void reset() {
    reset_between_edges(block_.model);
    writes_.clear();
    addresses_ = data_ = 0;
    beat_ = 0;
    answering_ = false;
    address_waits_.reset();
    data_waits_.reset();
  }
  // Writes whose last beat the engine has sent and that are not answered.
  std::size_t in_flight() const { return writes_.size(); }
  std::uint64_t answers() const { return answers_; }

  void step(const Beat* beat, const Write* ends, bool aw_ready, bool w_ready, bool answer,
            std::mt19937_64& random) {
    VAxiWrite& dut = block_.model;
    dut.clk_i = 0;
    dut.write_valid_i = beat != nullptr;
    const Beat any;
    const Beat& now = beat != nullptr ? *beat : any;
    set_beat(dut.write_data_i, now.data.data());
    dut.write_bytes_i = now.bytes;
    dut.write_last_i = now.last;
    dut.write_immediate_i = now.immediate;
    set_request(dut.write_request_i, ends != nullptr ? ends->request : Request{0, 1, 0, 0, 0});
    dut.aw_ready_i = aw_ready;
    dut.w_ready_i = w_ready;
    if (!answering_ && answer && addresses_ > 0 && data_ > 0) {
      answering_ = true;
      response_ = random_response(random);
    }
    dut.b_valid_i = answering_;
    dut.b_resp_i = response_;
    dut.eval();
    inputs_ = fmt::format("beat {:d}, {} bytes, last {:d}, immediate {:d}, ready {:d} {:d}",
                          beat != nullptr, now.bytes, now.last, now.immediate, aw_ready, w_ready);
    check_address(aw_ready);
    check_data(w_ready);
    check_answer();
    block_.clock.edge();
    if (ends != nullptr) writes_.push_back(*ends);
  }

 private:
  void compare(const std::string& port, std::uint64_t expected, std::uint64_t got, unsigned bits) {
    log_.compare(expected, got, bits, [&] { return Where{"port " + port, inputs_}; });
  }

  void check_address(bool ready) {
    const VAxiWrite& dut = block_.model;
    const std::array<std::uint64_t, 4> offer{dut.aw_addr_o, dut.aw_len_o, dut.aw_qos_o,
                                             dut.aw_user_o};
    if (address_waits_) {
      compare("aw_valid_o, waits", 1, dut.aw_valid_o, 1);
      compare("aw_addr_o, waits", (*address_waits_)[0], offer[0], 64);
    }
    address_waits_.reset();
    compare("aw_size_o", 6, dut.aw_size_o, 3);
    compare("aw_burst_o", 1, dut.aw_burst_o, 2);
    if (dut.aw_valid_o == 0) return;
    if (addresses_ >= writes_.size()) {
      compare("aw_valid_o, without a request", 0, 1, 1);
      return;
    }
    const Request& r = writes_[addresses_].request;
    compare("aw_addr_o", r.address / 64 * 64, offer[0], 64);
    compare("aw_len_o", r.bus_beats() - 1, offer[1], 8);
    compare("aw_qos_o", 3 - r.cls, offer[2], 4);
    compare("aw_user_o", r.op, offer[3], 2);
    if (ready) {
      ++addresses_;
    } else {
      address_waits_ = offer;
    }
  }

  void check_data(bool ready) {
    const VAxiWrite& dut = block_.model;
    std::array<std::uint8_t, 64> offer{};
    std::memcpy(offer.data(), dut.w_data_o.m_storage, 64);
    if (data_waits_) {
      compare("w_valid_o, waits", 1, dut.w_valid_o, 1);
      compare("w_data_o, changes while it waits", 0, *data_waits_ != offer, 1);
    }
    data_waits_.reset();
    if (dut.w_valid_o == 0) return;
    if (data_ >= writes_.size()) {
      compare("w_valid_o, without a request", 0, 1, 1);
      return;
    }
    const Write& write = writes_[data_];
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto [byte, written] = write.at(beat_, lane);
      const bool strobe = (dut.w_strb_o >> lane & 1) != 0;
      compare(fmt::format("w_strb_o, lane {}", lane), written, strobe, 1);
      if (written) compare(fmt::format("w_data_o, lane {}", lane), byte, offer[lane], 8);
    }
    const bool last = beat_ + 1 == write.request.bus_beats();
    compare("w_last_o", last, dut.w_last_o, 1);
    if (!ready) {
      data_waits_ = offer;
    } else if (last) {
      beat_ = 0;
      ++data_;
    } else {
      ++beat_;
    }
  }

  void check_answer() {
    const VAxiWrite& dut = block_.model;
    const Answer answer(dut.answer_o);
    compare("answer_o, valid", answering_, answer.valid, 1);
    if (!answering_) return;
    compare("b_ready_o", 1, dut.b_ready_o, 1);
    compare("answer_o, last", 1, answer.last, 1);
    compare("answer_o, tag", writes_.front().request.tag, answer.tag, 6);
    compare("answer_o, error", answer_of(response_), answer.error, 2);
    writes_.pop_front();
    --addresses_;
    --data_;
    answering_ = false;
    ++answers_;
  }

  cosim::RtlBlock<VAxiWrite> block_{bench_wave(), "axi_write"};
  std::deque<Write> writes_;
  std::size_t addresses_ = 0, data_ = 0;  // of them that the bus has taken
  unsigned beat_ = 0, response_ = kOkay;
  bool answering_ = false;
  std::optional<std::array<std::uint64_t, 4>> address_waits_;
  std::optional<std::array<std::uint8_t, 64>> data_waits_;
  std::uint64_t answers_ = 0;
  MismatchLog log_;
  std::string inputs_;
  BenchInputs shown_{[this] { return inputs_; }};
};

// The engine: one write at a time in beats of any sizes, immediates between them.
class Engine {
 public:
  explicit Engine(std::mt19937_64& random) : random_(random) {}

  void forget() { rest_.clear(); }
  // The beat of this cycle; ends: the write that it ends.
  std::optional<Beat> next(bool work, const WriteBench& bench, std::optional<Write>& ends) {
    ends.reset();
    if (!work) return std::nullopt;
    if (bench.in_flight() + 1 < kTags && random_() % 16 == 0) return immediate(ends);
    if (rest_.empty()) {
      // Lines and tags as the engine counts them: 17 lines are the most that a write takes.
      if ((bench.in_flight() + 1) * 17 > kLines) return std::nullopt;
      write_.request = random_request(random_);
      write_.request.tag = tag_++ % kTags;
      write_.immediate = false;
      rest_.resize(write_.request.bytes);
      for (auto& byte : rest_) byte = static_cast<std::uint8_t>(random_());
      write_.data = rest_;
      whole_ = random_() % 2 == 0;
    }
    Beat beat;
    for (auto& byte : beat.data) byte = static_cast<std::uint8_t>(random_());
    const unsigned most = std::min<std::size_t>(64, rest_.size());
    beat.bytes = whole_ ? most : 1 + static_cast<unsigned>(random_() % most);
    std::copy_n(rest_.begin(), beat.bytes, beat.data.begin());
    rest_.erase(rest_.begin(), rest_.begin() + beat.bytes);
    beat.last = rest_.empty();
    if (beat.last) ends = write_;
    return beat;
  }

 private:
  Beat immediate(std::optional<Write>& ends) {
    Write write;
    write.request = {random_top(random_) + random_() % 4096 * 4, 4, tag_++ % kTags,
                     static_cast<unsigned>(random_() % 4), 0};
    write.immediate = true;
    Beat beat;
    beat.bytes = 4;
    beat.last = beat.immediate = true;
    for (auto& byte : beat.data) byte = static_cast<std::uint8_t>(random_());
    write.data.assign(beat.data.begin(), beat.data.begin() + 4);
    ends = write;
    return beat;
  }

  std::mt19937_64& random_;
  Write write_;
  std::vector<std::uint8_t> rest_;
  unsigned tag_ = 0;
  bool whole_ = true;
};

}  // namespace

TEST_CASE("axi write: any beats, immediates, back-pressure and errors, with resets in mid-work") {
  std::mt19937_64 random(test_seed());
  WriteBench bench;
  Engine engine(random);
  std::optional<Write> ends;
  unsigned work = 8, address = 8, data = 8, answer = 8;
  for (unsigned cycle = 0; cycle < 40000; ++cycle) {
    if (random() % 256 == 0) {
      work = 1 + random() % 8;
      address = random() % 9;
      data = random() % 9;
      answer = 1 + random() % 8;
    }
    const auto beat = engine.next(random() % 8 < work, bench, ends);
    bench.step(beat ? &*beat : nullptr, ends ? &*ends : nullptr, random() % 8 < address,
               random() % 8 < data, random() % 8 < answer, random);
    if (random() % 8192 == 0) {
      bench.reset();
      engine.forget();
    }
  }
  for (unsigned cycle = 0; cycle < 5000; ++cycle) {
    bench.step(nullptr, nullptr, true, true, true, random);
  }
  CHECK(bench.in_flight() == 0);
  CHECK(bench.answers() > 1000);
}
