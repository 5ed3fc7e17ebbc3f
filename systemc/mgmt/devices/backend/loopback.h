// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/mgmt/devices/backend/host_file.h"

namespace tern::mgmt {

// A listening TCP socket of this host alone (127.0.0.1), non-blocking. port: 0 for any free one;
// then the one that was chosen. Throws UserError "WHO: port N: reason".
HostFile listen_on_loopback(std::uint16_t* port, const char* who);
// The next client, non-blocking, its bytes sent without delay; none waits: an empty one.
HostFile accept_on_loopback(const HostFile& listener);

}  // namespace tern::mgmt
