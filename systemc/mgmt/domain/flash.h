// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// Two image slots and a data area. This is the register page; FlashWindow is for reads. README.md.
class Flash : public WordDevice {
 public:
  struct State {
    std::shared_ptr<const std::vector<std::uint8_t>> bytes;  // TERN_MGMT_FLASH_BYTES
    std::uint32_t address = 0, data = 0, protect = 0;
    bool error = false;
    sc_core::sc_time busy;  // from now on
  };

  // Times of a command. The flash is erased.
  Flash(sc_core::sc_module_name name, const sc_core::sc_time& erase,
        const sc_core::sc_time& program);

  // As a programmer does it before the board is powered: an image at the start of a slot. Throws
  // UserError for one that has no room.
  void fill_slot(unsigned slot, std::string_view image);
  // Inverts a bit, 0 to 7 of a byte; for fault injection.
  void flip_bit(std::uint32_t offset, unsigned bit) {
    bytes_.at(offset) ^= static_cast<std::uint8_t>(1u << bit);
    saved_.reset();
  }
  // The contents, for harts that read without transactions.
  std::uint8_t* data() { return bytes_.data(); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  // Contents stay.
  void reset();
  State save() const;
  // Throws RunError for other sizes.
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
  void command(std::uint32_t value, const sc_core::sc_time& at);
  bool is_writable(std::uint32_t address) const;

  const sc_core::sc_time erase_, program_;
  std::vector<std::uint8_t> bytes_;
  State state_;                                                     // but for its bytes
  sc_core::sc_time until_;                                          // busy
  mutable std::shared_ptr<const std::vector<std::uint8_t>> saved_;  // as they are; null: of old
};

// The contents of a flash on the bus.
class FlashWindow : public RegisterDevice {
 public:
  FlashWindow(sc_core::sc_module_name name, const Flash& flash)
      : RegisterDevice(name, 1 + 2 + 4 + 8, TERN_MGMT_FLASH_BYTES), flash_(flash) {}

 private:
  Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
              std::uint64_t& value) override;
  Status write(std::uint64_t, unsigned, const sc_core::sc_time&, std::uint64_t) override {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  std::uint64_t peek(std::uint64_t offset) const override { return flash_.bytes()[offset]; }

  const Flash& flash_;
};

}  // namespace tern::mgmt
