// SPDX-License-Identifier: Apache-2.0
// Which control and status registers exist, and who may access them.
#include "systemc/riscv/csr_file.h"

namespace tern::riscv {

using csr::between;

bool CsrFile::exists(unsigned number) const {
  const bool narrow = config_.xlen == 32;
  if (between(number, csr::kFflags, csr::kFcsr)) return config_.floats;
  if (between(number, csr::kPmpcfg0, csr::kPmpcfg3))
    return config_.pmp_entries != 0 && (narrow || number % 2 == 0);
  if (between(number, csr::kPmpaddr0, csr::kPmpaddr15)) return config_.pmp_entries != 0;
  if (between(number, csr::kMhpmevent3, csr::kMhpmevent31)) return true;
  if (between(number, csr::kMcycle, csr::kMhpmcounter31)) return number != csr::kMcycle + 1;
  if (between(number, csr::kMcycleh, csr::kMhpmcounter31h))
    return narrow && number != csr::kMcycleh + 1;
  if (between(number, csr::kCycle, csr::kHpmcounter31)) return true;
  if (between(number, csr::kCycleh, csr::kHpmcounter31h)) return narrow;
  switch (number) {
    case csr::kSstatus:
    case csr::kSie:
    case csr::kStvec:
    case csr::kScounteren:
    case csr::kSenvcfg:
    case csr::kSscratch:
    case csr::kSepc:
    case csr::kScause:
    case csr::kStval:
    case csr::kSip:
    case csr::kSatp:
    case csr::kMedeleg:
    case csr::kMideleg:
      return config_.supervisor;
    case csr::kMcounteren:
    case csr::kMenvcfg:
      return config_.user;
    case csr::kMenvcfgh:
      return config_.user && narrow;
    case csr::kMstatush:
      return narrow;
    case csr::kMstatus:
    case csr::kMisa:
    case csr::kMie:
    case csr::kMtvec:
    case csr::kMcountinhibit:
    case csr::kMscratch:
    case csr::kMepc:
    case csr::kMcause:
    case csr::kMtval:
    case csr::kMip:
    case csr::kMvendorid:
    case csr::kMarchid:
    case csr::kMimpid:
    case csr::kMhartid:
    case csr::kMconfigptr:
      return true;
    default:
      return false;
  }
}

bool CsrFile::counter_allowed(unsigned number, Privilege mode) const {
  const std::uint64_t bit = std::uint64_t{1} << (number & 31);
  if (mode != Privilege::kMachine && config_.user && (state.mcounteren & bit) == 0) return false;
  return mode != Privilege::kUser || !config_.supervisor || (state.scounteren & bit) != 0;
}

bool CsrFile::allowed(unsigned number, Privilege mode, bool write) const {
  if (!exists(number)) return false;
  if (static_cast<unsigned>(mode) < ((number >> 8) & 3)) return false;
  if (write && (number >> 10) == 3) return false;
  if (between(number, csr::kFflags, csr::kFcsr)) return (state.mstatus & csr::kFs) != 0;
  if (between(number, csr::kCycle, csr::kHpmcounter31h)) return counter_allowed(number, mode);
  if (number == csr::kSatp && mode == Privilege::kSupervisor)
    return (state.mstatus & csr::kTvm) == 0;
  return true;
}

}  // namespace tern::riscv
