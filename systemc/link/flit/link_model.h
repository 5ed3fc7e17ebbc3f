// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "systemc/link/flit/credits.h"
#include "systemc/link/flit/data_link.h"
#include "systemc/link/flit/lane_map.h"
#include "systemc/link/flit/numbering.h"
#include "systemc/link/flit/packing.h"

namespace tern::flit {

// The model of rtl/link/link_port.sv, equal to it in every output and cycle.
class LinkModel final : public DataLink {
 public:
  explicit LinkModel(const LinkOptions& options = {});

  const LinkOutputs& cycle(const LinkInputs& inputs) override;
  // Everything taken has been acknowledged.
  bool idle() const { return packer_.empty() && replay_.empty(); }

 private:
  struct Checked {
    FlitBytes flit{};
    bool good = false;
  };

  void receive();
  void send(const LinkInputs& inputs);
  void train(const LinkInputs& inputs);

  LaneMap map_;
  bool running_ = false;
  Packer packer_;
  Unpacker unpacker_;
  Replay replay_;
  Sequence sequence_;
  Credits credits_;
  bool prior_ = false;
  // Stages of the two pipelines.
  std::optional<FlitBytes> body_, flit_;
  std::optional<LaneWords> lanes_;
  std::optional<Checked> received_, checked_;
  // Of this cycle.
  std::optional<Dlp> good_;
  LinkOutputs outputs_;
};

}  // namespace tern::flit
