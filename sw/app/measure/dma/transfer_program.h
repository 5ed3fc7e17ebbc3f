// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::app {

enum class TransferPath { kHbmToSbuf, kSbufToHbm, kSbufToSbuf };

const char* transfer_path_name(TransferPath path);  // "hbm-sbuf"

// Who makes the descriptors: the host before the run; during it the generators of the Sync and the
// Scalar queue, or GpSimd.
enum class DescriptorMaker { kHost, kHardware, kSoftware };

const char* descriptor_maker_name(DescriptorMaker maker);  // "host"

// A series of equal transfers: a tile [8 * engines partitions, bytes], engine p / 8 serves
// partition p. In HBM rows and tiles are contiguous.
struct TransferSeries {
  TransferPath path = TransferPath::kHbmToSbuf;
  std::uint32_t bytes = 2048;  // per partition
  // Bytes that are contiguous at the source; between two runs as many are skipped. 0: all.
  std::uint32_t element = 0;
  DescriptorMaker descriptors = DescriptorMaker::kHost;
  unsigned generators = 1;  // kHardware: 1, Sync's, or 2: transfers alternate between both
  unsigned engines = 16;    // kHost: those that move data
  unsigned count = 1;
  unsigned in_flight = 1;         // transfer i starts when transfer i - in_flight is complete
  std::vector<unsigned> watched;  // ascending: transfers whose completion is waited for
};

// Bytes of one transfer.
std::uint64_t transfer_bytes(const TransferSeries& series);
// Descriptor pairs of one transfer on one engine, the semaphore's included.
std::uint64_t transfer_pairs(const TransferSeries& series);

// The queues whose trace shows when transfers start, first generator first, and when the
// instructions start that wait for them.
const char* starting_queue(const TransferSeries& series);
const char* starting_instruction(const TransferSeries& series);
inline constexpr const char* kWaitingQueue = "vector";

// The series as a program. The Sync queue holds one dma_trigger or dma_copy per transfer, the
// Scalar queue every second dma_copy if there are two generators, the GpSimd queue a dma_indirect;
// the Vector queue one nop per watched transfer, which starts when the transfer is complete. Its
// tensor, "tiles", is an input or (into HBM) an output. UserError when a transfer has more pairs
// than a trigger can count.
Executable transfer_program(const TransferSeries& series, std::uint64_t sbuf_partition_bytes);

}  // namespace tern::app
