// SPDX-License-Identifier: Apache-2.0
// The scan of descriptors, model and RTL side by side: what follows the rules is accepted, each
// broken rule gives its fault, and random changes never part the two. The same streams feed
// libFuzzer (fuzz_descriptors.cpp).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "sw/spec/descriptor_pack.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/dma/model/scan_sides.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

using dma::model::Pair;

// A pair with its fields set one by one.
struct Maker {
  DescriptorFields tx, rx;

  Maker& length(std::uint32_t bytes) {
    tx.length = rx.length = bytes;
    return *this;
  }
  Maker& flags(bool first, bool last) {
    tx.first = rx.first = first;
    tx.last = rx.last = last;
    return *this;
  }
  Maker& word1(const DescriptorOperation& operation) {
    rx.word1 = operation.word();
    return *this;
  }
  operator Pair() const {  // NOLINT: the result is a pair
    Pair pair;
    pack_descriptor(reinterpret_cast<std::uint8_t*>(pair.tx.word), tx);
    pack_descriptor(reinterpret_cast<std::uint8_t*>(pair.rx.word), rx);
    return pair;
  }
};

Maker copy(bool first = true, bool last = true) {
  return Maker().length(64).flags(first, last);
}

Maker of_op(unsigned op, unsigned src = TERN_DMA_DTYPE_FP32, unsigned dst = TERN_DMA_DTYPE_FP32) {
  DescriptorOperation operation;
  operation.op = op;
  operation.src_dtype = src;
  operation.dst_dtype = dst;
  return copy().word1(operation);
}

Maker with_slots(unsigned op, unsigned slots) {
  DescriptorOperation operation;
  operation.op = op;
  operation.pattern_slots = slots;
  return copy(true, false).word1(operation);
}

Maker slot(std::uint16_t tx0, std::uint16_t tx1, std::uint16_t rx0, std::uint16_t rx1,
           bool last = true) {
  Maker maker;
  maker.flags(false, last);
  maker.tx.word1 = DescriptorPattern{tx0, tx1, 0, 0}.counts();
  maker.rx.word1 = DescriptorPattern{rx0, rx1, 0, 0}.counts();
  return maker;
}

Pair changed(Pair pair, void (*change)(Pair&)) {
  change(pair);
  return pair;
}

// The fault of a packet on its own; 0: accepted.
unsigned fault_of(std::initializer_list<Pair> pairs) {
  Bytes records;
  for (const Pair& pair : pairs) put_record(records, kRecordPhase, pair);
  static ScanSides sides;
  const ScanOutcome outcome = sides.run(records);
  CHECK_NO_MISMATCH(outcome.difference);
  if (outcome.faults.empty()) {
    CHECK(outcome.packets == 1);
    return 0;
  }
  return outcome.faults[0];
}

Bytes file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (std::uint8_t byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

}  // namespace

TEST_CASE("dma scan: packets that follow the rules are accepted, with their bytes") {
  std::mt19937_64 random(test_seed());
  ScanSides sides;
  for (unsigned round = 0; round < 1500; ++round) {
    const GoodStream stream = random_stream(random, 1 + static_cast<unsigned>(random() % 8));
    const ScanOutcome outcome = sides.run(stream.records);
    INFO("round " << round << ": " << hex(stream.records));
    CHECK_NO_MISMATCH(outcome.difference);
    REQUIRE(outcome.faults.empty());
    REQUIRE(outcome.packets == stream.packets);
    REQUIRE(outcome.bytes == stream.bytes);
  }
}

TEST_CASE("dma scan: after a reset no ring is in a packet or has a fault") {
  std::mt19937_64 random(test_seed() + 1);
  ScanSides sides;
  for (unsigned round = 0; round < 200; ++round) {
    Bytes records = random_stream(random, 8).records;
    records.resize(kRecordBytes * (1 + random() % (records.size() / kRecordBytes)));
    if (round % 2 == 0) records[1 + random() % (kRecordBytes - 1)] ^= 1 << random() % 8;
    sides.run(records);
    sides.reset();
    const GoodStream good = random_stream(random, 4);
    const ScanOutcome outcome = sides.run(good.records);
    INFO("round " << round << ": " << hex(good.records));
    CHECK_NO_MISMATCH(outcome.difference);
    REQUIRE(outcome.packets == good.packets);
  }
}

