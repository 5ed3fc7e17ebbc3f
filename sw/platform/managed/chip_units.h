// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <systemc>
#include <vector>

#include "systemc/chip/chip.h"
#include "systemc/mgmt/domain/chip_control.h"

namespace tern {

// The units of a chip as its management core controls them: cores are held in reset until it
// releases them, HBM stacks refuse accesses until they are trained, errors of cores, DMA and memory
// go to its registers. Times and failures of training are the configuration's.
class ChipUnits : public sc_core::sc_module, public mgmt::ChipControl {
 public:
  // Throws UserError if the management domain cannot control so many units.
  ChipUnits(sc_core::sc_module_name name, Chip& chip, const mgmt::DomainConfig& config);

  unsigned hbm_stacks() const override { return chip_.hbm().stacks(); }
  unsigned cores() const override { return chip_.cores(); }
  unsigned dies() const override { return chip_.noc().topology().dies(); }
  unsigned links() const override { return config_.links; }
  bool has_unit(unsigned unit) const override;
  void forget_training() override;
  Attempt train(unsigned unit, std::uint32_t attempt) override;
  sc_core::sc_time start_core(unsigned core) override;
  void hold_core(unsigned core) override;

  // For a snapshot of the chip.
  void archive_state(base::StateArchive& archive);

 private:
  SC_HAS_PROCESS(ChipUnits);
  void arrive(const ChipFault& fault);
  // Whether a spare row is left for this burst.
  bool repairs(unsigned stack, std::uint64_t address);
  void look_for_hangs();
  // Changes whenever the core gets anything done.
  std::uint64_t progress_of(unsigned core) const;
  // What becomes ready now.
  void update();
  void schedule();
  static void archive_due(base::StateArchive& archive, std::optional<sc_core::sc_time>& due);

  // When it becomes ready; harts are ahead of the simulation by up to a quantum.
  using Due = std::optional<sc_core::sc_time>;

  Chip& chip_;
  const mgmt::DomainConfig config_;
  std::vector<Due> stacks_, cores_;
  std::vector<std::set<std::uint64_t>> repairs_;  // of each stack: bursts, for the next training
  std::vector<unsigned> repaired_;                // of each stack: rows used up
  struct Progress {
    std::uint64_t seen = 0;
    bool reported = false;
  };
  std::vector<Progress> progress_;  // of each core
  sc_core::sc_event due_;
};

}  // namespace tern
