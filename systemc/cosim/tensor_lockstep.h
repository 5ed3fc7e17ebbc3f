// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// Runs two datapaths side by side, the reference first. Stops with a RunError at the first PSUM
// write, status, transferred word or end of a transfer that differs in a bit or a cycle. Results
// are those of the second one, the device. Commands write PSUM at the same time, so writes are
// compared in the order of each command, and in quad mode of each slot.
class TensorLockstep : public TensorDatapath, private PsumObserver {
 public:
  // Describes the instruction that a tag belongs to, for the message.
  using Describe = std::function<std::string(std::uint32_t tag)>;

  TensorLockstep(std::unique_ptr<TensorDatapath> reference, std::unique_ptr<TensorDatapath> device,
                 Describe describe = {});
  ~TensorLockstep() override;

  const TensorShape& shape() const override { return device_->shape(); }
  std::uint64_t cycle() const override { return device_->cycle(); }
  bool ready() const override;
  void push(const TensorCommand& command) override;
  std::uint64_t next_event() const override;
  void advance_to(std::uint64_t cycle) override;
  void skip_to(std::uint64_t cycle) override;
  bool pop_status(TensorStatus* status) override;
  void psum_start(const PsumTransfer& transfer) override;
  bool psum_busy() const override { return device_->psum_busy() || reference_->psum_busy(); }
  // False if one of the two cannot.
  bool psum_debug(const PsumTransfer& transfer) override;
  void set_observer(PsumObserver* observer) override { observer_ = observer; }

  std::uint64_t writes_compared() const { return writes_compared_; }

 private:
  struct ExpectedWrite {
    PsumWrite write;
    std::vector<std::uint32_t> data;
  };
  // What the device still has to write of one command and slot.
  struct Stream {
    std::uint32_t tag;
    unsigned slot;
    std::deque<ExpectedWrite> writes;
  };
  // Collects the reference's writes.
  class Recorder : public PsumObserver {
   public:
    explicit Recorder(std::list<Stream>* streams) : streams_(streams) {}
    void psum_written(const PsumWrite& write) override;

   private:
    std::list<Stream>* streams_;
  };

  void psum_written(const PsumWrite& write) override;  // of the device
  ExpectedWrite take_expected(const PsumWrite& actual);
  void compare_place(const PsumWrite& expected, const PsumWrite& actual) const;
  void compare_data(const ExpectedWrite& expected, const PsumWrite& actual) const;
  void compare_statuses();
  PsumTransfer shadow_of(const PsumTransfer& transfer);
  void compare_transfer();
  void compare_words(const PsumTransfer& transfer) const;
  void check_nothing_missing() const;
  [[noreturn]] void fail(std::uint32_t tag, const std::string& what) const;
  std::string place(unsigned column, bool half) const;
  std::string place(const PsumWrite& write) const;

  std::unique_ptr<TensorDatapath> reference_, device_;
  Describe describe_;
  PsumObserver* observer_ = nullptr;
  std::list<Stream> expected_;  // oldest command first
  Recorder recorder_{&expected_};
  std::deque<TensorStatus> reference_statuses_, device_statuses_, statuses_;
  PsumTransfer transfer_;
  std::vector<float> reference_words_;  // of the running transfer
  bool transferring_ = false;
  std::uint64_t writes_compared_ = 0;
};

}  // namespace tern
