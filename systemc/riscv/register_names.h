// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/riscv/csr_numbers.h"

namespace tern::riscv {

// By their use in the calling convention.
inline constexpr const char* kIntegerNames[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                                "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                                "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                                "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
inline constexpr const char* kFloatNames[] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

struct NamedCsr {
  unsigned number;
  const char* name;
};
inline constexpr NamedCsr kFloatCsrs[] = {
    {csr::kFflags, "fflags"}, {csr::kFrm, "frm"}, {csr::kFcsr, "fcsr"}};
// The others that a hart has, without those that are numbered.
inline constexpr NamedCsr kNamedCsrs[] = {{csr::kSstatus, "sstatus"},
                                          {csr::kSie, "sie"},
                                          {csr::kStvec, "stvec"},
                                          {csr::kScounteren, "scounteren"},
                                          {csr::kSenvcfg, "senvcfg"},
                                          {csr::kSscratch, "sscratch"},
                                          {csr::kSepc, "sepc"},
                                          {csr::kScause, "scause"},
                                          {csr::kStval, "stval"},
                                          {csr::kSip, "sip"},
                                          {csr::kSatp, "satp"},
                                          {csr::kMstatus, "mstatus"},
                                          {csr::kMisa, "misa"},
                                          {csr::kMedeleg, "medeleg"},
                                          {csr::kMideleg, "mideleg"},
                                          {csr::kMie, "mie"},
                                          {csr::kMtvec, "mtvec"},
                                          {csr::kMcounteren, "mcounteren"},
                                          {csr::kMenvcfg, "menvcfg"},
                                          {csr::kMstatush, "mstatush"},
                                          {csr::kMcountinhibit, "mcountinhibit"},
                                          {csr::kMscratch, "mscratch"},
                                          {csr::kMepc, "mepc"},
                                          {csr::kMcause, "mcause"},
                                          {csr::kMtval, "mtval"},
                                          {csr::kMip, "mip"},
                                          {csr::kMcycle, "mcycle"},
                                          {csr::kMinstret, "minstret"},
                                          {csr::kMcycleh, "mcycleh"},
                                          {csr::kMinstreth, "minstreth"},
                                          {csr::kCycle, "cycle"},
                                          {csr::kTime, "time"},
                                          {csr::kInstret, "instret"},
                                          {csr::kCycleh, "cycleh"},
                                          {csr::kTimeh, "timeh"},
                                          {csr::kInstreth, "instreth"},
                                          {csr::kMvendorid, "mvendorid"},
                                          {csr::kMarchid, "marchid"},
                                          {csr::kMimpid, "mimpid"},
                                          {csr::kMhartid, "mhartid"}};

}  // namespace tern::riscv
