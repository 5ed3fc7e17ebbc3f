// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/port_bits.h"
#include "systemc/cosim/rtl_block.h"
#include "systemc/cosim/rtl_coverage.h"
#include "systemc/cosim/rtl_start.h"
#include "systemc/cosim/tensor_cmd_port.h"
#include "systemc/cosim/tensor_rtl.h"
#include "systemc/cosim/tensor_sbuf_requests.h"

namespace tern::cosim {

// The ports of tensor_top, driven cycle by cycle. `cycle` is the time between two rising edges: the
// state of cycle c is what the registers hold after edge c; inputs given in cycle c are taken at
// edge c + 1.
template <typename Dut, bool kTraced>
class TensorRtlAdapter : public TensorRtl {
 public:
  TensorRtlAdapter(const TensorRtlOptions& options, const TensorShape& shape)
      : shape_(shape),
        sbuf_(options.sbuf),
        dut_(&context_, "rtl"),
        cycle_now_(options.wave.cycle_now) {
    shape_.sbuf_bytes = options.sbuf_bytes;
    shape_.ramp_cycles = options.ramp_cycles;
    if (options.sbuf_bytes > 256 * 1024 || options.sbuf_bytes % 8 != 0) {
      throw UserError("tensor RTL: " + std::to_string(options.sbuf_bytes) +
                      " bytes per SBUF partition: expected a multiple of 8, at most 262144");
    }
    if constexpr (kTraced) wave_ = open_wave(&dut_, options.wave, "tensor_top");
    reset();
    if (context_.random()) {
      clear_psum();
      reset();
    }
  }
  ~TensorRtlAdapter() override {
    unsigned more = wave_ ? wave_->cycles_after_failure() : 0;
    if (more > 0) context_.assertOn(false);
    for (; more > 0; --more) {
      rise();
      fall();
    }
    dut_.final();
    write_rtl_coverage(&context_);
    wave_.reset();
  }

  const TensorShape& shape() const override { return shape_; }
  std::uint64_t cycle() const override { return cycle_; }
  std::uint64_t cycles_simulated() const override { return cycles_simulated_; }

  bool ready() const override { return !pushed_ && dut_.cmd_ready_o != 0; }

  void push(const TensorCommand& command) override {
    if (!ready()) throw std::logic_error("tensor RTL: push() while not ready()");
    cmd_port(command).pack(dut_.cmd_i);
    dut_.cmd_valid_i = 1;
    pushed_ = true;
    tags_[command.tag & 0xFF] = command.tag;
    quad_[command.tag & 0xFF] = command.mode == TensorMode::kQuad;
    ++in_flight_;
  }

  std::uint64_t next_event() const override { return idle() ? kIdle : cycle_ + 1; }

  void advance_to(std::uint64_t cycle) override {
    while (cycle_ < cycle && !idle()) step();
    settle(cycle);
  }

  void skip_to(std::uint64_t cycle) override {
    if (!idle()) throw std::logic_error("tensor RTL: skip_to() while busy");
    settle(cycle);
  }

  bool pop_status(TensorStatus* status) override {
    if (statuses_.empty()) return false;
    *status = statuses_.front();
    statuses_.pop_front();
    return true;
  }

  void psum_start(const PsumTransfer& transfer) override {
    if (psum_busy()) throw std::logic_error("tensor RTL: psum_start() while busy");
    if (transfer.partition + transfer.partitions > shape_.cols ||
        transfer.column + transfer.columns >
            shape_.psum_banks * shape_.bank_columns + kRandomColumns) {
      throw std::logic_error("tensor RTL: PSUM transfer outside PSUM");
    }
    if (transfer.partitions == 0 || transfer.columns == 0) return;
    transfer_ = transfer;
    sent_ = 0;
    received_ = 0;
    request_column();
    dut_.eval();
  }
  bool psum_busy() const override { return received_ < transfer_.columns; }

  void set_observer(PsumObserver* observer) override { observer_ = observer; }

  std::uint64_t psum_end() const override { return psum_end_; }
  void settles_in(std::uint64_t cycle) override { settles_in_ = cycle; }

  TensorCounters counters() const override {
    const auto perf = tensor_ports::Perf::unpack(dut_.perf_o);
    return {perf.busy_cycles, perf.load_commands, perf.move_commands,  perf.moving_columns,
            perf.macs,        perf.weight_stalls, perf.psum_conflicts, perf.errors};
  }

