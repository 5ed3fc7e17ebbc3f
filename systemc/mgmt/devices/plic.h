// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// Platform-level interrupt controller. A context is a hart in a mode: 2 h is hart h in M mode, and
// 2 h + 1 in S mode. README.md.
class Plic : public RegisterDevice {
 public:
  static constexpr unsigned kMaxSources = 1023, kMaxHarts = 4095;
  // Called when the level of a context's line changes; after reset() and restore() in any case.
  using Line = std::function<void(unsigned context, bool level)>;

  struct Config {
    unsigned sources = 95;  // 1 to kMaxSources
    unsigned harts = 1;
  };
  // Sources in bits: source i is bit i % 32 of word i / 32; bit 0 of word 0 is 0.
  using Sources = std::vector<std::uint32_t>;
  struct Context {
    Sources enabled;
    std::uint8_t threshold = 0;
  };
  struct State {
    std::vector<std::uint8_t> priorities;  // by source; entry 0 is 0
    Sources inputs;                        // levels
    Sources pending, in_service;           // in_service: claimed, not complete
    std::vector<Context> contexts;
  };

  // Throws UserError.
  Plic(sc_core::sc_module_name name, const Config& config, Line line);

  // The level of a source, 1 to Config::sources.
  void set_level(unsigned source, bool level);

  void reset();
  State save() const { return state_; }
  // Throws RunError for a state of another configuration.
  void restore(const State& state);

 private:
  Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
              std::uint64_t& value) override;
  Status write(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
               std::uint64_t value) override;
  std::uint64_t peek(std::uint64_t offset) const override;

  std::uint32_t existing(std::uint64_t word) const;
  void write_context(std::uint64_t offset, std::uint32_t value);
  unsigned best(const Context& context, unsigned above) const;
  void complete(const Context& context, std::uint32_t source);
  void update(bool always = false);

  const Config config_;
  const Line line_;
  State state_;
  std::vector<bool> levels_;  // of the lines
};

}  // namespace tern::mgmt
