// SPDX-License-Identifier: Apache-2.0
#include "tb/dma/model/hostile_program.h"

#include <algorithm>
#include <cstring>

#include "tb/dma/model/descriptor_stream.h"

namespace tern::tb {

namespace {

using dma::model::Pair;

constexpr unsigned kUnused = 15;  // a ring that is never set up

bool is_slot(const Pair& pair) {
  return pair.tx.raw_length() == 0 && pair.rx.raw_length() == 0 && !pair.tx.first();
}

// Patterns of short runs take the RTL minutes; rows near each other spare the bench memory.
bool is_quick(const GoodPacket& packet) {
  for (const Pair& pair : packet.pairs) {
    if (!is_slot(pair) && pair.rx.ext() != 0 && std::min(pair.tx.length(), pair.rx.length()) < 64) {
      return false;
    }
  }
  return packet.bytes <= 16384;
}

void bring_rows_together(GoodPacket& packet) {
  for (Pair& pair : packet.pairs) {
    if (!is_slot(pair)) continue;
    for (auto* side : {&pair.tx, &pair.rx}) {
      side->word[2] &= 0x3C0;
      side->word[3] &= 0x3C0;
    }
  }
}

}  // namespace

HostileProgram::HostileProgram(std::uint64_t seed, UnitBench& bench)
    : bench_(bench), random_(seed), rings_(2 + seed % 5) {
  for (unsigned r = 0; r < rings_.size(); ++r) {
    rings_[r].good = r % 2 == 0;
    rings_[r].pushed = (r + seed) % 4 >= 2;
    set_up(r);
  }
}

void HostileProgram::fill(Ring& ring) {
  Bytes records;
  for (unsigned packets = 2 + below(8); packets > 0; --packets) {
    // A CRC to be compared is random, and so does not match.
    GoodPacket packet;
    do {
      packet = random_packet(random_);
    } while (!is_quick(packet) || (ring.good && packet.pairs[0].rx.crc() == 2));
    bring_rows_together(packet);
    for (const Pair& pair : packet.pairs) put_record(records, 0, pair);
  }
  if (!ring.good) mutate_stream(records, random_);
  ring.todo.clear();
  for (std::size_t at = 0; at + kRecordBytes <= records.size(); at += kRecordBytes) {
    UnitBench::Words words;
    std::memcpy(words.tx, &records[at + 1], sizeof words.tx);
    std::memcpy(words.rx, &records[at + 17], sizeof words.rx);
    ring.todo.push_back(words);
  }
}

void HostileProgram::set_up(unsigned ring) {
  Ring& state = rings_[ring];
  state.size = 64u << below(2);
  state.written = state.released = 0;
  fill(state);
  bench_.set_up(ring, state.size, below(4));
}

// A part of the remaining work, as far as there is room.
void HostileProgram::feed(unsigned ring) {
  Ring& state = rings_[ring];
  const std::uint32_t head = peek(ring, TERN_REG_DMA_RING_HEAD);
  const std::uint32_t room = state.size - std::min(state.size, state.written - head);
  const std::uint32_t most = std::min(room, static_cast<std::uint32_t>(state.todo.size()));
  if (most == 0) return;
  const std::uint32_t now = 1 + below(most);
  if (state.pushed) {
    for (std::uint32_t i = 0; i < now; ++i) {
      std::uint8_t pair[sizeof(Pair)];
      std::memcpy(pair, state.todo.front().tx, sizeof(Pair) / 2);
      std::memcpy(pair + sizeof(Pair) / 2, state.todo.front().rx, sizeof(Pair) / 2);
      if (!bench_.unit->push_pair(bench_.now(), ring, pair)) break;
      bench_.run_to(bench_.now());
      state.todo.pop_front();
      ++state.written;
      ++state.released;
    }
    return;
  }
  for (std::uint32_t i = 0; i < now; ++i) {
    bench_.put(ring, state.todo.front());
    state.todo.pop_front();
  }
  state.written += now;
  state.released += now;
  bench_.release(ring, now);
}

void HostileProgram::harm(unsigned ring) {
  Ring& state = rings_[ring];
  switch (below(8)) {
    case 0:
      poke(ring, TERN_REG_DMA_RING_ABORT, 1);
      break;
    case 1:  // at any time, with transfers in flight
      set_up(ring);
      break;
    case 2:  // stale descriptors
      bench_.release(ring, 1 + below(3));
      break;
    case 3:  // more than the ring holds
      bench_.release(ring, state.size + below(1000));
      break;
    case 4:
      bench_.release(ring, 0xFFFFFFFFu >> below(32));
      break;
    case 5:
      bench_.release(ring, 0);
      bench_.release(kUnused, below(3));
      break;
    case 6: {  // a base that is not aligned: only while nothing is in flight
      poke(ring, TERN_REG_DMA_RING_ABORT, 1);
      set_up(ring);
      const auto base = static_cast<std::uint32_t>(UnitBench::base(ring, true));
      poke(ring, TERN_REG_DMA_RING_TX_BASE, base + 16 * (1 + below(15)));
      bench_.release(ring, 1);
      break;
    }
    default:
      poke(ring, TERN_REG_DMA_RING_ABORT, 0);
  }
}

void HostileProgram::run() {
  for (unsigned turn = 0; turn < 400; ++turn) {
    bool more = false;
    for (unsigned ring = 0; ring < rings_.size(); ++ring) {
      Ring& state = rings_[ring];
      if (!state.good) {
        if (below(30) == 0) harm(ring);
        if (peek(ring, TERN_REG_DMA_RING_STATUS) > 1) {
          state.todo.clear();
          if (below(3) == 0) set_up(ring);
        }
      }
      more = more || !state.todo.empty();
      if (below(3) != 0) feed(ring);
    }
    if (!more) break;
    bench_.run_to(bench_.now() + (below(2) == 0 ? below(20) : below(1000)));
  }
  bench_.run();
}

}  // namespace tern::tb
