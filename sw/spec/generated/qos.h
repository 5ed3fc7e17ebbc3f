// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/{dma,registers}.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_QOS_H
#define TERN_SPEC_QOS_H

#include <stdint.h>

// traffic classes; 0 is the most urgent
#define TERN_QOS_CLASSES 4u
// of a share
#define TERN_QOS_RATE_BITS 16u
// of the depth of a bucket in bytes
#define TERN_QOS_DEPTH_BITS 20u
// a share counts 2^-FractionBits byte per cycle
#define TERN_QOS_FRACTION_BITS 8u
// a packet is charged by fewer than 2^ChargeBits bytes
#define TERN_QOS_CHARGE_BITS 23u

#endif
