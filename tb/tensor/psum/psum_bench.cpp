// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/psum/psum_bench.h"

#include <VTensorPsum.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/rtl_reset.h"

namespace tern::tb {

namespace {

unsigned banks_touched(const Destination& d, unsigned slot) {
  unsigned mask = 0;
  const unsigned in_bank = kBankColumns * (d.half ? 2 : 1);
  for (unsigned i = 0; i < d.count; ++i) {
    mask |= 1U << PsumReference::element(d, i, slot) / in_bank;
  }
  return mask;
}

// Memories [bank][column group] and ports [port][column group] that a stream uses, one bit each.
std::uint32_t memories(const Stream& stream) {
  std::uint32_t mask = 0;
  for (unsigned slot = 0; slot < (stream.destination.quad ? 4 : 1); ++slot) {
    const unsigned banks = banks_touched(stream.destination, slot);
    for (unsigned bank = 0; bank < kBanks; ++bank) {
      if ((banks >> bank & 1) != 0) mask |= stream.groups << (kGroups * bank);
    }
  }
  return mask;
}

std::uint32_t ports(const Stream& stream) {
  return stream.destination.quad ? 0xFFFF : stream.groups << (kGroups * stream.port);
}

}  // namespace

unsigned groups_of(const Destination& destination) {
  const unsigned first = destination.first / kGroupLanes;
  const unsigned last = (destination.first + destination.lanes - 1) / kGroupLanes;
  return (2U << last) - (1U << first);
}

struct PsumBench::Dut : cosim::RtlBlock<VTensorPsum> {
  Dut() : RtlBlock(bench_wave(), "tensor_psum") {}
};

PsumBench::PsumBench() : holder_(std::make_unique<Dut>()), dut_(&holder_->model) {
  dut_->clk_i = 0;
  dut_->rst_ni = 0;
  for (unsigned i = 0; i < 2; ++i) {
    dut_->eval();
    dut_->clk_i = 1 - i;
  }
  dut_->eval();
  dut_->rst_ni = 1;
  // Nothing draws after a reset: the state of the generators is accessible at once.
  read(kBanks, 0);
  for (unsigned bank = 0; bank < kBanks; ++bank) {
    for (unsigned column = 0; column < kBankColumns; ++column) write(bank, column, Row{});
  }
}

PsumBench::~PsumBench() = default;

bool PsumBench::can_start(const Stream& stream) const {
  if (starting_ || (slots_used_ >> next_slot_ & 1) != 0) return false;
  return std::none_of(active_.begin(), active_.end(), [&](const Active& a) {
    return (memories(a.stream) & memories(stream)) != 0 || (ports(a.stream) & ports(stream)) != 0 ||
           (a.stream.destination.stochastic && stream.destination.stochastic);
  });
}

void PsumBench::start(Stream stream) {
  if (!can_start(stream)) throw std::logic_error("PSUM bench: stream overlaps another");
  if (stream.columns.size() != stream.destination.count || stream.wait == 0) {
    throw std::logic_error("PSUM bench: malformed stream");
  }
  const unsigned wait = stream.wait;
  starting_ = Active{std::move(stream), next_slot_, 0, wait};
  slots_used_ |= 1U << next_slot_;
  next_slot_ = (next_slot_ + 1) % 16;
}

bool PsumBench::busy() const {
  return starting_ || !active_.empty() || !stage2_.empty() || slots_used_ != 0 || access_ || rdata_;
}

void PsumBench::step() {
  dut_->dest_valid_i = starting_ ? 1 : 0;
  if (starting_) {
    const Destination& d = starting_->stream.destination;
    dut_->dest_slot_i = static_cast<std::uint8_t>(starting_->slot);
    tensor_ports::Dest dest;
    dest.tag = d.tag;
    dest.first = d.first;
    dest.lanes = d.lanes;
    dest.bank = d.bank;
    dest.column = d.column;
    dest.count = d.count;
    dest.accumulate = d.accumulate;
    dest.half = d.half;
    dest.raw = d.raw;
    dest.stochastic = d.stochastic;
    dest.quad = d.quad;
    dest.pack(dut_->dest_i);
  }
  drive_columns();
  drive_sums();
  drive_access();
  dut_->eval();
  check_access_ready();
  check_retired();
  check_done();
  check_rdata();
  take_access();

  holder_->clock.edge();
  dut_->clk_i = 0;
  dut_->eval();
  ++cycle_;

  for (unsigned slot = 0; slot < 16; ++slot) {
    if ((done_[2] >> slot & 1) != 0) slots_used_ &= ~(1U << slot);
  }
  done_ = {0, done_[0], done_[1]};
  stage2_ = std::move(stage1_);
  stage1_.clear();
  if (starting_) active_.push_back(std::move(*starting_));
  starting_.reset();
}

// Valid and slot of this cycle's columns; their sums follow in the next one.
void PsumBench::drive_columns() {
  std::uint32_t valid = 0;
  std::uint64_t slots = 0;
  for (unsigned i = 0; i < 16; ++i) slots |= std::uint64_t{noise() & 15} << (4 * i);
  dut_->raw_valid_i = 0;
  for (Active& a : active_) {
    if (--a.wait != 0) continue;
    a.wait = 1;
    const Destination& d = a.stream.destination;
    const std::uint32_t where = ports(a.stream);
    for (unsigned q = 0; q < (d.quad ? 4 : 1); ++q) {
      stage1_.push_back({d, d.quad ? q : a.stream.port, a.stream.groups, a.slot, a.next, q,
                         a.stream.columns[a.next][q]});
    }
    if (a.stream.port == kRawPort && !d.quad) {
      dut_->raw_valid_i = 1;
      dut_->raw_slot_i = static_cast<std::uint8_t>(a.slot);
    } else {
      valid |= where;
      for (unsigned i = 0; i < 16; ++i) {
        if ((where >> i & 1) == 0) continue;
        slots &= ~(std::uint64_t{15} << (4 * i));
        slots |= std::uint64_t{a.slot} << (4 * i);
      }
    }
    if (++a.next == d.count) done_[0] |= 1U << a.slot;
  }
  active_.erase(
      std::remove_if(active_.begin(), active_.end(),
                     [](const Active& a) { return a.next == a.stream.destination.count; }),
      active_.end());
  dut_->port_valid_i = static_cast<std::uint16_t>(valid);
  dut_->port_slot_i = slots;
}

void PsumBench::drive_sums() {
  for (unsigned i = 0; i < 4 * kLanes; ++i) dut_->sum_i[i] = noise();
  for (unsigned i = 0; i < kLanes; ++i) dut_->raw_i[i] = noise();
  for (const Column& c : stage2_) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((c.groups >> (lane / kGroupLanes) & 1) == 0) continue;
      if (c.port == kRawPort) {
        dut_->raw_i[lane] = c.data[lane];
      } else {
        dut_->sum_i[c.port * kLanes + lane] = c.data[lane];
      }
    }
  }
}