TEST_CASE("dma scan: flags") {
  CHECK(fault_of({copy()}) == 0);
  CHECK(fault_of({copy(true, false), copy(false, true)}) == 0);
  CHECK(fault_of({copy(false, true)}) == TERN_DMA_FAULT_FIRST);
  CHECK(fault_of({copy(true, false), copy(true, true)}) == TERN_DMA_FAULT_FIRST);
  CHECK(fault_of({changed(copy(), [](Pair& p) { p.rx.word[0] ^= 1u << TERN_DESC_FIRST_LSB; })}) ==
        TERN_DMA_FAULT_FIRST);
  CHECK(fault_of({changed(copy(), [](Pair& p) { p.rx.word[0] ^= 1u << TERN_DESC_LAST_LSB; })}) ==
        TERN_DMA_FAULT_MISMATCH);
  for (unsigned bit : {16, 17, 18, 19, 20, 21, 22, 23, 29, 31}) {
    INFO("bit " << bit);
    Pair tx = copy(), rx = copy();
    tx.tx.word[0] |= 1u << bit;
    rx.rx.word[0] |= 1u << bit;
    CHECK(fault_of({tx}) == TERN_DMA_FAULT_RESERVED);
    CHECK(fault_of({rx}) == TERN_DMA_FAULT_RESERVED);
  }
  CHECK(fault_of({changed(copy(), [](Pair& p) { p.tx.word[0] |= 1u << TERN_DESC_INT_EN_LSB; })}) ==
        TERN_DMA_FAULT_INT_EN);
  // The barrier is in the first TX of a packet and nowhere else.
  const auto barrier = [](Pair& p) { p.tx.word[0] |= 1u << TERN_DESC_DMB_LSB; };
  CHECK(fault_of({changed(copy(), barrier)}) == 0);
  CHECK(fault_of({copy(true, false), changed(copy(false, true), barrier)}) ==
        TERN_DMA_FAULT_RESERVED);
  CHECK(fault_of({changed(copy(), [](Pair& p) { p.rx.word[0] |= 1u << TERN_DESC_DMB_LSB; })}) ==
        TERN_DMA_FAULT_RESERVED);
}

TEST_CASE("dma scan: ring_id counts the passes through the ring") {
  ScanSides sides;
  for (unsigned wrong = 0; wrong < 40; ++wrong) {
    Bytes records;
    for (unsigned i = 0; i < 40; ++i) {
      Maker maker = copy();
      const unsigned phase = 1 + i / ScanSides::kRingPairs;
      maker.tx.ring_id = maker.rx.ring_id = phase;
      if (i == wrong) maker.rx.ring_id = phase + 1 + i % 3;
      put_record(records, 3, maker);
    }
    const ScanOutcome outcome = sides.run(records);
    CHECK_NO_MISMATCH(outcome.difference);
    CHECK(outcome.packets == wrong);
    CHECK(outcome.faults == std::vector<unsigned>{TERN_DMA_FAULT_PHASE});
  }
}

TEST_CASE("dma scan: sizes") {
  Bytes records;
  for (unsigned i = 0; i < 64; ++i) put_record(records, kRecordPhase, copy(i == 0, i == 63));
  ScanSides sides;
  ScanOutcome outcome = sides.run(records);
  CHECK_NO_MISMATCH(outcome.difference);
  CHECK(outcome.packets == 1);
  records.clear();
  for (unsigned i = 0; i < 65; ++i) put_record(records, kRecordPhase, copy(i == 0, i == 64));
  outcome = sides.run(records);
  CHECK_NO_MISMATCH(outcome.difference);
  CHECK(outcome.faults == std::vector<unsigned>{TERN_DMA_FAULT_TOO_LONG});

  Maker whole = copy();
  whole.length(65536);
  CHECK(fault_of({whole}) == 0);
  Maker uneven = copy();
  uneven.rx.length = 60;
  CHECK(fault_of({uneven}) == TERN_DMA_FAULT_SUMS);
  Maker rest = copy(false, true);
  rest.tx.length = 60;
  uneven.flags(true, false);
  CHECK(fault_of({uneven, rest}) == 0);
}

