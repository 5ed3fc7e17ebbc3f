// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/dma.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_DMA_H
#define TERN_SPEC_DMA_H

#include <stdint.h>

// bytes of a beat: what a port moves in a cycle; a line of a buffer; a row of a transpose's block
#define TERN_DMA_BEAT_BYTES 64u
// a request never crosses a multiple of it
#define TERN_DMA_BURST_BYTES 1024u
// per ring, in the prefetch buffer
#define TERN_DMA_PREFETCH_PAIRS 128u
// most pairs of one fetch
#define TERN_DMA_FETCH_PAIRS 64u
// most pairs of a packet, pattern slots included
#define TERN_DMA_MAX_PACKET_PAIRS 64u
// lines of the read buffer (32 KiB)
#define TERN_DMA_READ_LINES 512u
// lines of writes under way
#define TERN_DMA_WRITE_LINES 512u
// requests under way, of reads and of writes
#define TERN_DMA_TAGS 64u
// packets dispatched and not complete
#define TERN_DMA_PACKETS 64u
// most sources of an operation
#define TERN_DMA_SOURCES 16u
// elements of a block of an operation
#define TERN_DMA_BLOCK_ELEMENTS 256u
// packets dispatched and not read out by `dma_target`
#define TERN_DMA_TARGET_PACKETS 16u
// target pieces that wait for the mover
#define TERN_DMA_TARGET_PIECES 8u
// a beat that enters the mover in t is on the write port in t + 4
#define TERN_DMA_MOVER_STAGES 4u
// immediates that entered the mover and are not yet on the write port
#define TERN_DMA_IMMEDIATES 16u

// What software chooses
// a packet ends here: other rings get their turn
#define TERN_DMA_PACKET_BYTES 16384u
// or here
#define TERN_DMA_PAIRS_PER_PACKET 32u
// a row is not cut finer: the cost per descriptor would outweigh it
#define TERN_DMA_SMALLEST_PIECE 512u
// a packet of an operation: bytes of its widest side
#define TERN_DMA_COMPUTE_BYTES 4096u
// most blocks of a packet that transposes
#define TERN_DMA_TRANSPOSE_BLOCKS 8u

#endif
