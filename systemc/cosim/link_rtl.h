// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/config/wave_options.h"
#include "systemc/link/flit/data_link.h"

namespace tern {

// Sizes in which one end of a link is Verilated: the options' defaults, or buffers that are often
// full.
enum class LinkSize { kFull, kSmall };

flit::LinkOptions link_options(LinkSize size);

// One end of a link as RTL, out of reset. wave: a waveform if its file is not empty.
std::unique_ptr<flit::DataLink> make_link_rtl(LinkSize size, const WaveOptions& wave = {});

}  // namespace tern
