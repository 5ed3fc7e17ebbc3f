// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/managed/managed_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/platform/managed/own_firmware.h"
#include "sw/spec/generated/registers.h"
#include "systemc/mgmt/board/snapshot_file.h"

namespace tern {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

const mgmt::DomainConfig& domain_of(const mgmt::BoardConfig& board) {
  if (!board.management)
    throw UserError(fmt::format(
        "the board {} has no management domain, which the board of a chip needs", board.name));
  return *board.management;
}

}  // namespace

ManagedChip::ManagedChip(const std::string& name, Chip& chip, const mgmt::BoardConfig& board,
                         mgmt::BoardImages images, mgmt::UartBackend* uart)
    : identity_(mgmt::identity(board, images)),
      units_((name + "_units").c_str(), chip, domain_of(board)),
      board_((name + "_board").c_str(), board, std::move(images), uart, &units_),
      phase_changed_((name + "_phase").c_str()) {
  board_.join_simulation();
  // Harts are ahead of the simulation.
  board_.domain()->control().set_phase_handler([this](std::uint32_t phase, const sc_time& at) {
    reports_.push_back({phase, at});
    phase_changed_.notify(at > sc_time_stamp() ? at - sc_time_stamp() : sc_core::SC_ZERO_TIME);
  });
  chip.attach_management(this);
  board_.domain()->mailbox().set_host_line(
      [&chip](bool level) { chip.messages().set_level(MessageInterrupts::kMailbox, level); });
}

std::uint32_t ManagedChip::phase() {
  for (; !reports_.empty() && reports_.front().at <= sc_time_stamp(); reports_.pop_front())
    phase_ = reports_.front().phase;
  return phase_;
}

std::uint32_t ManagedChip::wait_ready(const sc_time& limit) {
  const sc_time end = sc_time_stamp() + limit;
  for (;;) {
    const std::uint32_t now = phase();
    if (now == TERN_PHASE_READY || now == TERN_PHASE_DEGRADED) return now;
    const auto failed = [&](const std::string& what) {
      throw RunError(fmt::format("the management core: {}, in phase '{}', boot error 0x{:04x}",
                                 what, phase_name(now), board_.domain()->control().boot_error()));
    };
    if (now == TERN_PHASE_SHUTDOWN) failed("no image boots");
    if (board_.stopped().kind != mgmt::BoardStop::Kind::kNone) failed("its firmware has stopped");
    if (sc_time_stamp() >= end)
      failed(fmt::format("not ready after {:g} ms", limit.to_seconds() * 1e3));
    sc_core::wait(end - sc_time_stamp(), phase_changed_.default_event());
  }
}

// Harts are ahead of the simulation: what they have reported may be one of the near future.
void ManagedChip::archive_state(base::StateArchive& archive) {
  constexpr std::size_t kMostReports = 1024, kMostIdentity = 4096;
  archive.section("board");
  std::string identity = identity_;
  archive.text(identity, kMostIdentity);
  if (identity != identity_)
    throw UserError("a snapshot of another board or firmware: " + base::printable(identity));
  const mgmt::BoardConfig& config = board_.config();
  std::string bytes;
  if (!archive.restores()) bytes = mgmt::pack(board_.save());
  archive.text(bytes, mgmt::most_packed_bytes(config));
  if (archive.restores()) board_.restore(mgmt::unpack(bytes, config));
  units_.archive_state(archive);

  const std::uint64_t now = sc_time_stamp().value();
  phase();
  archive.number(phase_);
  reports_.resize(archive.size(reports_.size(), kMostReports));
  if (archive.restores()) phase_changed_.cancel_all();
  for (Report& report : reports_) {
    std::uint64_t at = std::max(std::uint64_t{report.at.value()}, now);
    archive.number(report.phase);
    archive.number(at, now, now + config.quantum_fs());
    report.at = sc_time::from_value(at);
    if (archive.restores()) phase_changed_.notify(report.at - sc_time_stamp());
  }
}

bool ManagedChip::read(std::uint64_t offset, std::uint32_t* value) {
  mgmt::Mailbox& mailbox = board_.domain()->mailbox();
  if (offset == TERN_REG_CHIP_FIRMWARE_PHASE) {
    *value = phase();
  } else if (offset == TERN_REG_CHIP_MAILBOX_STATUS) {
    *value = mailbox.host_status();
  } else if (offset >= TERN_REG_CHIP_MAILBOX_RESPONSE && offset < TERN_REG_CHIP_MAILBOX_STATUS) {
    *value =
        mailbox.host_read(static_cast<unsigned>((offset - TERN_REG_CHIP_MAILBOX_RESPONSE) / 4));
  } else {
    return false;
  }
  return true;
}

bool ManagedChip::write(std::uint64_t offset, std::uint32_t value) {
  mgmt::Mailbox& mailbox = board_.domain()->mailbox();
  if (offset >= TERN_REG_CHIP_MAILBOX_REQUEST && offset < TERN_REG_CHIP_MAILBOX_RESPONSE) {
    mailbox.host_write(static_cast<unsigned>((offset - TERN_REG_CHIP_MAILBOX_REQUEST) / 4), value);
  } else if (offset == TERN_REG_CHIP_MAILBOX_DOORBELL && value <= 1) {
    if (value == 1) mailbox.host_ring();
  } else if (offset == TERN_REG_CHIP_MAILBOX_TAKE && value <= 1) {
    if (value == 1) mailbox.host_take();
  } else {
    return false;
  }
  return true;
}

}  // namespace tern