TEST_CASE("dma scan: patterns") {
  const auto op = TERN_DMA_OP_COPY;
  CHECK(fault_of({with_slots(op, 1), slot(4, 2, 8, 1)}) == 0);
  CHECK(fault_of({with_slots(op, 2), slot(4, 2, 8, 1, false), slot(3, 5, 5, 3)}) == 0);
  CHECK(fault_of({with_slots(op, 1), slot(4, 2, 8, 2)}) == TERN_DMA_FAULT_SUMS);
  CHECK(fault_of({with_slots(op, 1), slot(1024, 1, 32, 32)}) == 0);
  CHECK(fault_of({with_slots(op, 1), slot(1025, 1, 1025, 1)}) == TERN_DMA_FAULT_TOO_LONG);
  CHECK(fault_of({with_slots(op, 2), slot(65535, 65535, 65535, 65535, false),
                  slot(65535, 65535, 65535, 65535)}) == TERN_DMA_FAULT_TOO_LONG);
  CHECK(fault_of({with_slots(op, 1), slot(0, 2, 8, 1)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(op, 1), slot(4, 2, 8, 0)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(op, 3)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(op, 2), slot(1, 1, 1, 1)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(op, 1).flags(true, true)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(op, 1), changed(slot(1, 1, 1, 1), [](Pair& p) {
                    p.tx.word[0] |= 1u << TERN_DESC_FIRST_LSB;
                  })}) == TERN_DMA_FAULT_RESERVED);
  CHECK(fault_of({with_slots(op, 1), changed(slot(1, 1, 1, 1), [](Pair& p) {
                    p.rx.word[0] |= 8;
                  })}) == TERN_DMA_FAULT_RESERVED);
}

