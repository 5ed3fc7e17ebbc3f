// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "systemc/fabric/transport.h"

namespace tern::fabric {

// What the channels of a network have done so far. Channel 2 * link goes from the link's end a to
// b, the next one back.
struct ChannelActivity {
  std::vector<Time> busy;     // with what it carried, replays included; of level ideal: empty
  std::vector<Time> stalled;  // idle, with data that waits for credits; only of level packet
};

ChannelActivity channel_activity(const Transport& transport);

}  // namespace tern::fabric