 private:
  static constexpr unsigned kAccessLatency = 4;  // at least: edges from taken to written
  static constexpr unsigned kRandomColumns = 6;  // state of a generator, in the bank after the last

  bool idle() const { return in_flight_ == 0 && !psum_busy(); }

  // Advances to a cycle, idle. A stopped clock must not stretch what the next command may still
  // have to wait for: the issue interval, and partitions that the other array has just read. Nor
  // what a ramp makes of it: longer intervals, and two windows.
  void settle(std::uint64_t cycle) {
    std::uint64_t longest = std::max(shape_.min_interval, shape_.rows * shape_.stages);
    if (shape_.ramp_cycles > 0) longest += 2 * (shape_.ramp_cycles + shape_.max_moving);
    // Before the first work nothing waits, and a waveform has not begun.
    while (worked_ && cycle_ < cycle && quiet_ < longest && cycle_ < settles_in_) step();
    cycle_ = std::max(cycle_, cycle);
  }

  void reset() {
    dut_.rst_ni = 0;
    dut_.clk_i = 0;
    dut_.sbuf_bytes_i = shape_.sbuf_bytes;
    dut_.ramp_cycles_i = shape_.ramp_cycles;
    dut_.status_ready_i = 1;
    // Offers of nothing: ports may begin with any value.
    dut_.cmd_valid_i = 0;
    dut_.access_valid_i = 0;
    for (int i = 0; i < 2; ++i) edge_before_time();
    dut_.rst_ni = 1;
    dut_.eval();
  }

  // The simulator begins with zeros in PSUM, which a reset keeps, and so does the model: memories
  // that begin with random values are written first.
  void clear_psum() {
    for (unsigned column = 0; column < shape_.psum_banks * shape_.bank_columns;) {
      access_column(true, column, 0, shape_.cols);
      std::memset(&dut_.access_wdata_i.m_storage[0], 0, shape_.cols * 4);
      dut_.eval();
      if (dut_.access_ready_o != 0) ++column;
      edge_before_time();
    }
    dut_.access_valid_i = 0;
    for (unsigned i = 0; i < kAccessLatency; ++i) edge_before_time();
  }

  // Neither counted nor in a waveform.
  void edge_before_time() {
    dut_.clk_i = 0;
    dut_.eval();
    dut_.clk_i = 1;
    dut_.eval();
    dut_.clk_i = 0;
    dut_.eval();
  }

  void step() {
    if (!worked_) dump(1);  // the waveform begins with the first work
    worked_ = true;
    quiet_ = idle() ? quiet_ + 1 : 0;
    const bool transferring = psum_busy();
    answers_.clear();
    request_sbuf();
    const bool access_taken = dut_.access_valid_i != 0 && dut_.access_ready_o != 0;
    rise();
    ++cycles_simulated_;
    if (kTraced && context_.gotError()) throw RunError("an assertion of the tensor RTL failed");

    for (const Answer& answer : answers_) {
      std::memcpy(answer.port, answer.source, answer.bytes);
      if (answer.zeros != 0) std::memset(answer.port + answer.bytes, 0, answer.zeros);
    }
    dut_.cmd_valid_i = 0;
    pushed_ = false;
    if (access_taken) {
      ++sent_;
      if (transfer_.write) ++received_;
      request_column();
    }
    fall();
    observe();
    if (transferring && !psum_busy()) psum_end_ = cycle_;
  }

  void rise() {
    const ReportTo context(&context_);
    dut_.clk_i = 1;
    dut_.eval();
    ++cycle_;
    dump(0);
  }
  void fall() {
    dut_.clk_i = 0;
    dut_.eval();
    dump(1);
  }

  // SBUF answers the requests of this cycle in the next one.
  void request_sbuf() {
    for_each_sbuf_request(
        dut_, [this](auto& port, unsigned index, unsigned bytes, unsigned row,
                     std::uint32_t address) { this->answer(port, index, bytes, row, address); });
  }

  // Element `index` of a data port gets `bytes` from a partition, zeros beyond its end.
  template <typename Port>
  void answer(Port& port, unsigned index, unsigned bytes, unsigned row, std::uint32_t address) {
    const unsigned there =
        std::min(bytes, shape_.sbuf_bytes - std::min(address, shape_.sbuf_bytes));
    answers_.push_back({port_bytes(port) + std::size_t{index} * bytes,
                        sbuf_.partition(row) + address, there, bytes - there});
  }

