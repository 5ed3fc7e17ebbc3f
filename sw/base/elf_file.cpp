// SPDX-License-Identifier: Apache-2.0
#include "sw/base/elf_file.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sw/spec/generated/address_map.h"

namespace tern::base {

namespace {

constexpr std::uint32_t kCompressed = 1, kFloatAbi = 6, kSingle = 2, kReduced = 8;  // e_flags
constexpr std::uint64_t kLocalBegin = TERN_GPSIMD_LOCAL_BASE;
constexpr std::uint64_t kLocalEnd = TERN_GPSIMD_LOCAL_BASE + TERN_GPSIMD_LOCAL_STRIDE;

void require(bool condition, const std::string& message) {
  if (!condition) throw ElfError(message);
}

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + text;
}

// Number `index` of a table of records, which need not be aligned.
template <typename Record>
Record record(const std::vector<std::uint8_t>& file, std::uint64_t table, std::uint64_t index,
              const char* what) {
  const std::uint64_t at = table + index * sizeof(Record);
  require(at + sizeof(Record) <= file.size(), std::string(what) + " beyond the end of the file");
  Record result;
  std::memcpy(&result, file.data() + at, sizeof result);
  return result;
}

std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr) return name;
  const std::string whole = text.get();
  const std::size_t arguments = whole.rfind('(');
  // "(anonymous namespace)::f(int)" keeps its first bracket.
  return arguments == 0 || arguments == std::string::npos ? whole : whole.substr(0, arguments);
}

}  // namespace

ElfFile::ElfFile(const std::vector<std::uint8_t>& file) {
  require(file.size() >= sizeof(Elf32_Ehdr), "not an ELF file: shorter than its header");
  const auto header = record<Elf32_Ehdr>(file, 0, 0, "header");
  require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0, "not an ELF file");
  require(header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
              header.e_machine == EM_RISCV,
          "not for a 32-bit RISC-V processor");
  require(header.e_type == ET_EXEC, "not linked: an executable is expected");
  require((header.e_flags & kCompressed) == 0,
          "has compressed instructions: compile with -march=rv32imf");
  require((header.e_flags & kFloatAbi) <= kSingle && (header.e_flags & kReduced) == 0,
          "passes arguments as the processor cannot: compile with -mabi=ilp32f");
  require(header.e_phentsize == sizeof(Elf32_Phdr), "unknown size of its program headers");
  entry_ = header.e_entry;
  read_segments(file);
  read_symbols(file);
  const bool inside =
      std::any_of(segments_.begin(), segments_.end(), [this](const Segment& segment) {
        return segment.executable && entry_ >= segment.address &&
               entry_ - segment.address < segment.bytes;
      });
  require(inside && entry_ % 4 == 0, "begins at " + hex(entry_) + ", where it has no code");
}

void ElfFile::read_segments(const std::vector<std::uint8_t>& file) {
  const auto header = record<Elf32_Ehdr>(file, 0, 0, "header");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto part = record<Elf32_Phdr>(file, header.e_phoff, i, "program headers");
    if (part.p_type != PT_LOAD || part.p_memsz == 0) continue;
    Segment segment;
    segment.address = part.p_vaddr;
    segment.bytes = part.p_memsz;
    segment.writable = (part.p_flags & PF_W) != 0;
    segment.executable = (part.p_flags & PF_X) != 0;
    const std::uint64_t end = std::uint64_t{part.p_vaddr} + part.p_memsz;
    const std::string what = "segment " + hex(part.p_vaddr) + " .. " + hex(end);
    require(part.p_vaddr >= kLocalBegin && end <= kLocalEnd,
            what + ": outside of the local memory, " + hex(kLocalBegin) + " .. " + hex(kLocalEnd));
    require(part.p_filesz <= part.p_memsz, what + ": its contents are longer than itself");
    require(std::uint64_t{part.p_offset} + part.p_filesz <= file.size(),
            what + ": its contents are beyond the end of the file");
    require(!segment.writable || !segment.executable, what + ": both writable and executable");
    for (const Segment& other : segments_) {
      const std::uint64_t other_end = std::uint64_t{other.address} + other.bytes;
      require(segment.address >= other_end || end <= other.address, what + ": overlaps another");
      const bool same = other.writable == segment.writable;
      const bool share = segment.address / kPage <= (other_end - 1) / kPage &&
                         other.address / kPage <= (end - 1) / kPage;
      require(same || !share, what + ": on one page with a segment that may be used otherwise");
    }
    const auto first = file.begin() + part.p_offset;
    segment.contents.assign(first, first + part.p_filesz);
    segments_.push_back(std::move(segment));
  }
}

void ElfFile::read_symbols(const std::vector<std::uint8_t>& file) {
  const auto header = record<Elf32_Ehdr>(file, 0, 0, "header");
  if (header.e_shnum == 0) return;  // stripped
  require(header.e_shentsize == sizeof(Elf32_Shdr), "unknown size of its section headers");
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto table = record<Elf32_Shdr>(file, header.e_shoff, i, "section headers");
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto names =
        record<Elf32_Shdr>(file, header.e_shoff, table.sh_link, "names of its symbols");
    require(std::uint64_t{names.sh_offset} + names.sh_size <= file.size(),
            "names of its symbols beyond the end of the file");
    for (std::uint64_t s = 0; s < table.sh_size / sizeof(Elf32_Sym); ++s) {
      const auto symbol = record<Elf32_Sym>(file, table.sh_offset, s, "symbols");
      if (ELF32_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= names.sh_size) continue;
      const auto* name = reinterpret_cast<const char*>(file.data()) + names.sh_offset;
      const std::size_t most = names.sh_size - symbol.st_name;
      name += symbol.st_name;
      symbols_.push_back({symbol.st_value, symbol.st_size, std::string(name, strnlen(name, most))});
    }
  }
}

std::string ElfFile::symbol_at(std::uint32_t address) const {
  for (const Symbol& symbol : symbols_) {
    if (address < symbol.address || address - symbol.address >= symbol.bytes) continue;
    const std::string name = readable(symbol.name);
    return address == symbol.address ? name : name + "+" + hex(address - symbol.address);
  }
  return {};
}

}  // namespace tern::base
