// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// The register by which software ends or restarts the machine (sifive,test1). README.md.
class Finisher : public RegisterDevice {
 public:
  enum class Kind : std::uint8_t { kNone, kPass, kFail, kReset };
  struct Request {
    Kind kind = Kind::kNone;
    std::uint16_t code = 0;  // of kFail
    sc_core::sc_time at;     // of the hart that wrote it
  };
  // Called in the middle of the write. It must not end the calling process; sc_stop() is fine.
  using Handler = std::function<void(const Request& request)>;

  struct State {
    Request last;
  };

  Finisher(sc_core::sc_module_name name, Handler handler);

  // The newest request; kNone: there was none.
  const Request& last() const { return state_.last; }

  void reset() { state_ = {}; }
  State save() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
              std::uint64_t& value) override;
  Status write(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
               std::uint64_t value) override;
  std::uint64_t peek(std::uint64_t) const override { return 0; }

  const Handler handler_;
  State state_;
};

}  // namespace tern::mgmt
