// SPDX-License-Identifier: Apache-2.0
#include "tb/axi/axi_system.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tb/axi/bus.h"
#include "tb/common/bench_wave.h"
#include "tb/common/rtl_reset.h"

namespace tern::tb {

namespace {

constexpr unsigned kLongest = 1'000'000;  // cycles for one register access

// One rising edge; inputs are in place.
template <typename Model>
std::uint64_t rules_broken(Model& model) {
  const cosim::ReportTo context(model.contextp());
  model.clk_i = 0;
  model.eval();
  const std::uint64_t broken = model.broken_o;
  model.clk_i = 1;
  model.eval();
  return broken;
}

}  // namespace

AxiSystem::AxiSystem(std::uint64_t seed, unsigned pace)
    : random_(seed), pace_(pace), block_(bench_wave(), "axi_dma") {
  VAxiDma& dut = block_.model;
  dut.cfg_descriptor_cycles_i = 5;
  dut.cfg_pace_i = 0;
  dut.cfg_policy_i = 0;
  dut.push_valid_i = 0;
  dut.reg_aw_valid_i = dut.reg_w_valid_i = dut.reg_ar_valid_i = 0;
  dut.reg_b_ready_i = dut.reg_r_ready_i = 0;
  dut.fetch_r_valid_i = dut.r_valid_i = dut.b_valid_i = 0;
  dut.fetch_ar_ready_i = dut.ar_ready_i = dut.aw_ready_i = dut.w_ready_i = 0;
  dut.rst_ni = 1;
  for (auto* rules : {&fetch_rules_.model, &read_rules_.model}) rules->rst_ni = 1;
  write_rules_.model.rst_ni = register_rules_.model.rst_ni = 1;
  reset();
}

void AxiSystem::reset() {
  reset_between_edges(block_.model);
  for (auto* rules : {&fetch_rules_.model, &read_rules_.model}) {
    rules->ar_valid_i = rules->r_valid_i = 0;
    reset_between_edges(*rules);
  }
  write_rules_.model.aw_valid_i = write_rules_.model.w_valid_i = write_rules_.model.b_valid_i = 0;
  reset_between_edges(write_rules_.model);
  register_rules_.model.aw_valid_i = register_rules_.model.w_valid_i = 0;
  register_rules_.model.b_valid_i = register_rules_.model.ar_valid_i = 0;
  register_rules_.model.r_valid_i = 0;
  reset_between_edges(register_rules_.model);
  fetch_ = read_ = ReadPort();
  open_.clear();
  beats_.clear();
  answers_.clear();
  answers_offered_ = false;
  worst_ = kOkay;
}

template <typename Ar, typename R, typename Data>
void AxiSystem::offer_beat(ReadPort& port, Ar& ar_ready, R& r_valid, R& r_last, R& r_resp,
                           Data& data) {
  ar_ready = chance();
  if (!port.offers && !port.bursts.empty() && chance()) {
    port.offers = true;
    const std::uint64_t line = port.bursts.front().line;
    port.response = response_of(line, false);
    std::array<std::uint8_t, 64> bytes;
    memory.read(line, bytes.data(), bytes.size());
    if (port.response != kOkay) bytes.fill(0xEE);
    set_beat(data, bytes.data());
  }
  r_valid = port.offers;
  r_last = port.offers && port.bursts.front().beats == 1;
  r_resp = port.response;
}

// Address and data of writes come in any order, and are written when both are there.
void AxiSystem::take_write_beats() {
  while (!open_.empty() && !beats_.empty()) {
    WriteBurst& burst = open_.front();
    const WriteBeat beat = beats_.front();
    beats_.pop_front();
    const std::uint64_t line = burst.line + std::uint64_t{64} * burst.written;
    const unsigned response = response_of(line, true);
    if (worst_ == kOkay) worst_ = response;
    for (unsigned i = 0; i < 64 && response == kOkay; ++i) {
      if ((beat.strobes >> i & 1) != 0) memory.write(line + i, &beat.bytes[i], 1);
    }
    if (++burst.written < burst.beats) continue;
    answers_.push_back(worst_);
    worst_ = kOkay;
    open_.pop_front();
    ++writes;
  }
}

void AxiSystem::check(const char* interface, std::uint64_t broken) {
  log_.compare(0, broken, 10, [&] {
    return Where{fmt::format("rules of {}", interface), inputs_};
  });
}

// The checkers see this cycle.
void AxiSystem::watch() {
  const VAxiDma& dut = block_.model;
  const auto reads = [](VAxiReadChecker& rules, auto ar_valid, auto ar_ready, auto addr, auto len,
                        auto size, auto burst, auto qos, auto r_valid, auto r_ready,
                        const auto& data, auto resp, auto last) {
    rules.ar_valid_i = ar_valid;
    rules.ar_ready_i = ar_ready;
    rules.ar_addr_i = addr;
    rules.ar_len_i = len;
    rules.ar_size_i = size;
    rules.ar_burst_i = burst;
    rules.ar_qos_i = qos;
    rules.r_valid_i = r_valid;
    rules.r_ready_i = r_ready;
    std::memcpy(rules.r_data_i.data(), data.data(), 64);
    rules.r_resp_i = resp;
    rules.r_last_i = last;
    return rules_broken(rules);
  };
  check("descriptor reads",
        reads(fetch_rules_.model, dut.fetch_ar_valid_o, dut.fetch_ar_ready_i, dut.fetch_ar_addr_o,
              dut.fetch_ar_len_o, dut.fetch_ar_size_o, dut.fetch_ar_burst_o, dut.fetch_ar_qos_o,
              dut.fetch_r_valid_i, dut.fetch_r_ready_o, dut.fetch_r_data_i, dut.fetch_r_resp_i,
              dut.fetch_r_last_i));
  check("reads", reads(read_rules_.model, dut.ar_valid_o, dut.ar_ready_i, dut.ar_addr_o,
                       dut.ar_len_o, dut.ar_size_o, dut.ar_burst_o, dut.ar_qos_o, dut.r_valid_i,
                       dut.r_ready_o, dut.r_data_i, dut.r_resp_i, dut.r_last_i));
  VAxiWriteChecker& writes_seen = write_rules_.model;
  writes_seen.aw_valid_i = dut.aw_valid_o;
  writes_seen.aw_ready_i = dut.aw_ready_i;
  writes_seen.aw_addr_i = dut.aw_addr_o;
  writes_seen.aw_len_i = dut.aw_len_o;
  writes_seen.aw_size_i = dut.aw_size_o;
  writes_seen.aw_burst_i = dut.aw_burst_o;
  writes_seen.aw_qos_i = dut.aw_qos_o;
  writes_seen.aw_user_i = dut.aw_user_o;
  writes_seen.w_valid_i = dut.w_valid_o;
  writes_seen.w_ready_i = dut.w_ready_i;
  std::memcpy(writes_seen.w_data_i.data(), dut.w_data_o.data(), 64);
  writes_seen.w_strb_i = dut.w_strb_o;
  writes_seen.w_last_i = dut.w_last_o;
  writes_seen.b_valid_i = dut.b_valid_i;
  writes_seen.b_ready_i = dut.b_ready_o;
  writes_seen.b_resp_i = dut.b_resp_i;
  check("writes", rules_broken(writes_seen));
  VAxiLiteChecker& lite = register_rules_.model;
  lite.aw_valid_i = dut.reg_aw_valid_i;
  lite.aw_ready_i = dut.reg_aw_ready_o;
  lite.aw_addr_i = dut.reg_aw_addr_i;
  lite.w_valid_i = dut.reg_w_valid_i;
  lite.w_ready_i = dut.reg_w_ready_o;
  lite.w_data_i = dut.reg_w_data_i;
  lite.w_strb_i = dut.reg_w_strb_i;
  lite.b_valid_i = dut.reg_b_valid_o;
  lite.b_ready_i = dut.reg_b_ready_i;
  lite.b_resp_i = dut.reg_b_resp_o;
  lite.ar_valid_i = dut.reg_ar_valid_i;
  lite.ar_ready_i = dut.reg_ar_ready_o;
  lite.ar_addr_i = dut.reg_ar_addr_i;
  lite.r_valid_i = dut.reg_r_valid_o;
  lite.r_ready_i = dut.reg_r_ready_i;
  lite.r_data_i = dut.reg_r_data_o;
  lite.r_resp_i = dut.reg_r_resp_o;
  check("registers", rules_broken(lite));
}

void AxiSystem::cycle() {
  VAxiDma& dut = block_.model;
  dut.clk_i = 0;
  offer_beat(fetch_, dut.fetch_ar_ready_i, dut.fetch_r_valid_i, dut.fetch_r_last_i,
             dut.fetch_r_resp_i, dut.fetch_r_data_i);
  offer_beat(read_, dut.ar_ready_i, dut.r_valid_i, dut.r_last_i, dut.r_resp_i, dut.r_data_i);
  dut.aw_ready_i = chance();
  dut.w_ready_i = chance();
  if (!answers_offered_) answers_offered_ = !answers_.empty() && chance();
  dut.b_valid_i = answers_offered_;
  dut.b_resp_i = answers_offered_ ? answers_.front() : kOkay;
  dut.eval();
  inputs_ = fmt::format("bursts open: {} of descriptors, {} of reads, {} of writes",
                        fetch_.bursts.size(), read_.bursts.size(), open_.size());
  watch();
  // What this cycle takes.
  const auto address = [this](ReadPort& port, auto valid, auto ready, std::uint64_t line,
                              unsigned len) {
    if (valid == 0 || ready == 0) return;
    port.bursts.push_back({line, len + 1});
    ++reads;
  };
  const auto beat = [](ReadPort& port, auto ready) {
    if (!port.offers || ready == 0) return;
    port.offers = false;
    port.bursts.front().line += 64;
    if (--port.bursts.front().beats == 0) port.bursts.pop_front();
  };
  beat(fetch_, dut.fetch_r_ready_o);
  beat(read_, dut.r_ready_o);
  address(fetch_, dut.fetch_ar_valid_o, dut.fetch_ar_ready_i, dut.fetch_ar_addr_o,
          dut.fetch_ar_len_o);
  address(read_, dut.ar_valid_o, dut.ar_ready_i, dut.ar_addr_o, dut.ar_len_o);
  if (answers_offered_ && dut.b_ready_o != 0) {
    answers_.pop_front();
    answers_offered_ = false;
  }
  if (dut.aw_valid_o != 0 && dut.aw_ready_i != 0)
    open_.push_back({dut.aw_addr_o, dut.aw_len_o + 1U, 0});
  if (dut.w_valid_o != 0 && dut.w_ready_i != 0) {
    WriteBeat taken;
    std::memcpy(taken.bytes.data(), dut.w_data_o.data(), 64);
    taken.strobes = dut.w_strb_o;
    beats_.push_back(taken);
  }
  take_write_beats();
  block_.clock.edge();
}

// Cycles until an answer is there, which then waits.
void AxiSystem::await(const CData& valid, const std::function<void()>& offer) {
  unsigned cycles = 0;
  while (valid == 0) {
    if (++cycles > kLongest) throw std::runtime_error("a register access is not answered");
    offer();
    cycle();
  }
  VAxiDma& dut = block_.model;
  dut.reg_aw_valid_i = dut.reg_w_valid_i = dut.reg_ar_valid_i = 0;
  while (!chance()) cycle();
}

void AxiSystem::take(CData& ready) {
  ready = 1;
  cycle();
  ready = 0;
}

unsigned AxiSystem::write_register(unsigned offset, std::uint32_t value) {
  VAxiDma& dut = block_.model;
  dut.reg_aw_addr_i = static_cast<std::uint16_t>(offset);
  dut.reg_w_data_i = value;
  dut.reg_w_strb_i = 15;
  await(dut.reg_b_valid_o, [&] {
    // Address and data begin at different times, and are taken in the same cycle.
    if (chance()) dut.reg_aw_valid_i = 1;
    if (chance()) dut.reg_w_valid_i = 1;
  });
  const unsigned response = dut.reg_b_resp_o;
  take(dut.reg_b_ready_i);
  return response;
}

unsigned AxiSystem::read_register(unsigned offset, std::uint32_t* value) {
  VAxiDma& dut = block_.model;
  dut.reg_ar_addr_i = static_cast<std::uint16_t>(offset);
  await(dut.reg_r_valid_o, [&] { dut.reg_ar_valid_i = 1; });
  const unsigned response = dut.reg_r_resp_o;
  *value = dut.reg_r_data_o;
  take(dut.reg_r_ready_i);
  return response;
}

}  // namespace tern::tb
