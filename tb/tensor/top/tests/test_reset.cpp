// SPDX-License-Identifier: Apache-2.0
// A reset during work, in any cycle: afterwards the engine and a fresh one are the same at every
// port in every cycle. PSUM keeps its words through a reset, so that the commands which follow it
// at once accumulate nothing; then PSUM is written, and commands of every kind follow.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/tensor_cmd_port.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/tensor/command_text.h"
#include "tb/tensor/top/bench/pin_engine.h"
#include "tb/tensor/top/bench/random_program.h"

namespace tern::tb {
namespace {

constexpr unsigned kSbufBytes = 256 * 1024;
constexpr unsigned kStateWords = 6;  // of a random generator

// One engine, or two with the same inputs.
class Twins {
 public:
  explicit Twins(Random* random)
      : random_(*random), shape_(config_shape("tiny")), sbuf_(shape_.rows, kSbufBytes) {
    fill_operands(sbuf_, shape_.rows, random_);
    used_ = std::make_unique<PinEngine>(sbuf_, kSbufBytes, bench_wave());
  }

  // The second one exists from here to the next call of alone().
  void reset_and_compare() {
    const unsigned ramp = pick(random_, std::vector<unsigned>{0, 0, 64, 600});
    used_->reset(ramp);
    fresh_ = std::make_unique<PinEngine>(sbuf_, kSbufBytes, WaveOptions());
    fresh_->reset(ramp);
    used_->pins().cmd_valid_i = used_->pins().access_valid_i = 0;
    flight_ = 0;
  }
  void alone() { fresh_.reset(); }

  // Random commands, and accesses to PSUM, for `cycles` cycles. Without `old_words` nothing reads
  // a word that has been written before.
  void run(unsigned length, bool old_words, unsigned cycles) {
    program_ = RandomCommands(shape_, random_).program(length);
    for (TensorCommand& c : program_) c.accumulate = c.accumulate && old_words;
    const unsigned pace = below(random_, 3), stalls = below(random_, 3);
    for (std::size_t next = 0; cycles > 0; --cycles) {
      VTensorTiny& pins = used_->pins();
      if (pins.cmd_valid_i == 0 && next < program_.size() && below(random_, pace * 4 + 1) == 0) {
        program_[next].tag = tag_++ & 0xFF;
        cosim::cmd_port(program_[next]).pack(pins.cmd_i);
        pins.cmd_valid_i = 1;
        input_ = text(program_[next++]);
      }
      pins.status_ready_i = below(random_, stalls * 4 + 1) == 0;
      if (pins.access_valid_i == 0 && below(random_, 6) == 0) random_access(old_words);
      step();
    }
  }

  // Each word, one after the other.
  void write_psum() {
    while (used_->pins().access_valid_i != 0) step();
    for (unsigned column = 0; column < shape_.psum_banks * shape_.bank_columns; ++column) {
      access(true, column);
      while (used_->pins().access_valid_i != 0) step();
    }
  }

  unsigned in_flight() const { return flight_; }
  unsigned writes() const { return writes_; }
  const MismatchLog& log() const { return log_; }

 private:
  void random_access(bool old_words) {
    const unsigned words = shape_.psum_banks * shape_.bank_columns;
    const bool state = below(random_, 8) == 0;  // of the random generators: the bank after the last
    const unsigned column = state ? words + below(random_, kStateWords) : below(random_, words);
    access(below(random_, 2) == 0 || (!old_words && !state), column);
  }
  void access(bool write, unsigned column) {
    VTensorTiny& pins = used_->pins();
    tensor_ports::Access access;
    access.write = write;
    access.bank = column / shape_.bank_columns;
    access.column = column % shape_.bank_columns;
    access.count = shape_.cols;
    access.pack(pins.access_i);
    for (auto& word : pins.access_wdata_i.m_storage) word = random_binary32(random_);
    pins.access_valid_i = 1;
  }

  void copy_inputs() {
    const VTensorTiny& from = used_->pins();
    VTensorTiny& to = fresh_->pins();
    to.cmd_valid_i = from.cmd_valid_i;
    to.cmd_i = from.cmd_i;
    to.status_ready_i = from.status_ready_i;
    to.access_valid_i = from.access_valid_i;
    to.access_i = from.access_i;
    to.access_wdata_i = from.access_wdata_i;
  }

  void step() {
    used_->settle();
    if (fresh_) {
      copy_inputs();
      fresh_->settle();
      writes_ += compare_pins(*fresh_, *used_, input_, &log_);
    }
    VTensorTiny& pins = used_->pins();
    const bool command = pins.cmd_valid_i != 0 && pins.cmd_ready_o != 0;
    const bool access = pins.access_valid_i != 0 && pins.access_ready_o != 0;
    flight_ += command;
    flight_ -= pins.status_valid_o != 0 && pins.status_ready_i != 0;
    used_->edge();
    if (fresh_) fresh_->edge();
    if (command) pins.cmd_valid_i = 0;
    if (access) pins.access_valid_i = 0;
  }

  Random& random_;
  TensorShape shape_;
  TestSbuf sbuf_;
  std::unique_ptr<PinEngine> used_, fresh_;
  std::vector<TensorCommand> program_;
  std::string input_ = "no command";  // the last one offered
  std::uint32_t tag_ = 0;
  unsigned flight_ = 0;  // commands accepted, and not retired
  unsigned writes_ = 0;
  MismatchLog log_;
};

}  // namespace

TEST_CASE("tiny: a reset in any cycle leaves the engine as a fresh one") {
  constexpr unsigned kLives = 300;
  unsigned cut = 0;
  Random random(test_seed() + 12);
  Twins twins(&random);
  for (unsigned life = 0; life < kLives && twins.log().empty(); ++life) {
    CAPTURE(life);
    twins.alone();
    twins.run(between(random, 4, 20), true, between(random, 1, 160));
    if (twins.in_flight() != 0) ++cut;
    twins.reset_and_compare();
    twins.run(between(random, 2, 8), false, below(random, 160));
    if (life % 3 != 0) continue;
    twins.write_psum();
    twins.run(between(random, 4, 20), true, 300);
  }
  CHECK_NO_MISMATCH(twins.log());
  CHECK(cut > kLives / 2);
  CHECK(twins.writes() > 10 * kLives);
}

}  // namespace tern::tb