  void observe() {
    if (dut_.status_valid_o != 0) {
      const auto status = tensor_ports::Status::unpack(dut_.status_o);
      statuses_.push_back({tags_[status.tag], static_cast<TensorStatusCode>(status.code), cycle_});
      --in_flight_;
    }
    if (observer_ != nullptr) {
      for_each_set_bit(dut_.retire_valid_o, [this](unsigned i) { report_write(i); });
    }
    if (dut_.access_rvalid_o != 0 && psum_busy() && !transfer_.write) receive_column();
  }

  // Entry i = 4 * port + column group of the retire port.
  void report_write(unsigned i) {
    const unsigned port = i / 4;
    const auto retire =
        tensor_ports::Retire::unpack(dut_.retire_o, std::size_t{i} * tensor_ports::Retire::kBits);
    PsumWrite write;
    write.tag = tags_[retire.tag];
    write.cycle = cycle_;
    write.half = retire.half;
    write.column = retire.bank * shape_.bank_columns * (write.half ? 2 : 1) + retire.column;
    write.index = retire.index;
    write.slot = quad_[retire.tag] ? port : 0;
    write.partition = retire.first;
    write.lanes = retire.lanes;
    write.data = &dut_.retire_data_o.m_storage[port * shape_.cols + write.partition];
    observer_->psum_written(write);
  }

  // The next column of the running transfer on the access port.
  void request_column() {
    dut_.access_valid_i = 0;
    if (sent_ >= transfer_.columns) return;
    access_column(transfer_.write, transfer_.column + sent_, transfer_.partition,
                  transfer_.partitions);
    if (!transfer_.write) return;
    for (unsigned p = 0; p < transfer_.partitions; ++p) {
      std::memcpy(&dut_.access_wdata_i.m_storage[transfer_.partition + p],
                  &transfer_.data[p * transfer_.stride + sent_], 4);
    }
  }

  void access_column(bool write, unsigned column, unsigned start, unsigned count) {
    tensor_ports::Access access;
    access.write = write;
    access.bank = column / shape_.bank_columns;
    access.column = column % shape_.bank_columns;
    access.start = start;
    access.count = count;
    access.pack(dut_.access_i);
    dut_.access_valid_i = 1;
  }

  void receive_column() {
    for (unsigned p = 0; p < transfer_.partitions; ++p) {
      std::memcpy(&transfer_.data[p * transfer_.stride + received_],
                  &dut_.access_rdata_o.m_storage[transfer_.partition + p], 4);
    }
    ++received_;
  }

  void dump(unsigned half) {
    if constexpr (kTraced) {
      if (wave_) {
        wave_->dump(cycle_, half);
        return;
      }
    }
    if (cycle_now_ == nullptr) return;
    if (!worked_) origin_ = cycle_;
    *cycle_now_ = cycle_ - origin_;  // as a file counts
  }

  // Input of a data port in the next cycle.
  struct Answer {
    std::uint8_t* port;
    const std::uint8_t* source;
    unsigned bytes, zeros;
  };

  TensorShape shape_;
  SbufView sbuf_;
  StartContext context_;
  Dut dut_;
  std::unique_ptr<WaveFile> wave_;
  bool worked_ = false;
  std::uint64_t settles_in_ = kIdle;
  std::uint64_t psum_end_ = 0;
  std::uint64_t* cycle_now_;
  std::uint64_t origin_ = 0;

  std::uint64_t cycle_ = 0;
  std::uint64_t cycles_simulated_ = 0;
  std::uint64_t quiet_ = 0;  // cycles since the last work
  bool pushed_ = false;
  unsigned in_flight_ = 0;                 // accepted, status not seen
  std::array<std::uint32_t, 256> tags_{};  // of the commands in flight, by their lower 8 bits
  std::array<bool, 256> quad_{};
  std::deque<TensorStatus> statuses_;
  PsumObserver* observer_ = nullptr;
  std::vector<Answer> answers_;
  PsumTransfer transfer_;
  unsigned sent_ = 0, received_ = 0;  // columns of the transfer
};

}  // namespace tern::cosim
