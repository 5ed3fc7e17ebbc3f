// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/wave_file.h"

#include <verilated_fst_c.h>

#include <cstdio>
#include <fstream>

#include "systemc/config/user_error.h"

namespace tern::cosim {

namespace {
constexpr std::uint64_t kPicosecondsPerCycle = 1000;
}

void WaveFile::Deleter::operator()(VerilatedFstC* fst) const {
  std::default_delete<VerilatedFstC>()(fst);
}

WaveFile::WaveFile(const WaveOptions& options)
    : options_(options), partial_(options.file + ".partial"), fst_(new VerilatedFstC) {
  // The FST writer does not report that it cannot write.
  if (!std::ofstream(partial_)) throw UserError(options.file + ": cannot write the wave file");
}

void WaveFile::open(const std::string& top) {
  if (!options_.scope.empty() || options_.levels < 99) {
    const std::string scope = options_.scope.empty() ? "" : "." + options_.scope;
    fst_->dumpvars(static_cast<int>(options_.levels), top + scope);
  }
  fst_->open(partial_.c_str());
}

WaveFile::~WaveFile() {
  fst_->close();
  if (std::rename(partial_.c_str(), options_.file.c_str()) != 0) {
    std::fprintf(stderr, "%s: cannot rename %s\n", options_.file.c_str(), partial_.c_str());
  }
}

void WaveFile::dump(std::uint64_t cycle, unsigned half) {
  if (cycle < options_.from_cycle || cycle > options_.to_cycle) return;
  fst_->dump(cycle * kPicosecondsPerCycle + half * (kPicosecondsPerCycle / 2));
}

}  // namespace tern::cosim