void PsumBench::drive_access() {
  dut_->access_valid_i = access_ ? 1 : 0;
  if (!access_) return;
  tensor_ports::Access access;
  access.write = access_->write;
  access.bank = access_->bank;
  access.column = access_->column;
  access.start = access_->start;
  access.count = access_->count;
  access.pack(dut_->access_i);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    dut_->access_wdata_i[lane] = access_->write ? access_->data[lane] : noise();
  }
}

void PsumBench::check_access_ready() {
  if (!access_) return;
  bool ready = true;
  if (access_->bank == kBanks) {
    for (const Column& c : stage2_) ready = ready && !c.destination.stochastic;
  } else {
    for (const Column& c : stage1_) {
      const unsigned in_bank = kBankColumns * (c.destination.half ? 2 : 1);
      const unsigned element = PsumReference::element(c.destination, c.index, c.quad_slot);
      ready = ready && element / in_bank != access_->bank;
    }
  }
  if (ready != (dut_->access_ready_o != 0)) fail("access_ready_o", dut_->access_ready_o, ready);
  if (!ready) ++refusals_;
}

// Writes of stage 2: the reference's too happen here.
void PsumBench::check_retired() {
  std::uint32_t valid = 0;
  for (const Column& c : stage2_) {
    const Destination& d = c.destination;
    const unsigned lead = kGroups * c.port + d.first / kGroupLanes;
    valid |= 1U << lead;
    const unsigned element = PsumReference::element(d, c.index, c.quad_slot);
    const unsigned in_bank = kBankColumns * (d.half ? 2 : 1);
    const auto retire =
        tensor_ports::Retire::unpack(dut_->retire_o, lead * tensor_ports::Retire::kBits);
    const auto member = [&](const char* name, unsigned got, unsigned expected) {
      if (got != expected) fail(std::string("retire_o.") + name, got, expected);
    };
    member("index", retire.index, c.index);
    member("column", retire.column, element % in_bank);
    member("bank", retire.bank, element / in_bank);
    member("half", retire.half, d.half);
    member("lanes", retire.lanes, d.lanes);
    member("first", retire.first, d.first);
    member("tag", retire.tag, d.tag);
    for (unsigned lane = d.first; lane < d.first + d.lanes; ++lane) {
      const std::uint32_t expected = reference_.write(d, element, lane, c.data[lane]);
      const std::uint32_t got = dut_->retire_data_o[c.port * kLanes + lane];
      if (got != expected) {
        fail("retire_data_o of array port " + std::to_string(c.port) + ", lane " +
                 std::to_string(lane),
             got, expected);
      }
    }
  }
  if (dut_->retire_valid_o != valid) fail("retire_valid_o", dut_->retire_valid_o, valid);
}

