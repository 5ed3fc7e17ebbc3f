// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>

#include "systemc/config/user_error.h"
#include "systemc/cosim/rtl_coverage.h"
#include "systemc/cosim/tensor_rtl.h"
#include "systemc/cosim/verilated_ports.h"
#include "systemc/cosim/wave_file.h"

namespace tern::cosim {

// The ports of tensor_top, driven cycle by cycle. `cycle` is the time between two rising edges: the
// state of cycle c is what the registers hold after edge c; inputs given in cycle c are taken at
// edge c + 1.
template <typename Dut, bool kTraced>
class TensorRtlAdapter : public TensorRtl {
 public:
  TensorRtlAdapter(const TensorRtlOptions& options, const TensorShape& shape)
      : shape_(shape), sbuf_(options.sbuf), dut_(&context_, "rtl") {
    shape_.sbuf_bytes = options.sbuf_bytes;
    if (options.sbuf_bytes > 256 * 1024 || options.sbuf_bytes % 8 != 0) {
      throw UserError("tensor RTL: " + std::to_string(options.sbuf_bytes) +
                      " bytes per SBUF partition: expected a multiple of 8, at most 262144");
    }
    // A stopped clock must not stretch the issue interval: it has to be over when the engine falls
    // idle.
    if (shape.min_interval > shape.rows + 2) throw std::logic_error("min_interval > rows + 2");
    if constexpr (kTraced) {
      if (!options.wave.file.empty()) {
        context_.traceEverOn(true);
        wave_ = std::make_unique<WaveFile>(options.wave, "rtl", "tensor_top",
                                           [this](auto* fst) { dut_.trace(fst, 99); });
      }
    }
    reset();
  }
  ~TensorRtlAdapter() override {
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
    set_command(command);
    dut_.cmd_valid_i = 1;
    pushed_ = true;
    tags_[command.tag & 0xFF] = command.tag;
    ++in_flight_;
  }

  std::uint64_t next_event() const override { return idle() ? kIdle : cycle_ + 1; }

  void advance_to(std::uint64_t cycle) override {
    while (cycle_ < cycle && !idle()) step();
    cycle_ = std::max(cycle_, cycle);
  }

