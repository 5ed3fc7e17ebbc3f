// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>

#include "sw/config/wave_options.h"
#include "systemc/cosim/rtl_coverage.h"
#include "systemc/cosim/rtl_start.h"
#include "systemc/cosim/wave_file.h"

namespace tern::cosim {

constexpr int kAllLevels = 99;  // of the hierarchy, in a waveform

// The waveform of a Verilated model, null if none is requested. `top`: the name of its top module.
template <typename Model>
std::unique_ptr<WaveFile> open_wave(Model* model, const WaveOptions& options, const char* top) {
  if (options.file.empty()) return nullptr;
  VerilatedContext* context = model->contextp();
  context->traceEverOn(true);
  context->fatalOnError(false);  // an assertion of the RTL ends the test, not the process
  return std::make_unique<WaveFile>(options, model->name(), top,
                                    [model](auto* fst) { model->trace(fst, kAllLevels); });
}

// In its scope a model that is evaluated reports failed assertions to this context.
class ReportTo {
 public:
  explicit ReportTo(VerilatedContext* context) : before_(Verilated::threadContextp()) {
    Verilated::threadContextp(context);
  }
  ~ReportTo() { Verilated::threadContextp(before_); }
  ReportTo(const ReportTo&) = delete;
  ReportTo& operator=(const ReportTo&) = delete;

 private:
  VerilatedContext* before_;
};

// The clock of a Verilated block, and its waveform if one is requested: time N in the file shows
// what the block's user sees in cycle N, and the rising edge is half a cycle later. Cycles in reset
// are not recorded. Declared after the model, whose last state it may still record.
template <typename Model>
class WaveClock {
 public:
  WaveClock(Model* model, const WaveOptions& options, const char* top)
      : model_(model), wave_(open_wave(model, options, top)), cycle_now_(options.cycle_now) {}
  ~WaveClock() {
    if (!wave_) return;
    unsigned more = wave_->cycles_after_failure();
    if (more == 0) return;
    model_->contextp()->assertOn(false);
    for (++more; more > 0; --more) {  // with the cycle that failed
      model_->clk_i = 0;
      rise();
    }
  }
  WaveClock(const WaveClock&) = delete;
  WaveClock& operator=(const WaveClock&) = delete;

  // The rising edge that ends `cycle`; inputs are in place, the clock is low.
  void edge(std::uint64_t cycle) {
    next_ = cycle;
    edge();
  }
  void edge() {
    if (!wave_ || model_->rst_ni == 0) {
      model_->clk_i = 1;
      model_->eval();
      if (cycle_now_ != nullptr && model_->rst_ni != 0) count();
      return;
    }
    rise();
    if (model_->contextp()->gotError()) throw std::runtime_error("an assertion of the RTL failed");
    wave_->cycle_ended();
  }

 private:
  void rise() {
    const ReportTo context(model_->contextp());
    model_->eval();
    wave_->dump(next_, 0);
    model_->clk_i = 1;
    model_->eval();
    wave_->dump(next_, 1);
    ++next_;
  }

  // Without a file, as a file counts.
  void count() {
    if (!origin_) origin_ = next_;
    *cycle_now_ = ++next_ - *origin_;
  }

  Model* model_;
  std::unique_ptr<WaveFile> wave_;
  std::uint64_t* cycle_now_;
  std::uint64_t next_ = 0;
  std::optional<std::uint64_t> origin_;
};

// A Verilated block with its context. Scopes of the model enter and leave the thread's current
// context: with several blocks it has to be this one, and none that is destroyed.
template <typename Model>
class RtlModel {
 private:
  struct ThreadContext {
    explicit ThreadContext(VerilatedContext* context) { Verilated::threadContextp(context); }
    ~ThreadContext() { Verilated::threadContextp(Verilated::defaultContextp()); }
  };

 public:
  StartContext context;

 private:
  ThreadContext use_{&context};

 public:
  Model model{&context, "rtl"};

  RtlModel() = default;
  ~RtlModel() {
    Verilated::threadContextp(&context);
    model.final();
    write_rtl_coverage(&context);
  }
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;
};

// The same with a clock.
template <typename Model>
class RtlBlock : public RtlModel<Model> {
 public:
  WaveClock<Model> clock;

  RtlBlock(const WaveOptions& wave, const char* top) : clock(&this->model, wave, top) {}
};

}  // namespace tern::cosim
