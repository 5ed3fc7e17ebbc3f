// SPDX-License-Identifier: Apache-2.0
// Whether a slot holds an image that may run.
#pragma once

#include <stdint.h>

#include "sw/spec/generated/mgmt.h"

// The security version that a slot claims, to choose an order; nothing is checked. 0: no manifest.
uint32_t verify_claimed_version(unsigned slot);

// Checks the slot's manifest and signature, copies the payload to memory and checks it there.
// Returns TERN_BOOT_ERROR_..., and the manifest for TERN_BOOT_ERROR_NONE. After any other result
// memory holds nothing of the payload.
uint32_t verify_slot(unsigned slot, struct tern_manifest* manifest);
