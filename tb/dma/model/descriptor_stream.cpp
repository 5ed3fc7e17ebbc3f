// SPDX-License-Identifier: Apache-2.0
#include "tb/dma/model/descriptor_stream.h"

#include <algorithm>
#include <cstring>

#include "sw/spec/descriptor_pack.h"

namespace tern::tb {

namespace {

using dma::model::Descriptor;
using dma::model::Pair;

unsigned below(std::mt19937_64& random, std::uint64_t limit) {
  return static_cast<unsigned>(random() % limit);
}

Descriptor packed(const DescriptorFields& fields) {
  Descriptor descriptor;
  pack_descriptor(reinterpret_cast<std::uint8_t*>(descriptor.word), fields);
  return descriptor;
}

unsigned size_of(unsigned dtype) {
  return dtype == TERN_DMA_DTYPE_FP32 ? 4 : 2;
}

// Slots of one side of a pair.
struct Side {
  std::uint16_t count[4] = {1, 1, 1, 1};
  std::int32_t stride[4] = {};
};

// Powers of two with the product 2^bits.
void spread(std::mt19937_64& random, Side& side, unsigned first, unsigned dimensions,
            unsigned bits) {
  for (; bits > 0; --bits) {
    side.count[first + below(random, dimensions - first)] *= 2;
  }
}

Descriptor slot_of(const Side& side, unsigned slot) {
  DescriptorFields fields;
  fields.word1 = DescriptorPattern{side.count[2 * slot], side.count[2 * slot + 1], 0, 0}.counts();
  fields.address =
      DescriptorPattern{1, 1, side.stride[2 * slot], side.stride[2 * slot + 1]}.strides();
  return packed(fields);
}

void copy_packet(std::mt19937_64& random, GoodPacket& packet) {
  const unsigned crc = below(random, 4) == 0 ? 1 + below(random, 2) : 0;
  std::uint32_t carried = 0;  // bytes that TX has more than RX so far
  const unsigned pairs = 1 + below(random, 6);
  for (unsigned p = 0; p < pairs; ++p) {
    DescriptorOperation operation;
    operation.crc = p == 0 ? crc : 0;
    operation.write_op = below(random, 4);
    operation.pattern_slots = below(random, 3) == 0 ? 1 + below(random, 2) : 0;
    Side sides[2];
    DescriptorFields tx, rx;
    if (operation.pattern_slots != 0) {
      const unsigned total_bits = 4 + below(random, 13);  // up to 64 KiB
      for (unsigned s = 0; s < 2; ++s) {
        const unsigned length_bits = 2 + below(random, total_bits - 1);
        (s == 0 ? tx : rx).length = 1u << length_bits;
        spread(random, sides[s], 0, 2 * operation.pattern_slots, total_bits - length_bits);
        for (std::int32_t& stride : sides[s].stride) stride = static_cast<std::int32_t>(random());
      }
      packet.bytes += 1u << total_bits;
    } else {
      // TX may run ahead of RX; the last pair evens it out.
      tx.length = 4 + 4 * below(random, 8000);
      rx.length = tx.length;
      if (p + 1 < pairs && carried == 0 && below(random, 2) == 0) {
        carried = 4 * below(random, 100);
        rx.length = 4 + 4 * below(random, 100);
        tx.length = rx.length + carried;
      } else if (carried != 0 && tx.length + carried <= 65536) {
        rx.length = tx.length + carried;
        carried = 0;
      }
      packet.bytes += rx.length;
    }
    tx.address = random();
    rx.address = random() & ~std::uint64_t{3};
    tx.word1 = p == 0 && crc == 2 ? static_cast<std::uint32_t>(random()) : 0;
    rx.word1 = operation.word();
    packet.pairs.push_back({packed(tx), packed(rx)});
    for (unsigned s = 0; s < operation.pattern_slots; ++s) {
      packet.pairs.push_back({slot_of(sides[0], s), slot_of(sides[1], s)});
    }
  }
  if (carried == 0) return;
  DescriptorFields tx, rx;
  tx.length = 4;
  rx.length = 4 + carried;
  packet.bytes += rx.length;
  packet.pairs.push_back({packed(tx), packed(rx)});
}

void compute_packet(std::mt19937_64& random, unsigned op, GoodPacket& packet) {
  DescriptorOperation operation;
  operation.op = op;
  operation.src_dtype = below(random, 3);
  operation.dst_dtype = below(random, 3);
  if (operation.dst_dtype == TERN_DMA_DTYPE_FP32 && below(random, 2) == 0) {
    operation.write_op = TERN_DMA_WRITE_OP_ADD_FP32;
  }
  if (operation.dst_dtype == TERN_DMA_DTYPE_BF16 && below(random, 2) == 0) {
    operation.write_op = TERN_DMA_WRITE_OP_ADD_BF16;
  }
  const unsigned src = size_of(operation.src_dtype), dst = size_of(operation.dst_dtype);
  const unsigned elements = 1 + below(random, 65536 / std::max(src, dst));
  packet.bytes = elements * dst;
  const unsigned sources = op == TERN_DMA_OP_CAST ? 1 : 1 + below(random, 16);
  for (unsigned s = 0; s < sources; ++s) {
    DescriptorFields tx, rx;
    tx.length = elements * src;
    tx.address = random() & ~std::uint64_t{63};
    tx.word1 = op == TERN_DMA_OP_FMA ? static_cast<std::uint32_t>(random()) : 0;
    if (s == 0) {
      rx.length = elements * dst;
      rx.address = random() & ~std::uint64_t{63};
      rx.word1 = operation.word();
    }
    packet.pairs.push_back({packed(tx), packed(rx)});
  }
}

void transpose_packet(std::mt19937_64& random, GoodPacket& packet) {
  DescriptorOperation operation;
  operation.op = TERN_DMA_OP_TRANSPOSE;
  operation.src_dtype = operation.dst_dtype = below(random, 3);
  operation.pattern_slots = 1 + below(random, 2);
  const unsigned rows = 64 / size_of(operation.src_dtype);
  const unsigned blocks_bits = below(random, rows == 16 ? 7 : 6);
  packet.bytes = 64 * rows << blocks_bits;
  Side sides[2];
  for (unsigned s = 0; s < 2; ++s) {
    sides[s].count[0] = static_cast<std::uint16_t>(rows);
    spread(random, sides[s], 1, 2 * operation.pattern_slots, blocks_bits);
    for (std::int32_t& stride : sides[s].stride) {
      stride = static_cast<std::int32_t>(random() & (s == 0 ? ~63u : ~3u));
    }
  }
  DescriptorFields tx, rx;
  tx.length = rx.length = 64;
  tx.address = random() & ~std::uint64_t{63};
  rx.address = random() & ~std::uint64_t{3};
  rx.word1 = operation.word();
  packet.pairs.push_back({packed(tx), packed(rx)});
  for (unsigned s = 0; s < operation.pattern_slots; ++s) {
    packet.pairs.push_back({slot_of(sides[0], s), slot_of(sides[1], s)});
  }
}

void immediate_packet(std::mt19937_64& random, GoodPacket& packet) {
  DescriptorOperation operation;
  operation.op = TERN_DMA_OP_IMMEDIATE;
  DescriptorFields tx, rx;
  tx.length = rx.length = packet.bytes = 4;
  tx.address = random();
  rx.address = random() & ~std::uint64_t{3};
  rx.word1 = operation.word();
  packet.pairs.push_back({packed(tx), packed(rx)});
}

// Values at which rules change their mind.
std::uint32_t border(std::mt19937_64& random) {
  constexpr std::uint32_t kBorders[] = {0,  1,  2,   3,   4,    16,    17,     32,    63,
                                        64, 65, 255, 256, 1024, 32768, 0x8000, 65535, 0xFFFFFFFF};
  return kBorders[below(random, sizeof kBorders / sizeof *kBorders)];
}

void mutate_pair(std::uint8_t* record, std::mt19937_64& random) {
  const unsigned at = 1 + 4 * below(random, 8);
  std::uint32_t word;
  std::memcpy(&word, record + at, sizeof word);
  const bool control = (at - 1) % 16 == 0;
  switch (below(random, 5)) {
    case 0:
    case 1:
      word ^= 1u << below(random, 32);
      break;
    case 2:  // a half word at a border
      if (below(random, 2) == 0) {
        word = (word & 0xFFFF0000u) | (border(random) & 0xFFFF);
      } else {
        word = (word & 0xFFFFu) | (control ? word & 0xFFFF0000u : border(random) << 16);
      }
      break;
    case 3:  // a field of word 1, or a neighbour's value
      word += control ? 1 : 1u << 4 * below(random, 6);
      break;
    default:
      if (control) {
        word ^= 1u << (24 + below(random, 8));
      } else {
        word = border(random);
      }
  }
  std::memcpy(record + at, &word, sizeof word);
}

// In both descriptors.
void flip_flag(std::uint8_t* record, unsigned bit) {
  record[1 + bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  record[17 + bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
}

bool has_flag(const std::uint8_t* record, unsigned bit) {
  return (record[1 + bit / 8] >> bit % 8 & 1) != 0;
}

void set_flag(std::uint8_t* record, unsigned bit, bool value) {
  if (has_flag(record, bit) != value) flip_flag(record, bit);
}

// The packet of record i does not end where it did: it continues with the next in its ring, or
// with its pair i repeated, without an operation.
void lengthen_packet(Bytes& records, std::size_t i, bool repeat) {
  const std::size_t first = i * kRecordBytes;
  std::size_t last = records.size();  // none yet
  for (std::size_t at = first; at + kRecordBytes <= records.size(); at += kRecordBytes) {
    std::uint8_t* record = &records[at];
    if (((*record ^ records[first]) & 15) != 0) continue;
    if (last < at) {
      set_flag(&records[last], TERN_DESC_LAST_LSB, false);
      set_flag(record, TERN_DESC_FIRST_LSB, false);
      return;
    }
    if (!has_flag(record, TERN_DESC_LAST_LSB)) continue;
    last = at;
    if (!repeat) continue;
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
    Bytes again(begin, begin + kRecordBytes);
    set_flag(record, TERN_DESC_LAST_LSB, false);
    set_flag(again.data(), TERN_DESC_FIRST_LSB, false);
    set_flag(again.data(), TERN_DESC_LAST_LSB, true);
    std::fill(&again[21], &again[25], std::uint8_t{0});  // word 1 of RX
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(at + kRecordBytes), again.begin(),
                   again.end());
    return;
  }
}

}  // namespace

GoodPacket random_packet(std::mt19937_64& random) {
  GoodPacket packet;
  const unsigned op = below(random, 3) == 0 ? unsigned{TERN_DMA_OP_COPY} : below(random, 8);
  if (op == TERN_DMA_OP_COPY) {
    copy_packet(random, packet);
  } else if (op == TERN_DMA_OP_TRANSPOSE) {
    transpose_packet(random, packet);
  } else if (op == TERN_DMA_OP_IMMEDIATE) {
    immediate_packet(random, packet);
  } else {
    compute_packet(random, op, packet);
  }
  auto& pairs = packet.pairs;
  for (auto* side : {&pairs.front().tx, &pairs.front().rx}) {
    side->word[0] |= 1u << TERN_DESC_FIRST_LSB;
  }
  for (auto* side : {&pairs.back().tx, &pairs.back().rx}) {
    side->word[0] |= 1u << TERN_DESC_LAST_LSB;
  }
  if (below(random, 5) == 0) pairs.front().tx.word[0] |= 1u << TERN_DESC_DMB_LSB;
  return packet;
}

void put_record(Bytes& records, std::uint8_t header, const Pair& pair) {
  records.push_back(header);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&pair);
  records.insert(records.end(), bytes, bytes + sizeof pair);
}

GoodStream random_stream(std::mt19937_64& random, unsigned packets) {
  GoodStream stream;
  std::vector<GoodPacket> waiting(packets);
  for (GoodPacket& packet : waiting) {
    packet = random_packet(random);
    stream.bytes += packet.bytes;
  }
  stream.packets = packets;
  // Up to three rings alternate.
  struct Ring {
    std::uint8_t header;
    std::vector<Pair> pairs;  // to come, the next one last
  };
  std::vector<Ring> rings(1 + below(random, 3));
  for (std::size_t r = 0; r < rings.size(); ++r) {
    const auto number = static_cast<std::uint8_t>((5 * r + below(random, 5)) & 15);
    rings[r].header = number | (below(random, 4) == 0 ? kRecordPushed : kRecordPhase);
  }
  while (true) {
    Ring& ring = rings[below(random, rings.size())];
    if (ring.pairs.empty() && !waiting.empty()) {
      ring.pairs.assign(waiting.back().pairs.rbegin(), waiting.back().pairs.rend());
      waiting.pop_back();
    }
    if (ring.pairs.empty()) {
      const bool done = std::all_of(rings.begin(), rings.end(),
                                    [](const Ring& other) { return other.pairs.empty(); });
      if (done) return stream;
      continue;
    }
    put_record(stream.records, ring.header, ring.pairs.back());
    ring.pairs.pop_back();
  }
}

void mutate_stream(Bytes& records, std::mt19937_64& random) {
  for (unsigned changes = 1 + below(random, 3); changes > 0; --changes) {
    const std::size_t count = records.size() / kRecordBytes;
    if (count == 0) {
      records = random_stream(random, 2).records;
      continue;
    }
    const auto record = [&](std::size_t i) {
      return records.begin() + static_cast<std::ptrdiff_t>(i * kRecordBytes);
    };
    const std::size_t i = below(random, count), j = below(random, count);
    switch (below(random, 16)) {
      case 0:
        records.erase(record(i), record(i + 1));
        break;
      case 1: {
        const Bytes copy(record(i), record(i + 1));
        records.insert(record(j), copy.begin(), copy.end());
        break;
      }
      case 2:
        std::swap_ranges(record(i), record(i + 1), record(j));
        break;
      case 3:
        *record(i) ^= static_cast<std::uint8_t>(1u << below(random, 8));
        break;
      case 4: {  // another packet after it
        const Bytes more = random_stream(random, 1).records;
        records.insert(records.end(), more.begin(), more.end());
        break;
      }
      case 5:
      case 6:
        lengthen_packet(records, i, below(random, 2) == 0);
        break;
      case 7:  // both sides open or close a packet
        flip_flag(&*record(i), below(random, 2) == 0 ? TERN_DESC_FIRST_LSB : TERN_DESC_LAST_LSB);
        break;
      default:
        mutate_pair(&*record(i), random);
    }
  }
}

}  // namespace tern::tb
