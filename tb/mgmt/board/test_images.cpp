// SPDX-License-Identifier: Apache-2.0
// Images that somebody sends: what is wrong with them is one line, never a crash.
#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>

#include "sw/base/user_error.h"
#include "systemc/mgmt/board/image.h"
#include "tb/common/seed.h"

using namespace tern;
using mgmt::BoardConfig;
using mgmt::Image;
using mgmt::kMemoryBase;

namespace {

const BoardConfig& board() {
  static const BoardConfig config = [] {
    BoardConfig small = mgmt::load_board_config("mgmt");
    small.ram_bytes = std::uint64_t{16} << 20;
    return small;
  }();
  return config;
}

// A valid file with two segments, to be spoiled.
struct Elf {
  Elf64_Ehdr header{};
  Elf64_Phdr parts[2]{};
  std::string contents = std::string(8, '\x13') + " two segments";

  Elf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = kMemoryBase;
    header.e_phoff = sizeof header;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof parts[0];
    header.e_phnum = 2;
    for (unsigned i = 0; i < 2; ++i) {
      parts[i].p_type = PT_LOAD;
      parts[i].p_offset = sizeof header + sizeof parts;
      parts[i].p_vaddr = parts[i].p_paddr = kMemoryBase + i * 0x1000;
      parts[i].p_filesz = 8;
      parts[i].p_memsz = 0x100;
    }
  }
  std::string bytes() const {
    std::string file(reinterpret_cast<const char*>(&header), sizeof header);
    file.append(reinterpret_cast<const char*>(parts), sizeof parts);
    return file + contents;
  }
};

