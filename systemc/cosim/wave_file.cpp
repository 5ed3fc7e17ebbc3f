// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/wave_file.h"

#include <gtkwave/fstapi.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

#include "sw/base/user_error.h"
#include "systemc/wave/full_disk.h"

namespace tern::cosim {

namespace {

constexpr std::uint64_t kPicosecondsPerCycle = 1000;
constexpr unsigned kAllLevels = 99;
// A new file begins with all signals: one for every few cycles would take most of the time.
constexpr std::uint64_t kShortestFile = 10'000'000;  // ps

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

}  // namespace

void WaveFile::Deleter::operator()(VerilatedFstC* fst) const {
  std::default_delete<VerilatedFstC>()(fst);
}

WaveFile::WaveFile(const WaveOptions& options, const std::string& block, const std::string& top,
                   std::function<void(VerilatedFstC*)> attach)
    : options_(options),
      exceptions_(std::uncaught_exceptions()),
      block_(block),
      top_(top),
      attach_(std::move(attach)) {
  if (!options_.time) partial_.emplace(options_.file);
  if (!everything()) check_scope();
  open();
}

bool WaveFile::everything() const {
  return options_.scope.empty() && options_.levels >= kAllLevels;
}

std::string WaveFile::path() const {
  if (partial_) return partial_->path();
  return options_.time->keeps() > 0 ? options_.file + "." + std::to_string(turn_) : options_.file;
}

void WaveFile::open() {
  fst_.reset(std::make_unique<VerilatedFstC>().release());
  attach_(fst_.get());
  if (!everything()) {
    // The clock is always recorded: for the viewer, and because this writer reads past its table of
    // enabled signals unless one of the last ones is enabled.
    fst_->dumpvars(1, block_ + ".clk_i");
    const std::string scope = options_.scope.empty() ? "" : "." + options_.scope;
    fst_->dumpvars(static_cast<int>(options_.levels), block_ + "." + top_ + scope);
  }
  if (partial_) wave::FullDisk::watch(path(), options_.file);
  fst_->open(path().c_str());
  file_begin_.reset();
  if (partial_) partial_->made_anew();
}

void WaveFile::check_scope() {
  // The writer does not report whether a signal has the name: write the signals once and read back
  // how many there are.
  open();
  fst_->dump(std::uint64_t{0});
  fst_->close();
  if (signals(path()) <= 1) {
    throw UserError("wave scope '" + options_.scope + "': no such instance in the block");
  }
}

WaveFile::~WaveFile() {
  if (!fst_->isOpen()) return;
  fst_->close();
  if (!partial_) return;
  wave::FullDisk::stop_watching();
  // A run that failed or was interrupted: what was recorded is worth keeping, but not as the
  // finished file.
  if (std::uncaught_exceptions() > exceptions_) {
    std::fprintf(stderr, "waveform up to the stop: %s\n", partial_->path().c_str());
    partial_->keep();
    return;
  }
  try {
    // The writer does not report failed writes.
    if (!reaches(partial_->path(), last_))
      throw RunError(options_.file + ": write failed: the waveform is incomplete" +
                     wave::no_space_at(partial_->path()));
    partial_->commit();
  } catch (const RunError& error) {
    std::fprintf(stderr, "tern: %s\n", error.what());
    partial_->keep();
  }
}

void WaveFile::dump(std::uint64_t cycle, unsigned half) {
  if (options_.time) return dump_part(cycle, half);
  if (!origin_) origin_ = cycle;
  const std::uint64_t at = cycle - *origin_;
  if (options_.cycle_now != nullptr) *options_.cycle_now = at;
  if (at < options_.from_cycle || at > options_.to_cycle) return;
  last_ = at * kPicosecondsPerCycle + half * (kPicosecondsPerCycle / 2);
  fst_->dump(last_);
}

void WaveFile::dump_part(std::uint64_t cycle, unsigned half) {
  const std::uint64_t at = std::max(options_.time->at(cycle, half), last_);
  if (!options_.time->records(at)) return;
  const std::uint64_t keeps = options_.time->keeps();
  if (keeps > 0 && file_begin_ && at - *file_begin_ > std::max(keeps, kShortestFile)) {
    fst_->close();
    turn_ = 1 - turn_;
    open();
  }
  if (!file_begin_) file_begin_ = at;
  last_ = at;
  fst_->dump(at);
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
