// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tern::tb {

struct ElfLabel {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
  bool code = true;
};

// An ELF file of RISC-V with nothing but symbols: sections none, text, data, symbols, names.
inline std::string small_elf(const std::vector<ElfLabel>& labels) {
  std::string names(1, '\0'), table(sizeof(Elf64_Sym), '\0');
  for (const ElfLabel& label : labels) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = label.bytes != 0 && label.code ? STT_FUNC : STT_NOTYPE;
    symbol.st_shndx = label.code ? 1 : 2;
    symbol.st_value = label.address;
    symbol.st_size = label.bytes;
    table.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
    names += label.name + '\0';
  }
  constexpr unsigned kSections = 5;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_RISCV;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSections;
  Elf64_Shdr sections[kSections] = {};
  sections[1].sh_type = sections[2].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  sections[3].sh_type = SHT_SYMTAB;
  sections[3].sh_offset = sizeof header + sizeof sections;
  sections[3].sh_size = table.size();
  sections[3].sh_link = 4;
  sections[4].sh_type = SHT_STRTAB;
  sections[4].sh_offset = sections[3].sh_offset + table.size();
  sections[4].sh_size = names.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections) + table + names;
}

}  // namespace tern::tb
