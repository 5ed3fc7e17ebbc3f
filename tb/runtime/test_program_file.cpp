// SPDX-License-Identifier: Apache-2.0
// Programs as files: what is saved is read, and what somebody changed is refused.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "sw/base/crc32c.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/kernels/matmul.h"
#include "sw/runtime/program_file.h"
#include "sw/runtime/program_image.h"
#include "tb/common/seed.h"

namespace tern::tb {
namespace {

using runtime::load_program;
using runtime::ProgramFile;
using runtime::save_program;

const ChipConfig& trn3() {
  static const ChipConfig config = load_chip_config("trn3").chip;
  return config;
}

ProgramFile product() {
  kernels::MatmulSpec spec;
  spec.m = 40, spec.k = 200, spec.n = 70;
  return {"trn3", {kernels::build_matmul(spec, trn3())}};
}

// What a chip gets to see of a program.
std::vector<std::uint8_t> image_of(const Executable& program) {
  std::vector<std::uint64_t> tensors;
  for (std::size_t t = 0; t < program.tensors.size(); ++t) tensors.push_back(0x1000'0000 * (t + 1));
  const runtime::ProgramLayout layout(program);
  const runtime::CorePlace core{3, 2};
  return runtime::ProgramImage(program, layout, 0x5000'0000, core, tensors).all();
}

void mend(std::string* bytes) {
  const std::uint64_t length = bytes->size() - 24;
  const std::uint32_t crc =
      base::crc32c(0, reinterpret_cast<const std::uint8_t*>(bytes->data()) + 24, length);
  std::memcpy(bytes->data() + 12, &crc, sizeof crc);
  std::memcpy(bytes->data() + 16, &length, sizeof length);
}

std::string refusal(const std::string& bytes) {
  try {
    load_program(bytes);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE(
    "program files: what is read makes the same bytes in device memory, and the same messages") {
  const ProgramFile before = product();
  const std::string bytes = save_program(before);
  const ProgramFile after = load_program(bytes);
  REQUIRE(after.parts.size() == 1);
  CHECK(after.chip == "trn3");
  const Executable &a = before.parts[0], &b = after.parts[0];
  CHECK(b.name == a.name);
  CHECK(image_of(b) == image_of(a));
  CHECK(b.origins == a.origins);
  CHECK(b.ring_classes == a.ring_classes);
  REQUIRE(b.tensors.size() == a.tensors.size());
  for (std::size_t t = 0; t < a.tensors.size(); ++t) {
    CHECK(b.tensors[t].name == a.tensors[t].name);
    CHECK(b.tensors[t].kind == a.tensors[t].kind);
    CHECK(b.tensors[t].shape == a.tensors[t].shape);
    CHECK(b.tensors[t].dtype == a.tensors[t].dtype);
  }
  CHECK(save_program(after) == bytes);
}

TEST_CASE("program files: all parts of an executable survive") {
  Executable e;
  e.name = "everything";
  e.queues[1].resize(2);
  e.origins[1] = {"a.cpp:1: nop", "a.cpp:1: nop"};
  e.tensors = {{"t", TensorInfo::Kind::kScratch, numerics::DType::kBf16, {3, 4}}};
  e.generated_rings[7] = {64, 1024};
  e.ring_classes[7] = 2;
  DescriptorPair pair;
  pair.source = {DmaAddress::Space::kPeer, 1, 99};
  pair.destination = {DmaAddress::Space::kTensor, 0, 8};
  pair.bytes = 65536;
  pair.barrier = true;
  DescriptorPair to_peer = pair;
  to_peer.destination = {DmaAddress::Space::kPeerTensor, 1, 16};
  e.rings[3][5] = {pair, to_peer};
  e.peer_tensors = {{0, 0}, {7, 0}};
  TransferOrigin origin;
  origin.begin[5] = 1;
  origin.text = "b.cpp:2: dma_load";
  e.transfers[3] = {origin};
  e.links = {{1, 1, {DmaAddress::Space::kTensor, 0, 4}, {DmaAddress::Space::kCore, 0, 5}}};
  e.blobs = {{"operator", {1, 2, 3}}};
  CHECK_FALSE(load_program(save_program({"trn3", {e, e}})).ranks);
  const ProgramFile file = load_program(save_program({"trn3", {e, e}, true}));
  CHECK(file.ranks);
  const Executable& r = file.parts.at(1);
  REQUIRE(r.peer_tensors.size() == 2);
  CHECK(r.peer_tensors[1].part == 7);
  CHECK(r.rings.at(3)[5][1].destination.space == DmaAddress::Space::kPeerTensor);
  CHECK(r.rings.at(3)[5][1].destination.tensor == 1);
  CHECK(r.generated_rings.at(7).sbuf_byte == 1024);
  CHECK(r.ring_classes.at(7) == 2);
  const DescriptorPair& p = r.rings.at(3)[5][0];
  CHECK(p.source.space == DmaAddress::Space::kPeer);
  CHECK(p.source.offset == 99);
  CHECK(p.bytes == 65536);
  CHECK(p.destination_bytes == DescriptorPair::kSame);
  CHECK(p.barrier);
  CHECK(r.transfers.at(3).at(0).begin[5] == 1);
  CHECK(r.transfers.at(3).at(0).text == "b.cpp:2: dma_load");
  CHECK(r.links.at(0).source.offset == 5);
  CHECK(r.blobs.at(0).bytes == std::vector<std::uint8_t>{1, 2, 3});
  CHECK(r.origins[1] == e.origins[1]);
}

TEST_CASE("program files: descriptors that repeat take a byte, any others survive") {
  std::mt19937_64 random(test_seed());
  Executable e;
  e.name = "pairs";
  e.tensors = {{"t", TensorInfo::Kind::kInput, numerics::DType::kBf16, {1 << 20}}};
  // Rows of a transfer, then a word for its semaphore.
  PairList& rows = e.rings[0][0];
  constexpr unsigned kRows = 64, kTransfers = 100;
  for (unsigned t = 0; t < kTransfers; ++t) {
    for (unsigned row = 0; row < kRows; ++row) {
      DescriptorPair pair;
      pair.source.offset = 4096 * t + 256 * row;
      pair.destination = {DmaAddress::Space::kCore, 0, 0x10000 * row + 512 * (t % 3)};
      pair.bytes = 256;
      pair.first = row == 0;
      rows.push_back(pair);
    }
    DescriptorPair word;
    word.source = {DmaAddress::Space::kValue, 0, 1};
    word.destination = {DmaAddress::Space::kCore, 0, 99};
    word.bytes = 4;
    word.last = true;
    rows.push_back(word);
  }
  // Anything, from few values, so that models match now and then.
  for (unsigned n = 0; n < 2000; ++n) {
    DescriptorPair pair;
    const auto any = [&](unsigned values) { return static_cast<std::uint32_t>(random() % values); };
    pair.source = {any(2) == 0 ? DmaAddress::Space::kChip : DmaAddress::Space::kTensor, 0,
                   any(4) == 0 ? ~std::uint64_t{0} : 64 * any(3)};
    pair.destination = {DmaAddress::Space::kPeer, any(2), 64 * any(3)};
    pair.bytes = 64 + any(2);
    pair.destination_bytes = any(2) == 0 ? DescriptorPair::kSame : 64;
    pair.source_word = any(2), pair.destination_word = any(2);
    pair.first = any(2) == 0, pair.last = any(2) == 0, pair.barrier = any(2) == 0;
    e.rings[4][3].push_back(pair);
  }
  const std::string bytes = save_program(ProgramFile{"trn3", {e}});
  const Executable r = load_program(bytes).parts.at(0);
  const auto same = [](const DmaAddress& a, const DmaAddress& b) {
    return a.space == b.space && a.tensor == b.tensor && a.offset == b.offset;
  };
  for (const auto& [ring, engines] : e.rings) {
    for (unsigned engine = 0; engine < Executable::kEngines; ++engine) {
      const auto &before = engines[engine], &after = r.rings.at(ring)[engine];
      REQUIRE(after.size() == before.size());
      for (std::size_t i = 0; i < before.size(); ++i) {
        INFO("ring " << ring << ", engine " << engine << ", pair " << i);
        const DescriptorPair &a = before[i], &b = after[i];
        CHECK((same(a.source, b.source) && same(a.destination, b.destination) &&
               a.bytes == b.bytes && a.destination_bytes == b.destination_bytes &&
               a.source_word == b.source_word && a.destination_word == b.destination_word &&
               a.first == b.first && a.last == b.last && a.barrier == b.barrier));
      }
    }
  }
  Executable only_rows = e;
  only_rows.rings.erase(4);
  CHECK(save_program(ProgramFile{"trn3", {only_rows}}).size() < 2 * kRows * kTransfers);
}

TEST_CASE("program files: what is refused, and how") {
  const std::string good = save_program(product());
  CHECK(refusal("") == "not a program file");
  CHECK(refusal("TERNPROG") == "not a program file");
  CHECK(refusal(good.substr(0, good.size() - 1)) == "truncated");
  CHECK(refusal(good + "x") == "damaged: bytes after its end");
  std::string changed = good;
  changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] ^ 1);
  CHECK(refusal(changed) == "damaged: checksum");
  changed = good;
  changed[8] = 9;
  CHECK(refusal(changed) == "a program file of version 9, this Tern reads version 4");

  const auto refused_to_save = [](const Executable& program) {
    CHECK_THROWS_WITH(save_program({"trn3", {program}}),
                      Catch::StartsWith("this program cannot be saved as a file: damaged: "));
  };
  Executable named = product().parts[0];
  named.name = "a\033[2J";
  refused_to_save(named);
  named = product().parts[0];
  named.tensors[0].name = named.tensors[1].name;
  refused_to_save(named);
  named = product().parts[0];
  named.tensors[0].shape = {1u << 31, 1u << 31, 4};
  refused_to_save(named);
  named = product().parts[0];
  named.ring_classes[Executable::kHostRing] = 0;
  refused_to_save(named);
  named = product().parts[0];
  while (named.tensors.size() <= 65'536) {
    named.tensors.push_back(named.tensors[0]);
    named.tensors.back().name = "t" + std::to_string(named.tensors.size());
  }
  CHECK_THROWS_WITH(save_program({"trn3", {named}}),
                    "this program cannot be saved as a file: tensors: 65537, at most 65536");
}

TEST_CASE("program files: random changes behind a good checksum are read or refused in words") {
  const std::string good = save_program(product());
  std::mt19937_64 random(test_seed());
  unsigned refused = 0;
  constexpr unsigned kChanges = 3000;
  for (unsigned n = 0; n < kChanges; ++n) {
    std::string bytes = good;
    for (std::uint64_t changes = 1 + random() % 3; changes-- > 0;) {
      // Half of them in front, where counts and names are.
      const std::size_t range = random() % 2 == 0 ? 400 : bytes.size() - 24;
      bytes[24 + random() % range] = static_cast<char>(random());
    }
    if (random() % 8 == 0) bytes.resize(24 + random() % (bytes.size() - 24));
    mend(&bytes);
    const std::string message = refusal(bytes);
    refused += !message.empty();
    if (message.empty()) (void)image_of(load_program(bytes).parts[0]);
  }
  CHECK(refused > kChanges / 10);
}

}  // namespace tern::tb
