// SPDX-License-Identifier: Apache-2.0
// Snapshots of a chip at rest.
#include <fmt/format.h>

#include "sw/config/rtl_blocks.h"
#include "systemc/chip/chip.h"

namespace tern {

namespace {

// From the registers of a core to its bit in irq, over signals.
constexpr unsigned kInterruptDeltas = 4;

std::string rtl_in(const ChipConfig& config) {
  for (const RtlBlock& block : kRtlBlocks) {
    const auto& backends = config.*block.place;
    for (unsigned core = 0; core < backends.size(); ++core) {
      if (backends[core] != Backend::kModel)
        return fmt::format("core{}: its {} in RTL, of which no state can be saved", core,
                           block.what);
    }
  }
  return {};
}

}  // namespace

std::string Chip::in_flight() {
  if (const std::string rtl = rtl_in(config_); !rtl.empty()) return rtl;
  for (unsigned n = 0; n < cores(); ++n) {
    const std::string what = cores_[n]->in_flight();
    if (!what.empty()) return fmt::format("core{}: {}", n, what);
  }
  if (host_port_.in_flight() != 0) return "an access of the host";
  if (links_ && links_->in_flight() != 0) return "an access of another chip, or to one";
  if (!bus_master_.idle()) return "an access to the host's memory";
  if (!noc_.quiet()) return fmt::format("the network: {} accesses", noc_.in_flight());
  if (const auto stack = hbm_.busy_stack())
    return fmt::format("hbm{}: requests, or stores that wait for their banks", *stack);
  if (!messages_.idle()) return "a message interrupt";
  return {};
}

void Chip::archive_state(base::StateArchive& archive) {
  archive.section("chip");
  archive.constant(cores());
  archive.constant(hbm_.stacks());
  archive.section(management_ != nullptr ? "management core" : "no management core");
  if (archive.restores()) messages_.disable();
  for (const auto& core : cores_) core->archive_state(archive);
  noc_.archive_state(archive);
  hbm_.archive_state(archive);
  host_link_.archive_state(archive);
  host_port_.archive_state(archive);
  bus_master_.archive_state(archive);
  health_->archive_state(archive);
  if (management_ != nullptr) management_->archive_state(archive);
  for (unsigned i = 0; i < kInterruptDeltas; ++i) sc_core::wait(sc_core::SC_ZERO_TIME);
  messages_.archive_state(archive);
}

}  // namespace tern
