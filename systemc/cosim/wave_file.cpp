// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/wave_file.h"

#include <gtkwave/fstapi.h>
#include <unistd.h>
#include <verilated_fst_c.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>

#include "sw/base/user_error.h"

namespace tern::cosim {

namespace {

constexpr std::uint64_t kPicosecondsPerCycle = 1000;
constexpr unsigned kAllLevels = 99;

std::uint64_t signals(const std::string& file) {
  void* reader = fstReaderOpen(file.c_str());
  if (reader == nullptr) return 0;
  const std::uint64_t count = fstReaderGetVarCount(reader);
  fstReaderClose(reader);
  return count;
}

bool reaches(const std::string& file, std::uint64_t time) {
  void* reader = fstReaderOpen(file.c_str());
  if (reader == nullptr) return false;
  const bool whole = fstReaderGetEndTime(reader) == time;
  fstReaderClose(reader);
  return whole;
}

// The FST writer maps its files into memory: where their disk is full, the process gets SIGBUS.
class FullDisk {
 public:
  static void watch(const std::string& partial, const std::string& shown) {
    if (partial.size() >= g_partial.size() || shown.size() >= g_shown.size()) return;
    partial.copy(g_partial.data(), partial.size());
    partial.copy(g_hierarchy.data(), partial.size());
    std::strcpy(g_hierarchy.data() + partial.size(), kHierarchy);
    shown.copy(g_shown.data(), shown.size());
    std::signal(SIGBUS, on_bus_error);
  }
  static void stop_watching() { std::signal(SIGBUS, SIG_DFL); }

 private:
  static constexpr const char* kHierarchy = ".hier";
  static void say(const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody listens
  }
  static void on_bus_error(int) {
    say("tern: ");
    say(g_shown.data());
    say(": write failed: the disk or a limit is full\n");
    unlink(g_partial.data());
    unlink(g_hierarchy.data());
    _exit(1);
  }
  static inline std::array<char, 4096> g_partial{}, g_shown{};
  static inline std::array<char, 4096 + 8> g_hierarchy{};
};

}  // namespace

void WaveFile::Deleter::operator()(VerilatedFstC* fst) const {
  std::default_delete<VerilatedFstC>()(fst);
}

WaveFile::WaveFile(const WaveOptions& options, const std::string& block, const std::string& top)
    : options_(options),
      exceptions_(std::uncaught_exceptions()),
      block_(block),
      top_(top),
      partial_(options.file),
      fst_(std::make_unique<VerilatedFstC>().release()) {}

bool WaveFile::everything() const {
  return options_.scope.empty() && options_.levels >= kAllLevels;
}

void WaveFile::open() {
  if (!everything()) {
    // The clock is always recorded: for the viewer, and because this writer reads past its table of
    // enabled signals unless one of the last ones is enabled.
    fst_->dumpvars(1, block_ + ".clk_i");
    const std::string scope = options_.scope.empty() ? "" : "." + options_.scope;
    fst_->dumpvars(static_cast<int>(options_.levels), block_ + "." + top_ + scope);
  }
  FullDisk::watch(partial_.path(), options_.file);
  fst_->open(partial_.path().c_str());
  partial_.made_anew();
}

void WaveFile::check_scope() {
  // The writer does not report whether a signal has the name: write the signals once and read back
  // how many there are.
  open();
  fst_->dump(std::uint64_t{0});
  fst_->close();
  if (signals(partial_.path()) <= 1) {
    throw UserError("wave scope '" + options_.scope + "': no such instance in the block");
  }
  fst_.reset(std::make_unique<VerilatedFstC>().release());
}

WaveFile::~WaveFile() {
  if (!fst_->isOpen()) return;
  fst_->close();
  FullDisk::stop_watching();
  // A run that failed or was interrupted: what was recorded is worth keeping, but not as the
  // finished file.
  if (std::uncaught_exceptions() > exceptions_) {
    std::fprintf(stderr, "waveform up to the stop: %s\n", partial_.path().c_str());
    partial_.keep();
    return;
  }
  try {
    // The writer does not report failed writes.
    if (!reaches(partial_.path(), last_))
      throw RunError(options_.file + ": write failed: the waveform is incomplete");
    partial_.commit();
  } catch (const RunError& error) {
    std::fprintf(stderr, "tern: %s\n", error.what());
    partial_.keep();
  }
}

void WaveFile::dump(std::uint64_t cycle, unsigned half) {
  if (!origin_) origin_ = cycle;
  const std::uint64_t at = cycle - *origin_;
  if (options_.cycle_now != nullptr) *options_.cycle_now = at;
  if (at < options_.from_cycle || at > options_.to_cycle) return;
  last_ = at * kPicosecondsPerCycle + half * (kPicosecondsPerCycle / 2);
  fst_->dump(last_);
}

void WaveFile::cycle_ended() {
  if (options_.cycle_now != nullptr) ++*options_.cycle_now;
}

unsigned WaveFile::cycles_after_failure() {
  if (std::uncaught_exceptions() <= exceptions_) return 0;
  options_.cycle_now = nullptr;
  return options_.cycles_after_failure;
}

}  // namespace tern::cosim