std::string complaint(const std::string& file) {
  try {
    mgmt::parse_image("f", file, board(), kMemoryBase);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

template <typename Spoil>
std::string complaint_of(Spoil spoil) {
  Elf elf;
  spoil(elf);
  return complaint(elf.bytes());
}

}  // namespace

TEST_CASE("images: an ELF file goes where its physical addresses say") {
  Elf elf;
  elf.parts[0].p_vaddr = 0x1000;
  elf.header.e_entry = 0x1004;
  const Image image = mgmt::parse_image("f", elf.bytes(), board(), 0);
  CHECK(image.entry == kMemoryBase + 4);
  REQUIRE(image.segments.size() == 2);
  CHECK(image.segments[1].address == kMemoryBase + 0x1000);
  CHECK(image.segments[1].end() == kMemoryBase + 0x1100);
  CHECK(image.contents(image.segments[0]) == elf.contents.substr(0, 8));
}

TEST_CASE("images: a program that runs anywhere, linked at 0, goes where memory begins") {
  Elf elf;
  elf.header.e_type = ET_DYN;
  elf.header.e_entry = 4;
  for (unsigned i = 0; i < 2; ++i) elf.parts[i].p_vaddr = elf.parts[i].p_paddr = i * 0x1000;
  const Image image = mgmt::parse_image("f", elf.bytes(), board(), 0);
  CHECK(image.entry == kMemoryBase + 4);
  CHECK(image.shift == kMemoryBase);
  REQUIRE(image.segments.size() == 2);
  CHECK(image.segments[0].address == kMemoryBase);
  CHECK(image.segments[1].end() == kMemoryBase + 0x1100);
  // One that is linked into memory stays there.
  for (unsigned i = 0; i < 2; ++i) {
    elf.parts[i].p_vaddr = elf.parts[i].p_paddr = kMemoryBase + 0x4000 + i * 0x1000;
  }
  elf.header.e_entry = kMemoryBase + 0x4000;
  CHECK(mgmt::parse_image("f", elf.bytes(), board(), 0).entry == kMemoryBase + 0x4000);
  // Neither of what lies elsewhere.
  elf.parts[0].p_paddr = UINT64_MAX - 0x80;
  CHECK_FALSE(complaint(elf.bytes()).empty());
}

TEST_CASE("images: a raw image up to the end of memory") {
  const std::string whole(board().ram_bytes, 'x');
  const Image image = mgmt::parse_image("f", whole, board(), kMemoryBase);
  CHECK(image.entry == kMemoryBase);
  CHECK(image.segments.front().end() == board().ram_end());
  CHECK(complaint(whole + "x") ==
        "f: an image of 16777217 bytes, memory has room for 16777216 from 0x80000000");
  CHECK_THROWS_AS(mgmt::parse_image("f", "x", board(), board().ram_end()), UserError);
}

TEST_CASE("images: what is wrong with an ELF file") {
  REQUIRE(complaint_of([](Elf&) {}).empty());
  const std::uint64_t size = Elf().bytes().size();
  const struct {
    std::string got, expected;
  } cases[] = {
      {complaint(""), "f: the file is empty"},
      {complaint("\x7f"
                 "ELF"),
       "f: the ELF header is truncated"},
      {complaint(Elf().bytes().substr(0, 40)), "f: the ELF header is truncated"},
      {complaint(Elf().bytes().substr(0, 100)), "f: the ELF program headers are truncated"},
      {complaint(Elf().bytes().substr(0, size - 20)), "beyond the end of the file"},
      {complaint_of([](Elf& e) { e.header.e_ident[EI_CLASS] = 3; }), "no known class"},
      {complaint_of([](Elf& e) { e.header.e_ident[EI_CLASS] = ELFCLASS32; }), "an ELF file"},
      {complaint_of([](Elf& e) { e.header.e_ident[EI_DATA] = ELFDATA2MSB; }), "big-endian"},
      {complaint_of([](Elf& e) { e.header.e_machine = EM_X86_64; }),
       "f: an ELF file for machine 62, expected RISC-V (243)"},
      {complaint_of([](Elf& e) { e.header.e_type = ET_REL; }), "not linked"},
      {complaint_of([](Elf& e) { e.header.e_phnum = 0; }), "without program headers"},
      {complaint_of([](Elf& e) { e.header.e_phnum = 0xFFFF; }), "without program headers"},
      {complaint_of([](Elf& e) { e.header.e_phnum = 0xFFFE; }), "program headers are truncated"},
      {complaint_of([](Elf& e) { e.header.e_phentsize = 8; }), "unknown program headers"},
      {complaint_of([](Elf& e) { e.header.e_phoff = ~0ull - 7; }), "program headers are truncated"},
      {complaint_of([](Elf& e) { e.header.e_entry = 0; }), "begins at 0x0, where it has no code"},
      {complaint_of([](Elf& e) { ++e.header.e_entry; }), "where it has no code"},
      {complaint_of([](Elf& e) { e.parts[0].p_type = e.parts[1].p_type = PT_NOTE; }),
       "f: an ELF file with nothing to load"},
      {complaint_of([](Elf& e) { e.parts[1].p_paddr = 0x1000; }), "is outside of memory"},
      {complaint_of([](Elf& e) { e.parts[1].p_memsz = 1ull << 40; }), "is outside of memory"},
      {complaint_of([](Elf& e) { e.parts[1].p_paddr = ~0ull - 0x10; }),
       "beyond the end of the address space"},
      {complaint_of([](Elf& e) { e.parts[1].p_paddr = kMemoryBase + 0xFF; }),
       "f: segments 0x80000000 .. 0x80000100 and 0x800000ff .. 0x800001ff overlap"},
      {complaint_of([](Elf& e) { e.parts[1].p_filesz = 0x101; }), "longer than itself"},
      {complaint_of([](Elf& e) { e.parts[1].p_offset = ~0ull - 3; }), "beyond the end of the file"},
  };
  for (const auto& one : cases) {
    INFO(one.got);
    CHECK(one.got.find(one.expected) != std::string::npos);
    CHECK(one.got.rfind("f: ", 0) == 0);
    CHECK(one.got.find('\n') == std::string::npos);
  }
}

TEST_CASE("images: compressed instructions need harts with C") {
  Elf elf;
  elf.header.e_flags = 1;
  CHECK(complaint(elf.bytes()).empty());
  BoardConfig plain = board();
  plain.isa = "rv64imafd";
  CHECK_THROWS_WITH(mgmt::parse_image("f", elf.bytes(), plain, 0),
                    "f: has compressed instructions, the harts are rv64imafd");
}

namespace {

// Some bytes or words of the headers changed, and now and then the end cut off.
std::string mutated(std::mt19937_64& random) {
  const std::uint64_t edges[] = {
      0,          1,          7,      0x7F,        0x80,
      0xFF,       0x100,      0xFFFF, kMemoryBase, kMemoryBase + (16u << 20),
      1ull << 32, 1ull << 63, ~0ull};
  std::string file = Elf().bytes();
  const std::size_t headers = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  for (unsigned change = 1 + random() % 4; change != 0; --change) {
    const std::size_t at = random() % headers;
    if (random() % 2 == 0) {
      file[at] = static_cast<char>(random());
    } else {
      const std::uint64_t value = edges[random() % std::size(edges)] + random() % 3 - 1;
      std::memcpy(file.data() + at / 8 * 8, &value, sizeof value);
    }
  }
  if (random() % 8 == 0) file.resize(random() % file.size());
  return file;
}

// False: refused, with one line.
bool taken_well(const std::string& file) {
  try {
    const Image image = mgmt::parse_image("f", file, board(), kMemoryBase);
    std::uint64_t end = kMemoryBase;
    for (const Image::Segment& segment : image.segments) {
      REQUIRE(segment.address >= end);
      REQUIRE(segment.contents <= segment.bytes);
      REQUIRE(image.contents(segment).size() == segment.contents);
      end = segment.end();
    }
    REQUIRE(end <= board().ram_end());
    REQUIRE(image.entry % 2 == 0);
    return true;
  } catch (const UserError& error) {
    REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
    return false;
  }
}

}  // namespace

TEST_CASE("images: mutated headers are taken or refused, and what is taken is inside memory") {
  // The fixed seed in each run, another one on request.
  for (const std::uint64_t seed : {std::uint64_t{0}, tb::test_seed()}) {
    std::mt19937_64 random(seed);
    unsigned taken = 0;
    for (unsigned round = 0; round < 20000; ++round) {
      INFO("seed " << seed << ", round " << round);
      if (taken_well(mutated(random))) ++taken;
    }
    INFO("seed " << seed << ", taken " << taken);
    CHECK(taken > 100);
    CHECK(taken < 19000);
  }
}

TEST_CASE("images: the device tree avoids them, and images avoid each other") {
  const auto raw = [](std::uint64_t at, std::size_t bytes) {
    return mgmt::parse_image("raw", std::string(bytes, 'x'), board(), at);
  };
  constexpr std::uint64_t kMiB = 1 << 20;
  CHECK(mgmt::free_range({}, board(), 6000) == kMemoryBase + 8 * kMiB);
  CHECK(mgmt::free_range({raw(kMemoryBase, 9 * kMiB)}, board(), 6000) == kMemoryBase + 10 * kMiB);
  CHECK(mgmt::free_range({raw(kMemoryBase + 8 * kMiB, 8 * kMiB)}, board(), 6000) ==
        kMemoryBase + 6 * kMiB);
  CHECK_THROWS_AS(mgmt::free_range({raw(kMemoryBase, 16 * kMiB)}, board(), 6000), UserError);
  CHECK_NOTHROW(mgmt::check_apart(raw(kMemoryBase, 16), raw(kMemoryBase + 16, 16)));
  CHECK_THROWS_WITH(mgmt::check_apart(raw(kMemoryBase, 17), raw(kMemoryBase + 16, 16)),
                    "raw: 0x80000010 .. 0x80000020 overlaps 0x80000000 .. 0x80000011 of raw");
}
