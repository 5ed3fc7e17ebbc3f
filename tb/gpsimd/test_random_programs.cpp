// SPDX-License-Identifier: Apache-2.0
// Programs of random instructions, of which a compiler makes none: each is stopped, and changes
// nothing outside of its own partitions. A crash or an endless run of the host is the fault that
// this looks for; scripts/robustness starts it with many seeds.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

#include "misbehave_blob.h"
#include "systemc/gpsimd/processor.h"
#include "tb/common/seed.h"
#include "tb/gpsimd/sbuf_memory.h"

namespace tern::tb {

namespace {

using gpsimd::Processor;
using gpsimd::ProgramResult;

constexpr unsigned kPrograms = 500, kLimit = 20'000;
constexpr std::size_t kLongest = 200;  // instructions
constexpr std::uint32_t kEbreak = 0x00100073;

// Random words, more or less like instructions.
class Instructions {
 public:
  explicit Instructions(std::uint64_t seed) : random_(seed) {}

  std::vector<std::uint32_t> program(std::size_t most) {
    // x5 .. x8: partitions, registers, local memory and its code.
    std::vector<std::uint32_t> words = {lui(5, 0x20000000), lui(6, 0x10000000), lui(7, 0x00018000),
                                        lui(8, 0x00010000)};
    const std::size_t count = std::min<std::size_t>(most, 8 + below(kLongest));
    const unsigned favourite = below(kKinds);
    while (words.size() < count) words.push_back(below(2) == 0 ? of_kind(favourite) : any_kind());
    if (below(2) == 0) words.back() = kEbreak;
    return words;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

 private:
  static constexpr unsigned kKinds = 8;

  static std::uint32_t lui(unsigned rd, std::uint32_t value) { return value | rd << 7 | 0x37; }
  std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }
  // An opcode, the other fields at random; registers often among the prepared ones.
  std::uint32_t fields(unsigned opcode) {
    std::uint32_t word = (bits() & ~0x7fu) | opcode;
    if (below(2) == 0) word = (word & ~(0x1fu << 15)) | (5 + below(4)) << 15;
    return word;
  }
  std::uint32_t with_funct3(std::uint32_t word, unsigned funct3) {
    return (word & ~(7u << 12)) | funct3 << 12;
  }
  std::uint32_t any_kind() { return of_kind(below(kKinds)); }
  std::uint32_t pick(std::initializer_list<unsigned> of) {
    return *(of.begin() + below(static_cast<unsigned>(of.size())));
  }

  std::uint32_t of_kind(unsigned kind) {
    switch (kind) {
      case 0:  // arithmetic, also of floating point
        return fields(pick({0x13, 0x33, 0x17, 0x37, 0x53, 0x43, 0x47, 0x4b, 0x4f}));
      case 1:  // loads and stores near the prepared addresses
        return with_funct3(fields(pick({0x03, 0x23, 0x07, 0x27})), below(3)) & 0x0fffffff;
      case 2:  // control registers, ecall, mret, sret, wfi, sfence, fence
        return below(3) == 0 ? pick({0x00000073, 0x00100073, 0x00200073, 0x10200073, 0x30200073,
                                     0x10500073, 0x12000073, 0x0000100f, 0x0ff0000f})
                             : fields(0x73);
      case 3:  // atomic
        return with_funct3(fields(0x2f), 2);
      case 4:  // compressed: two of them
        return bits() & ~(1u << below(2)) & ~(1u << (16 + below(2)));
      case 5:  // vector, and its loads and stores
        return with_funct3(fields(pick({0x57, 0x07, 0x27})), below(8));
      case 6: {  // near jumps and branches
        const std::uint32_t word = fields(pick({0x63, 0x6f, 0x67}));
        return below(4) == 0 ? word : word & 0x80ff8fff;
      }
      default:
        return bits();
    }
  }

  std::mt19937_64 random_;
};

// The file with the words in the place of its first instructions.
std::vector<std::uint8_t> file_of(const std::vector<std::uint8_t>& good, std::size_t code,
                                  const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> file = good;
  std::memcpy(&file[code], words.data(), 4 * words.size());
  return file;
}

struct Code {
  std::size_t offset = 0;  // in the file, of the entry
  std::size_t words = 0;   // up to the end of its segment
};

Code code_of(const std::vector<std::uint8_t>& file) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, &file[at], 4);
    return value;
  };
  const std::uint32_t entry = word(24);
  std::size_t header = word(28);  // program header: type, offset, address, -, bytes in the file
  while (entry < word(header + 8) || entry - word(header + 8) >= word(header + 16)) header += 32;
  const std::uint32_t within = entry - word(header + 8);
  return {word(header + 4) + within, (word(header + 16) - within) / 4};
}

}  // namespace

TEST_CASE("gpsimd random programs: each is stopped, and stays in its own partitions") {
  const std::vector<std::uint8_t> good = gpsimd_blob::misbehave();
  const Code code = code_of(good);
  GpsimdProgramConfig config;
  config.start_cycles = 150;
  config.local_load_cycles = 3;
  config.sbuf_load_cycles = 8;
  config.limit_cycles = kLimit;
  SbufMemory sbuf;
  unsigned ended_by_limit = 0;
  for (unsigned number = 0; number < kPrograms; ++number) {
    Instructions instructions(test_seed() * kPrograms + number);
    const std::vector<std::uint32_t> words = instructions.program(code.words);
    const unsigned processor = instructions.below(Processor::kCount);
    INFO("seed " << test_seed() << ", program " << number << " of " << words.size()
                 << " words, processor " << processor);
    std::fill(sbuf.bytes().begin(), sbuf.bytes().end(), std::uint8_t{0x5a});
    const base::ElfFile file(file_of(good, code.offset, words));
    const ProgramResult result =
        Processor(file, sbuf.window(), config, {}).run(processor, {1, 2, 3, 4, 5, 6, 7, 8});
    REQUIRE(result.fault.reason < TERN_PROGRAM_FAULT_COUNT);
    // The last block may begin below the limit: at most two instructions a word, each a slow load.
    REQUIRE(result.cycles <= kLimit + 20 * code.words);
    ended_by_limit += result.fault.reason == TERN_PROGRAM_FAULT_LIMIT;
    // Everything else is as it was, also between the partitions.
    for (unsigned p = 0; p < 128; ++p) {
      const std::uint8_t* begin = sbuf.partition(p);
      const bool own = p / 16 == processor;
      const std::uint8_t* first = begin + (own ? SbufMemory::kPartitionBytes : 0);
      REQUIRE(std::all_of(first, begin + SbufMemory::kPitch,
                          [](std::uint8_t byte) { return byte == 0x5a; }));
    }
  }
  CHECK(ended_by_limit < kPrograms / 2);  // most do more than jump to themselves
}

}  // namespace tern::tb
