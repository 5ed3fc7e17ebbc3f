// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/flash.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

constexpr std::uint32_t kErase = TERN_MGMT_FLASH_KEY | 1, kProgram = TERN_MGMT_FLASH_KEY | 2;
constexpr std::uint8_t kErased = 0xFF;
constexpr unsigned kSlots = 2;

}  // namespace

Flash::Flash(sc_core::sc_module_name name, const sc_core::sc_time& erase,
             const sc_core::sc_time& program)
    : WordDevice(name), erase_(erase), program_(program) {
  bytes_.assign(TERN_MGMT_FLASH_BYTES, kErased);
}

void Flash::fill_slot(unsigned slot, std::string_view image) {
  if (image.size() > TERN_MGMT_FLASH_SLOT)
    throw UserError(fmt::format("an image of {} bytes: a slot of the flash has {}", image.size(),
                                TERN_MGMT_FLASH_SLOT));
  const auto begin = bytes_.begin() + std::ptrdiff_t{slot} * TERN_MGMT_FLASH_SLOT;
  saved_.reset();
  std::fill_n(begin, TERN_MGMT_FLASH_SLOT, kErased);
  std::copy(image.begin(), image.end(), begin);
}

std::uint32_t Flash::word(std::uint64_t offset, const sc_core::sc_time& at) const {
  switch (offset) {
    case TERN_REG_FLASH_ADDRESS:
      return state_.address;
    case TERN_REG_FLASH_DATA:
      return state_.data;
    case TERN_REG_FLASH_STATUS:
      return (at < until_ ? TERN_REG_FLASH_STATUS_BUSY_MASK : 0) |
             (state_.error ? TERN_REG_FLASH_STATUS_ERROR_MASK : 0);
    case TERN_REG_FLASH_PROTECT:
      return state_.protect;
    case TERN_REG_FLASH_SIZE:
      return TERN_MGMT_FLASH_BYTES;
    default:
      return 0;
  }
}

void Flash::set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) {
  switch (offset) {
    case TERN_REG_FLASH_ADDRESS:
      state_.address = value;
      break;
    case TERN_REG_FLASH_DATA:
      state_.data = value;
      break;
    case TERN_REG_FLASH_COMMAND:
      command(value, at);
      break;
    case TERN_REG_FLASH_PROTECT:
      state_.protect |= value & TERN_REG_FLASH_PROTECT_MASK;
      break;
    default:
      break;
  }
}

bool Flash::is_writable(std::uint32_t address) const {
  const std::uint32_t slot = address / TERN_MGMT_FLASH_SLOT;
  const bool is_protected = slot < kSlots && (state_.protect >> slot & 1) != 0;
  return address % 4 == 0 && address < TERN_MGMT_FLASH_BYTES && !is_protected;
}

void Flash::command(std::uint32_t value, const sc_core::sc_time& at) {
  state_.error =
      (value != kErase && value != kProgram) || at < until_ || !is_writable(state_.address);
  if (state_.error) return;
  saved_.reset();
  if (value == kErase) {
    const std::uint32_t sector = state_.address - state_.address % TERN_MGMT_FLASH_SECTOR;
    std::fill_n(bytes_.begin() + sector, TERN_MGMT_FLASH_SECTOR, kErased);
    until_ = at + erase_;
  } else {
    for (unsigned i = 0; i < 4; ++i)
      bytes_[state_.address + i] &= static_cast<std::uint8_t>(state_.data >> 8 * i);
    until_ = at + program_;
  }
}

void Flash::reset() {
  state_.address = state_.data = state_.protect = 0;
  state_.error = false;
  until_ = sc_core::SC_ZERO_TIME;
}

Flash::State Flash::save() const {
  // Snapshots of one content share it.
  if (!saved_) saved_ = std::make_shared<const std::vector<std::uint8_t>>(bytes_);
  State state = state_;
  state.bytes = saved_;
  state.busy = remaining(until_);
  return state;
}

void Flash::restore(const State& state) {
  if (!state.bytes || state.bytes->size() != bytes_.size())
    throw RunError("flash: the snapshot is one of another size");
  // In place: harts have the address of the contents.
  if (state.bytes != saved_) std::copy(state.bytes->begin(), state.bytes->end(), bytes_.begin());
  saved_ = state.bytes;
  state_.address = state.address;
  state_.data = state.data;
  state_.protect = state.protect & TERN_REG_FLASH_PROTECT_MASK;
  state_.error = state.error;
  until_ = sc_core::sc_time_stamp() + state.busy;
}

RegisterDevice::Status FlashWindow::read(std::uint64_t offset, unsigned size,
                                         const sc_core::sc_time&, std::uint64_t& value) {
  for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{flash_.bytes()[offset + i]} << (8 * i);
  return kDone;
}

}  // namespace tern::mgmt