TEST_CASE("dma scan: word 1") {
  for (unsigned bit : {14, 15, 18, 19, 22, 23, 31}) {
    INFO("bit " << bit);
    Pair pair = copy();
    pair.rx.word[1] |= 1u << bit;
    CHECK(fault_of({pair}) == TERN_DMA_FAULT_OPERATION);
  }
  CHECK(fault_of({of_op(8)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({of_op(TERN_DMA_OP_ADD, 3)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({of_op(TERN_DMA_OP_ADD, 0, 3)}) == TERN_DMA_FAULT_OPERATION);
  const auto crc = [](unsigned op, unsigned kind, std::uint32_t expected) {
    DescriptorOperation operation;
    operation.op = op;
    operation.crc = kind;
    Maker maker = copy().word1(operation);
    maker.tx.word1 = expected;
    return fault_of({maker});
  };
  CHECK(crc(TERN_DMA_OP_COPY, 1, 0) == 0);
  CHECK(crc(TERN_DMA_OP_COPY, 2, 0x12345678) == 0);
  CHECK(crc(TERN_DMA_OP_COPY, 1, 1) == TERN_DMA_FAULT_OPERATION);
  CHECK(crc(TERN_DMA_OP_COPY, 3, 0) == TERN_DMA_FAULT_OPERATION);
  CHECK(crc(TERN_DMA_OP_ADD, 1, 0) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({copy(true, false), of_op(TERN_DMA_OP_CAST).flags(false, true)}) ==
        TERN_DMA_FAULT_OPERATION);
}

TEST_CASE("dma scan: operations") {
  const auto add = TERN_DMA_OP_ADD;
  CHECK(fault_of({of_op(add)}) == 0);
  // Sources after the first have no destination: its length field, address and word 1 are 0.
  Maker second;
  second.flags(false, true).tx.length = 64;
  const Maker first = of_op(add).flags(true, false);
  CHECK(fault_of({first, second}) == 0);
  Maker wrong = second;
  wrong.rx.length = 64;
  CHECK(fault_of({first, wrong}) == TERN_DMA_FAULT_SUMS);
  wrong = second;
  wrong.rx.address = 64;
  CHECK(fault_of({first, wrong}) == TERN_DMA_FAULT_ALIGNMENT);
  wrong = second;
  wrong.tx.length = 60;
  CHECK(fault_of({first, wrong}) == TERN_DMA_FAULT_SUMS);
  wrong = second;
  wrong.tx.address = 32;
  CHECK(fault_of({first, wrong}) == TERN_DMA_FAULT_ALIGNMENT);
  CHECK(fault_of({of_op(TERN_DMA_OP_CAST).flags(true, false), second}) == TERN_DMA_FAULT_OPERATION);

  Maker narrow = of_op(TERN_DMA_OP_CAST, TERN_DMA_DTYPE_FP32, TERN_DMA_DTYPE_BF16);
  CHECK(fault_of({narrow}) == TERN_DMA_FAULT_SUMS);
  narrow.rx.length = 32;
  CHECK(fault_of({narrow}) == 0);
  narrow.tx.length = 62;
  CHECK(fault_of({narrow}) == TERN_DMA_FAULT_ALIGNMENT);
  Maker scaled = of_op(TERN_DMA_OP_FMA);
  scaled.tx.word1 = 0x3F800000;
  CHECK(fault_of({scaled}) == 0);
  scaled = of_op(TERN_DMA_OP_MAX);
  scaled.tx.word1 = 1;
  CHECK(fault_of({scaled}) == TERN_DMA_FAULT_OPERATION);
  // 32,768 elements of 2 bytes become 128 KiB: no length can encode it.
  Maker wide = of_op(TERN_DMA_OP_CAST, TERN_DMA_DTYPE_BF16, TERN_DMA_DTYPE_FP32).length(65536);
  CHECK(fault_of({wide}) == TERN_DMA_FAULT_SUMS);

  Bytes records;
  ScanSides sides;
  for (unsigned sources : {16u, 17u}) {
    records.clear();
    put_record(records, kRecordPhase, first);
    for (unsigned s = 1; s < sources; ++s) {
      second.flags(false, s + 1 == sources);
      put_record(records, kRecordPhase, second);
    }
    const ScanOutcome outcome = sides.run(records);
    CHECK_NO_MISMATCH(outcome.difference);
    CHECK(outcome.packets == (sources == 16 ? 1 : 0));
    if (sources == 17) CHECK(outcome.faults == std::vector<unsigned>{TERN_DMA_FAULT_OPERATION});
  }
}

TEST_CASE("dma scan: writes that add, in copies and operations") {
  const auto adding = [](unsigned op, unsigned dtype, unsigned write_op, std::uint32_t length,
                         std::uint64_t address) {
    DescriptorOperation operation;
    operation.op = op;
    operation.src_dtype = operation.dst_dtype = dtype;
    operation.write_op = write_op;
    Maker maker = copy().length(length).word1(operation);
    maker.rx.address = address;
    return fault_of({maker});
  };
  const auto fp32 = TERN_DMA_WRITE_OP_ADD_FP32, bf16 = TERN_DMA_WRITE_OP_ADD_BF16;
  CHECK(adding(TERN_DMA_OP_COPY, 0, fp32, 64, 4) == 0);
  CHECK(adding(TERN_DMA_OP_COPY, 0, fp32, 64, 2) == TERN_DMA_FAULT_ALIGNMENT);
  CHECK(adding(TERN_DMA_OP_COPY, 0, fp32, 62, 4) == TERN_DMA_FAULT_ALIGNMENT);
  CHECK(adding(TERN_DMA_OP_COPY, 0, bf16, 62, 2) == 0);
  CHECK(adding(TERN_DMA_OP_COPY, 0, bf16, 62, 1) == TERN_DMA_FAULT_ALIGNMENT);
  const auto fp8 = TERN_DMA_WRITE_OP_ADD_FP8;
  CHECK(adding(TERN_DMA_OP_COPY, 0, fp8, 63, 1) == 0);
  CHECK(adding(TERN_DMA_OP_ADD, TERN_DMA_DTYPE_BF16, fp8, 64, 64) == TERN_DMA_FAULT_OPERATION);
  CHECK(adding(TERN_DMA_OP_CAST, TERN_DMA_DTYPE_FP32, fp8, 64, 64) == TERN_DMA_FAULT_OPERATION);
  CHECK(adding(TERN_DMA_OP_ADD, TERN_DMA_DTYPE_FP32, fp32, 64, 64) == 0);
  CHECK(adding(TERN_DMA_OP_ADD, TERN_DMA_DTYPE_BF16, fp32, 64, 64) == TERN_DMA_FAULT_OPERATION);
  CHECK(adding(TERN_DMA_OP_ADD, TERN_DMA_DTYPE_BF16, bf16, 64, 64) == 0);
  CHECK(adding(TERN_DMA_OP_ADD, TERN_DMA_DTYPE_FP16, bf16, 64, 64) == TERN_DMA_FAULT_OPERATION);
  CHECK(adding(TERN_DMA_OP_ADD, TERN_DMA_DTYPE_FP32, fp32, 64, 32) == TERN_DMA_FAULT_ALIGNMENT);
}

TEST_CASE("dma scan: transposes and immediates") {
  const auto transpose = TERN_DMA_OP_TRANSPOSE;
  CHECK(fault_of({with_slots(transpose, 1), slot(16, 4, 16, 4)}) == 0);
  CHECK(fault_of({with_slots(transpose, 2), slot(16, 4, 16, 2, false), slot(1, 1, 2, 1)}) == 0);
  CHECK(fault_of({with_slots(transpose, 1), slot(16, 4, 16, 2)}) == TERN_DMA_FAULT_SUMS);
  CHECK(fault_of({with_slots(transpose, 1), slot(32, 4, 32, 4)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(transpose, 1), slot(16, 65, 16, 65)}) == TERN_DMA_FAULT_TOO_LONG);
  CHECK(fault_of({of_op(transpose)}) == TERN_DMA_FAULT_OPERATION);
  CHECK(fault_of({with_slots(transpose, 1).length(128), slot(16, 1, 16, 1)}) ==
        TERN_DMA_FAULT_ALIGNMENT);
  CHECK(fault_of({with_slots(transpose, 1), changed(slot(16, 1, 16, 1), [](Pair& p) {
                    p.tx.word[2] = 32;
                  })}) == TERN_DMA_FAULT_ALIGNMENT);
  CHECK(fault_of({with_slots(transpose, 1),
                  changed(slot(16, 1, 16, 1), [](Pair& p) { p.rx.word[2] = 4; })}) == 0);
  // One pair and its slots, nothing after them.
  CHECK(fault_of({with_slots(transpose, 1), slot(16, 1, 16, 1, false), copy(false, true)}) ==
        TERN_DMA_FAULT_OPERATION);

  const auto immediate = TERN_DMA_OP_IMMEDIATE;
  CHECK(fault_of({of_op(immediate).length(4)}) == 0);
  CHECK(fault_of({of_op(immediate).length(8)}) == TERN_DMA_FAULT_ALIGNMENT);
  Maker odd = of_op(immediate).length(4);
  odd.rx.address = 2;
  CHECK(fault_of({odd}) == TERN_DMA_FAULT_ALIGNMENT);
  Maker more = copy(false, true).length(4);
  CHECK(fault_of({of_op(immediate).length(4).flags(true, false), more}) ==
        TERN_DMA_FAULT_OPERATION);
}

TEST_CASE("dma scan: after a fault a ring is silent until it is set up again, others continue") {
  Bytes records;
  put_record(records, kRecordPhase | 1, copy(false, true));
  put_record(records, kRecordPhase | 1, copy());
  put_record(records, kRecordPhase | 2, copy());
  put_record(records, kRecordRestart | 1, copy());
  put_record(records, kRecordPhase | 1, copy());
  ScanSides sides;
  const ScanOutcome outcome = sides.run(records);
  CHECK_NO_MISMATCH(outcome.difference);
  CHECK(outcome.packets == 2);
  CHECK(outcome.faults == std::vector<unsigned>{TERN_DMA_FAULT_FIRST});
}

TEST_CASE("dma scan: the fuzzer's corpus and 20,000 mutations of it") {
  std::vector<Bytes> corpus;
  for (const auto& entry : std::filesystem::directory_iterator(TERN_DESCRIPTOR_CORPUS)) {
    if (entry.path().extension() == ".bin") corpus.push_back(file_bytes(entry.path()));
  }
  std::sort(corpus.begin(), corpus.end());
  REQUIRE(corpus.size() >= 20);
  std::mt19937_64 random(test_seed());
  ScanSides sides;
  std::map<unsigned, unsigned> faults;
  std::uint64_t pairs = 0, packets = 0;
  const auto run = [&](const Bytes& records) {
    const ScanOutcome outcome = sides.run(records);
    INFO(hex(records));
    CHECK_NO_MISMATCH(outcome.difference);
    for (unsigned fault : outcome.faults) ++faults[fault];
    pairs += outcome.pairs;
    packets += outcome.packets;
  };
  for (const Bytes& records : corpus) run(records);
  for (unsigned round = 0; round < 20000; ++round) {
    Bytes records = round % 2 == 0 ? corpus[random() % corpus.size()]
                                   : random_stream(random, 1 + round % 4).records;
    mutate_stream(records, random);
    run(records);
  }
  std::printf("dma scan: %llu pairs, %llu good packets; faults:",
              static_cast<unsigned long long>(pairs), static_cast<unsigned long long>(packets));
  for (const auto& [fault, count] : faults) std::printf(" %u x %u", count, fault);
  std::printf("\n");
  // Every fault that the scan can find comes up.
  for (unsigned fault :
       {TERN_DMA_FAULT_PHASE, TERN_DMA_FAULT_RESERVED, TERN_DMA_FAULT_FIRST,
        TERN_DMA_FAULT_MISMATCH, TERN_DMA_FAULT_TOO_LONG, TERN_DMA_FAULT_SUMS,
        TERN_DMA_FAULT_OPERATION, TERN_DMA_FAULT_INT_EN, TERN_DMA_FAULT_ALIGNMENT}) {
    CHECK(faults[fault] > 0);
  }
}
