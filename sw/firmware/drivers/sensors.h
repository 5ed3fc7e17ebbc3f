// SPDX-License-Identifier: Apache-2.0
// Temperatures, powers, voltages.
#pragma once

#include <stdint.h>

#include "sw/spec/generated/mgmt.h"

uint32_t sensors_count(void);
struct tern_sensor_reading sensors_read(unsigned number);
