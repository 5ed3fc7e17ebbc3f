// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/wave_file.h"

#include <gtkwave/fstapi.h>
#include <verilated_fst_c.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
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

}  // namespace

void WaveFile::Deleter::operator()(VerilatedFstC* fst) const {
  std::default_delete<VerilatedFstC>()(fst);
}

WaveFile::WaveFile(const WaveOptions& options, const std::string& block, const std::string& top)
    : options_(options),
      block_(block),
      top_(top),
      partial_(options.file + ".partial"),
      fst_(std::make_unique<VerilatedFstC>().release()) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(options.file, ignored);
  // The finished file would replace a device or a link.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UserError(options.file + ": cannot write the wave file: not a regular file");
  // The FST writer does not report that it cannot write.
  if (!std::ofstream(partial_)) throw UserError(options.file + ": cannot write the wave file");
}

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
  fst_->open(partial_.c_str());
}

void WaveFile::check_scope() {
  // The writer does not report whether a signal has the name: write the signals once and read back
  // how many there are.
  open();
  fst_->dump(std::uint64_t{0});
  fst_->close();
  if (signals(partial_) <= 1) {
    std::remove(partial_.c_str());
    throw UserError("wave scope '" + options_.scope + "': no such instance in the block");
  }
  fst_.reset(std::make_unique<VerilatedFstC>().release());
}

WaveFile::~WaveFile() {
  if (!fst_->isOpen()) return;
  fst_->close();
  // A run that failed or was interrupted: what was recorded is worth keeping, but not as the
  // finished file.
  if (std::uncaught_exceptions() > 0) {
    std::fprintf(stderr, "waveform up to the stop: %s\n", partial_.c_str());
    return;
  }
  if (std::rename(partial_.c_str(), options_.file.c_str()) != 0) {
    std::fprintf(stderr, "%s: cannot rename %s\n", options_.file.c_str(), partial_.c_str());
  }
}

void WaveFile::dump(std::uint64_t cycle, unsigned half) {
  if (!origin_) origin_ = cycle;
  const std::uint64_t at = cycle - *origin_;
  if (at < options_.from_cycle || at > options_.to_cycle) return;
  fst_->dump(at * kPicosecondsPerCycle + half * (kPicosecondsPerCycle / 2));
}

}  // namespace tern::cosim