void PsumBench::check_done() {
  if (dut_->done_o != done_[2]) fail("done_o", dut_->done_o, done_[2]);
}

void PsumBench::check_rdata() {
  const bool valid = dut_->access_rvalid_o != 0;
  if (valid != rdata_.has_value()) fail("access_rvalid_o", valid, rdata_.has_value());
  if (!valid) return;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    last_read_[lane] = dut_->access_rdata_o[lane];
    if (last_read_[lane] != (*rdata_)[lane]) {
      fail("access_rdata_o, lane " + std::to_string(lane), last_read_[lane], (*rdata_)[lane]);
    }
  }
}

// Behind the array's writes of this cycle.
void PsumBench::take_access() {
  rdata_.reset();
  taken_.reset();
  if (!access_ || dut_->access_ready_o == 0) return;
  const auto word = [&](unsigned lane) -> std::uint32_t& {
    return access_->bank == kBanks ? reference_.generators[lane].word[access_->column]
                                   : reference_.word(access_->bank, access_->column, lane);
  };
  if (!access_->write) rdata_.emplace();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    overwritten_[lane] = word(lane);
    if (!access_->write) {
      (*rdata_)[lane] = word(lane);
    } else if (lane >= access_->start && lane < access_->start + access_->count) {
      word(lane) = access_->data[lane];
    }
  }
  taken_ = access_;
  access_.reset();
}

void PsumBench::drain() {
  while (busy()) step();
  step();
}

void PsumBench::reset() {
  reset_between_edges(*dut_);
  // Memory takes an access one cycle after the port.
  if (taken_ && taken_->write && taken_->bank != kBanks) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      reference_.word(taken_->bank, taken_->column, lane) = overwritten_[lane];
    }
  }
  reference_.reset_generators();
  starting_.reset();
  active_.clear();
  stage1_.clear();
  stage2_.clear();
  slots_used_ = 0;
  done_ = {};
  access_.reset();
  taken_.reset();
  rdata_.reset();
}

Row PsumBench::read(unsigned bank, unsigned column) {
  access({false, bank, column, 0, kLanes, {}});
  while (access_) step();
  step();
  return last_read_;
}

void PsumBench::write(unsigned bank, unsigned column, const Row& data) {
  access({true, bank, column, 0, kLanes, data});
  while (access_) step();
}

void PsumBench::check_all_memory() {
  drain();
  for (unsigned bank = 0; bank <= kBanks; ++bank) {
    for (unsigned column = 0; column < (bank < kBanks ? kBankColumns : 6); ++column) {
      read(bank, column);
    }
  }
}

std::uint32_t PsumBench::noise() {
  noise_ = noise_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::uint32_t>(noise_ >> 32);
}

void PsumBench::fail(const std::string& port, std::uint64_t got, std::uint64_t expected) const {
  FAIL_MISMATCH({{"port " + port, "", cycle_}, hex(expected), hex(got)});
  std::abort();  // it does not return
}

std::string PsumBench::inputs() const {
  const auto destination = [](const Destination& d) {
    std::string text = "tag " + std::to_string(d.tag) + ", lanes " + std::to_string(d.first) +
                       " + " + std::to_string(d.lanes) + ", bank " + std::to_string(d.bank) +
                       " column " + std::to_string(d.column) + ", " + std::to_string(d.count) +
                       " columns";
    if (d.accumulate) text += ", accumulate";
    if (d.half) text += ", half";
    if (d.raw) text += ", raw";
    if (d.stochastic) text += ", stochastic";
    if (d.quad) text += ", quad";
    return text;
  };
  const auto access = [](const Access& a) {
    return std::string(a.write ? "access writes" : "access reads") + " bank " +
           std::to_string(a.bank) + " column " + std::to_string(a.column) + ", lanes " +
           std::to_string(a.start) + " + " + std::to_string(a.count) +
           (a.write ? ": " + hex_list(a.data) : "");
  };
  std::string text;
  const auto line = [&](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
  if (starting_) line("starts: " + destination(starting_->stream.destination));
  for (const Column& c : stage2_) {
    line("array port " + std::to_string(c.port) + ", column " + std::to_string(c.index) + " of " +
         destination(c.destination) + ": " + hex_list(c.data));
  }
  if (taken_) line("taken in the cycle before: " + access(*taken_));
  if (access_) line(access(*access_));
  return text.empty() ? "none" : text;
}

}  // namespace tern::tb