  void skip_to(std::uint64_t cycle) override {
    if (!idle()) throw std::logic_error("tensor RTL: skip_to() while busy");
    cycle_ = std::max(cycle_, cycle);
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
        transfer.column + transfer.columns > shape_.psum_banks * shape_.bank_columns) {
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

  TensorRtlCounters counters() const override {
    // The first member of the packed struct is uppermost.
    const auto counter = [this](unsigned i) {
      const std::uint64_t high = port_word(dut_.perf_o, 15 - 2 * i);
      return (high << 32) | port_word(dut_.perf_o, 14 - 2 * i);
    };
    return {counter(0), counter(1), counter(2), counter(3),
            counter(4), counter(5), counter(6), counter(7)};
  }

 private:
  static constexpr unsigned kLoadAddressBits = 15;  // 8-byte words
  static constexpr unsigned kMoveAddressBits = 17;  // 2-byte elements

  bool idle() const { return in_flight_ == 0 && !psum_busy(); }

  void reset() {
    dut_.rst_ni = 0;
    dut_.clk_i = 0;
    dut_.sbuf_bytes_i = shape_.sbuf_bytes;
    dut_.status_ready_i = 1;
    for (int i = 0; i < 2; ++i) {
      dut_.clk_i = 0;
      dut_.eval();
      dut_.clk_i = 1;
      dut_.eval();
    }
    dut_.clk_i = 0;
    dut_.rst_ni = 1;
    dut_.eval();
  }

  void step() {
    if (!worked_) dump(1);  // the waveform begins with the first work
    worked_ = true;
    fetch();
    const bool access_taken = dut_.access_valid_i != 0 && dut_.access_ready_o != 0;
    dut_.clk_i = 1;
    dut_.eval();
    ++cycle_;
    ++cycles_simulated_;
    dump(0);

    for (const auto& word : fetched_loads_) {
      std::memcpy(&dut_.load_data_i.m_storage[2 * word.row], word.data.data(), 8);
    }
    auto* elements = reinterpret_cast<std::uint8_t*>(&dut_.move_data_i.m_storage[0]);
    for (const auto& element : fetched_moves_)
      std::memcpy(elements + 2 * element.row, element.data.data(), 2);
    dut_.cmd_valid_i = 0;
    pushed_ = false;
    if (access_taken) {
      ++sent_;
      if (transfer_.write) ++received_;
      request_column();
    }
    dut_.clk_i = 0;
    dut_.eval();
    dump(1);
    observe();
  }

  // SBUF answers the requests of this cycle in the next one.
  void fetch() {
    fetched_loads_.clear();
    for_each_set_bit(dut_.load_req_o, [this](unsigned row) {
      const std::size_t address =
          port_bits(dut_.load_addr_o, row * kLoadAddressBits, kLoadAddressBits);
      fetched_loads_.emplace_back(row, sbuf_.partition(row) + 8 * address);
    });
    fetched_moves_.clear();
    for_each_set_bit(dut_.move_req_o, [this](unsigned row) {
      const std::size_t address =
          port_bits(dut_.move_addr_o, row * kMoveAddressBits, kMoveAddressBits);
      fetched_moves_.emplace_back(row, sbuf_.partition(row) + 2 * address);
    });
  }

  void observe() {
    if (dut_.status_valid_o != 0) {
      const unsigned status = dut_.status_o;
      statuses_.push_back(
          {tags_[status >> 4], static_cast<TensorStatusCode>(status & 0xF), cycle_});
      --in_flight_;
    }
    if (dut_.retire_valid_o != 0 && observer_ != nullptr) {
      const std::uint64_t retire = dut_.retire_o;
      PsumWrite write;
      write.tag = tags_[(retire >> 47) & 0xFF];
      write.cycle = cycle_;
      write.lanes = (retire >> 39) & 0xFF;
      write.column = ((retire >> 32) & 0x7F) * shape_.bank_columns + ((retire >> 16) & 0xFFFF);
      write.index = retire & 0xFFFF;
      write.data = &dut_.retire_data_o.m_storage[0];
      observer_->psum_written(write);
    }
    if (dut_.access_rvalid_o != 0 && psum_busy() && !transfer_.write) receive_column();
  }

  void set_command(const TensorCommand& command) {
    const auto fits = [](int step) { return step >= -32768 && step <= 32767; };
    if (!fits(command.step0) || !fits(command.step1)) {
      throw RunError("tensor RTL: the steps of a moving operand have 16 bits");
    }
    // Values too large for their field are refused as the largest one is.
    const auto field = [](std::uint32_t value, unsigned bits, unsigned lsb) {
      return std::min(value, (std::uint32_t{1} << bits) - 1) << lsb;
    };
    auto& word = dut_.cmd_i.m_storage;
    word[4] = field(static_cast<unsigned>(command.op), 4, 28) |
              field(static_cast<unsigned>(command.type), 4, 24) | (command.tag & 0xFF) << 16 |
              field(command.row_start, 8, 8) | field(command.rows, 8, 0);
    word[3] = field(command.cols, 8, 24) | field(command.psum_bank, 7, 17) |
              std::uint32_t{command.accumulate} << 16 | field(command.psum_column, 16, 0);
    word[2] = command.sbuf_address;
    word[1] = field(command.num0, 16, 16) | (static_cast<std::uint32_t>(command.step0) & 0xFFFF);
    word[0] = field(command.num1, 16, 16) | (static_cast<std::uint32_t>(command.step1) & 0xFFFF);
  }

  // The next column of the running transfer on the access port.
  void request_column() {
    dut_.access_valid_i = sent_ < transfer_.columns;
    if (sent_ >= transfer_.columns) return;
    const unsigned column = transfer_.column + sent_;
    dut_.access_i = std::uint64_t{transfer_.write} << 39 |
                    std::uint64_t{column / shape_.bank_columns} << 32 |
                    std::uint64_t{column % shape_.bank_columns} << 16 |
                    std::uint64_t{transfer_.partition} << 8 | transfer_.partitions;
    if (!transfer_.write) return;
    for (unsigned p = 0; p < transfer_.partitions; ++p) {
      std::memcpy(&dut_.access_wdata_i.m_storage[transfer_.partition + p],
                  &transfer_.data[p * transfer_.stride + sent_], 4);
    }
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
      if (wave_) wave_->dump(cycle_, half);
    }
  }

  template <std::size_t kBytes>
  struct Fetched {
    Fetched(unsigned row, const std::uint8_t* source) : row(row) {
      std::memcpy(data.data(), source, kBytes);
    }
    unsigned row;
    std::array<std::uint8_t, kBytes> data;
  };

  TensorShape shape_;
  SbufView sbuf_;
  VerilatedContext context_;
  Dut dut_;
  std::unique_ptr<WaveFile> wave_;
  bool worked_ = false;

  std::uint64_t cycle_ = 0;
  std::uint64_t cycles_simulated_ = 0;
  bool pushed_ = false;
  unsigned in_flight_ = 0;  // accepted, status not seen
  std::array<std::uint32_t, 256> tags_{};
  std::deque<TensorStatus> statuses_;
  PsumObserver* observer_ = nullptr;
  std::vector<Fetched<8>> fetched_loads_;
  std::vector<Fetched<2>> fetched_moves_;
  PsumTransfer transfer_;
  unsigned sent_ = 0, received_ = 0;  // columns of the transfer
};

}  // namespace tern::cosim
