// SPDX-License-Identifier: Apache-2.0
// Packets, series of transfers, and percentiles of the QoS record.
#include <catch2/catch.hpp>
#include <set>

#include "sw/app/kinds/qos/qos_program.h"
#include "sw/app/kinds/qos/qos_record.h"
#include "sw/app/measure/dma/transfer_program.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/kernels/builder/dma/packet_list.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

using namespace tern;  // NOLINT: test file
using app::TransferSeries;

namespace {

// Packets are FIRST .. LAST without gaps, of at most 32 pairs.
template <typename Pairs>
void check_packets(const Pairs& pairs) {
  bool open = false;
  unsigned length = 0;
  for (const DescriptorPair& pair : pairs) {
    CHECK(pair.first == !open);
    length = pair.first ? 1 : length + 1;
    CHECK(length <= 32);
    CHECK(pair.bytes >= 1);
    CHECK(pair.bytes <= 65536);
    open = !pair.last;
  }
  CHECK_FALSE(open);
}

}  // namespace

TEST_CASE("packets: long runs are cut, packets end at their limits") {
  kernels::PacketList list;
  list.add({}, {}, 200000);
  for (unsigned i = 0; i < 100; ++i) list.add({}, {}, 4);
  list.increment(9);
  const auto pairs = list.take();
  check_packets(pairs);
  CHECK(pairs.size() == 4 + 100 + 1);
  CHECK(pairs[3].bytes == 200000 - 3 * 65536);
  CHECK(pairs[1].source.offset == 65536);
}

TEST_CASE("series of transfers: every byte of every partition exactly once, engine p / 8") {
  TransferSeries series;
  series.bytes = 96;
  series.element = 32;
  series.count = 3;
  series.in_flight = 2;
  series.watched = {2};
  CHECK(app::transfer_pairs(series) == 8 * 3 + 1);
  const Executable program = app::transfer_program(series, 256 * 1024);
  for (unsigned e = 0; e < Executable::kEngines; ++e) {
    const auto& pairs = program.rings.at(0)[e];
    REQUIRE(pairs.size() == series.count * app::transfer_pairs(series));
    check_packets(pairs);
    std::set<std::uint64_t> sources, targets;
    for (const DescriptorPair& pair : pairs) {
      if (pair.bytes != 32) continue;  // the semaphore's
      CHECK(pair.destination.offset / TERN_CORE_SBUF_STRIDE / 8 == e);
      CHECK(sources.insert(pair.source.offset).second);
      CHECK(targets.insert(pair.destination.offset).second);
      CHECK(pair.source.offset % 64 == 0);  // an element, as many bytes left out
    }
    CHECK(sources.size() == 8 * 3 * 3);
  }
  CHECK(program.queues[TERN_QUEUE_SYNC].size() == 3 + 1);
  series.bytes = 65536;
  series.element = 4;
  CHECK_THROWS_AS(app::transfer_program(series, 256 * 1024), UserError);
}

TEST_CASE("qos: percentiles are samples, rates are bytes over time") {
  std::vector<double> times;
  for (unsigned i = 100; i >= 1; --i) times.push_back(i);
  const auto result = app::qos_class_result(times, 5e9, 2.0);
  CHECK(result.samples == 100);
  CHECK(result.p50_us == 50);
  CHECK(result.p90_us == 90);
  CHECK(result.p99_us == 99);
  CHECK(result.max_us == 100);
  CHECK(result.gb_per_s == Approx(2.5));
  CHECK(app::qos_class_result({}, 1, 1).samples == 0);
  CHECK(app::qos_class_result({7}, 1, 1).p50_us == 7);
}

TEST_CASE("qos: the pieces of a core reach every other core, and the weights fill their buffer") {
  const ChipConfig chip = load_chip_config("trn3").chip;
  app::QosWorkload w;
  w.layers = 8;
  w.weights_kib = 256;
  const unsigned core = 3;
  const Executable program = app::qos_program(w, chip, 8, core);
  const std::uint64_t piece = 128 * w.piece_bytes(8, chip.cores);
  CHECK(piece == 8 * 8192 / 8 * 2);                   // tokens x width / cores x 2 bytes
  std::map<std::uint64_t, std::uint64_t> sent, ones;  // by core
  std::uint64_t weights = 0;
  for (const auto& [ring, engines] : program.rings) {
    for (const auto& pairs : engines) {
      check_packets(pairs);
      for (const DescriptorPair& pair : pairs) {
        if (pair.source.space == DmaAddress::Space::kTensor) weights += pair.bytes;
        if (pair.destination.space != DmaAddress::Space::kPeer) continue;
        const bool data = pair.destination.offset < TERN_CORE_PSUM_BASE;
        (data ? sent : ones)[pair.destination.tensor] += data ? pair.bytes : 1;
      }
    }
  }
  CHECK(weights == 8 * 256 * 1024);
  CHECK(sent.size() == 7);
  CHECK(sent.count(core) == 0);
  for (const auto& [target, bytes] : sent) CHECK(bytes == 8 * piece);
  CHECK(ones.size() == 7);
  for (const auto& [target, count] : ones) CHECK(count == 8 * 16);
  w.weights_kib = 8192;
  CHECK_THROWS_AS(app::qos_program(w, chip, 4096, 0), UserError);
}
