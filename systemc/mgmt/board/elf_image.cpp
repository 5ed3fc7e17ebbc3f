// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/elf_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  static constexpr unsigned kBits = 32;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  static constexpr unsigned kBits = 64;
};

// Compressed instructions in e_flags (RISC-V psABI).
constexpr std::uint32_t kCompressed = 1;

class Reader {
 public:
  Reader(Image& image, const BoardConfig& config) : image_(image), config_(config) {}

  void read() {
    require(image_.file.size() >= EI_NIDENT, "the ELF header is truncated");
    const auto file_class = static_cast<unsigned char>(image_.file[EI_CLASS]);
    require(file_class == ELFCLASS32 || file_class == ELFCLASS64, "an ELF file of no known class");
    require(image_.file[EI_DATA] == ELFDATA2LSB, "an ELF file of big-endian bytes");
    if (file_class == ELFCLASS32) return read_as<Elf32>();
    read_as<Elf64>();
  }

 private:
  void require(bool condition, const std::string& message) const {
    if (!condition) throw UserError(image_.name + ": " + message);
  }

  template <typename Record>
  Record record(std::uint64_t offset, const char* what) const {
    const std::uint64_t size = image_.file.size();
    require(offset <= size && sizeof(Record) <= size - offset,
            fmt::format("the ELF {} truncated", what));
    Record result;
    std::memcpy(&result, image_.file.data() + offset, sizeof result);
    return result;
  }

  template <typename Elf>
  void read_as() {
    const auto header = record<typename Elf::Header>(0, "header is");
    require(header.e_machine == EM_RISCV,
            fmt::format("an ELF file for machine {}, expected RISC-V ({})", header.e_machine,
                        EM_RISCV));
    const unsigned xlen = config_.hart().xlen;
    require(Elf::kBits == xlen, fmt::format("an ELF file of {} bits, the harts are {}; see --isa",
                                            Elf::kBits, config_.isa));
    require(header.e_type == ET_EXEC || header.e_type == ET_DYN,
            "an ELF file that is not linked: an executable is expected");
    require(config_.hart().compressed || (header.e_flags & kCompressed) == 0,
            "has compressed instructions, the harts are " + config_.isa);
    require(header.e_phnum != 0 && header.e_phnum != PN_XNUM,
            "an ELF file without program headers");
    require(header.e_phentsize == sizeof(typename Elf::Segment),
            "an ELF file with unknown program headers");
    bool entered = false;
    image_.shift = load_shift<Elf>(header);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const auto part = segment<Elf>(header, i);
      if (part.p_type != PT_LOAD || part.p_memsz == 0) continue;
      add<Elf>(part);
      if (header.e_entry < part.p_vaddr || header.e_entry - part.p_vaddr >= part.p_memsz) continue;
      image_.entry = image_.shift + header.e_entry - part.p_vaddr + part.p_paddr;
      entered = true;
    }
    require(!image_.segments.empty(), "an ELF file with nothing to load");
    require(entered && image_.entry % 2 == 0,
            fmt::format("begins at {}, where it has no code", base::hex(header.e_entry)));
  }

  template <typename Elf>
  typename Elf::Segment segment(const typename Elf::Header& header, unsigned index) const {
    const std::uint64_t table = header.e_phoff;
    const std::uint64_t offset = std::uint64_t{index} * sizeof(typename Elf::Segment);
    require(table <= image_.file.size(), "the ELF program headers are truncated");
    return record<typename Elf::Segment>(table + offset, "program headers are");
  }

  // A program that runs anywhere and is linked at 0, as OpenSBI 1.6 is, is loaded where memory
  // begins.
  template <typename Elf>
  std::uint64_t load_shift(const typename Elf::Header& header) const {
    if (header.e_type != ET_DYN) return 0;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const auto part = segment<Elf>(header, i);
      if (part.p_type == PT_LOAD && part.p_memsz != 0 && part.p_paddr >= kMemoryBase) return 0;
    }
    return kMemoryBase;
  }

  template <typename Elf>
  void add(const typename Elf::Segment& part) {
    const std::string what =
        fmt::format("segment {} of {} bytes", base::hex(part.p_paddr), std::uint64_t{part.p_memsz});
    const std::uint64_t size = image_.file.size();
    require(std::uint64_t{part.p_paddr} + part.p_memsz > part.p_paddr,
            what + ": beyond the end of the address space");
    require(part.p_filesz <= part.p_memsz, what + ": its contents are longer than itself");
    require(part.p_offset <= size && part.p_filesz <= size - part.p_offset,
            what + ": its contents are beyond the end of the file");
    image_.segments.push_back(
        {image_.shift + part.p_paddr, part.p_memsz, part.p_offset, part.p_filesz});
  }

  Image& image_;
  const BoardConfig& config_;
};

}  // namespace

bool is_elf(std::string_view file) {
  return file.size() >= SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

void read_elf(Image& image, const BoardConfig& config) {
  Reader(image, config).read();
}

}  // namespace tern::mgmt
