// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/link.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_LINK_H
#define TERN_SPEC_LINK_H

#include <stdint.h>

// traffic classes
#define TERN_LINK_CLASSES 4u
// double words of packets in a flit
#define TERN_LINK_TLP_DWORDS 59u
// bytes of the link-layer field
#define TERN_LINK_DLP_BYTES 6u
// bytes of the CRC
#define TERN_LINK_CRC_BYTES 8u
// bytes of the error correction
#define TERN_LINK_FEC_BYTES 6u
// of a packet's header; the first is the link's
#define TERN_LINK_HEAD_DWORDS 4u
// double words of data of a packet, at most
#define TERN_LINK_MAX_DATA 64u
// double words of a data credit
#define TERN_LINK_DATA_CREDIT_DWORDS 4u

// cycles between two slots of a direction, at least
#define TERN_LINK_FLIT_CYCLES 4u
// flits kept, a power of two up to 256
#define TERN_LINK_REPLAY_DEPTH 128u
// slots in which a repeated nak is an old one
#define TERN_LINK_ROUND_TRIP 256u
// naks in vain, until the link asks for training
#define TERN_LINK_MAX_REPLAYS 4u
// bad slots in sequence, likewise
#define TERN_LINK_MAX_BAD 16u
// packets in the buffer of a class
#define TERN_LINK_HEAD_CREDITS 127u
// units of 16 bytes in the buffer of a class
#define TERN_LINK_DATA_CREDITS 2032u
// lanes that carry a flit, a power of two
#define TERN_LINK_LANES 64u
// spare lanes
#define TERN_LINK_SPARES 16u

#define TERN_LINK_CRC_POLYNOMIAL 0x42f0e1eba9ea3693u

// Link-layer field, first double word of a packet
#define TERN_LINK_DLP_USAGE_LSB 0u
#define TERN_LINK_DLP_USAGE_WIDTH 2u
#define TERN_LINK_DLP_PRIOR_LSB 2u
#define TERN_LINK_DLP_PRIOR_WIDTH 1u
#define TERN_LINK_DLP_COMMAND_LSB 3u
#define TERN_LINK_DLP_COMMAND_WIDTH 2u
#define TERN_LINK_DLP_SEQUENCE_NUMBER_LSB 5u
#define TERN_LINK_DLP_SEQUENCE_NUMBER_WIDTH 10u
#define TERN_LINK_DLP_ZERO_LOW_LSB 15u
#define TERN_LINK_DLP_ZERO_LOW_WIDTH 1u
#define TERN_LINK_DLP_CLS_LSB 16u
#define TERN_LINK_DLP_CLS_WIDTH 2u
#define TERN_LINK_DLP_KIND_LSB 18u
#define TERN_LINK_DLP_KIND_WIDTH 6u
#define TERN_LINK_DLP_HEAD_CREDITS_LSB 24u
#define TERN_LINK_DLP_HEAD_CREDITS_WIDTH 8u
#define TERN_LINK_DLP_DATA_CREDITS_LSB 32u
#define TERN_LINK_DLP_DATA_CREDITS_WIDTH 12u
#define TERN_LINK_DLP_ZERO_HIGH_LSB 44u
#define TERN_LINK_DLP_ZERO_HIGH_WIDTH 4u
#define TERN_LINK_START_DWORDS_LSB 0u
#define TERN_LINK_START_DWORDS_WIDTH 7u
#define TERN_LINK_START_ZERO_LOW_LSB 7u
#define TERN_LINK_START_ZERO_LOW_WIDTH 1u
#define TERN_LINK_START_CLS_LSB 8u
#define TERN_LINK_START_CLS_WIDTH 2u
#define TERN_LINK_START_ZERO_HIGH_LSB 10u
#define TERN_LINK_START_ZERO_HIGH_WIDTH 21u
#define TERN_LINK_START_VALID_LSB 31u
#define TERN_LINK_START_VALID_WIDTH 1u

#define TERN_LINK_USAGE_IDLE 0u
#define TERN_LINK_USAGE_NOP 1u
#define TERN_LINK_USAGE_PAYLOAD 2u
#define TERN_LINK_COMMAND_EXPLICIT 0u
#define TERN_LINK_COMMAND_ACK 1u
#define TERN_LINK_COMMAND_NAK 2u
#define TERN_LINK_KIND_INIT_FIRST 16u
#define TERN_LINK_KIND_UPDATE 32u
#define TERN_LINK_KIND_INIT_SECOND 48u

#endif
