// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

constexpr std::size_t kLongestName = 200;

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
};

std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  std::string text = base::printable(status == 0 ? plain.get() : name);
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
  return text.substr(0, kLongestName);
}

// Nothing of a file is trusted: every record is looked for inside it.
template <typename Elf>
class Reader {
 public:
  Reader(const std::string& name, std::string_view file) : name_(name), file_(file) {}

  std::vector<Symbol> read() {
    const auto header = record<typename Elf::Header>(0);
    if (header.e_machine != EM_RISCV) refuse("no ELF file of RISC-V");
    std::vector<Symbol> found;
    if (header.e_shoff == 0) return found;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const auto table = section(header, i);
      if (table.sh_type != SHT_SYMTAB) continue;
      add(header, table, found);
      break;  // a file has one; more of them would only multiply it
    }
    return found;
  }

 private:
  [[noreturn]] void refuse(const char* what) const { throw UserError(name_ + ": " + what); }

  template <typename Record>
  Record record(std::uint64_t offset) const {
    if (offset > file_.size() || sizeof(Record) > file_.size() - offset)
      refuse("its symbols are truncated");
    Record result;
    std::memcpy(&result, file_.data() + offset, sizeof result);
    return result;
  }

  typename Elf::Section section(const typename Elf::Header& header, unsigned index) const {
    return record<typename Elf::Section>(header.e_shoff +
                                         std::uint64_t{index} * sizeof(typename Elf::Section));
  }

  std::string text(std::uint64_t offset) const {
    if (offset >= file_.size()) refuse("its symbols are truncated");
    const std::string_view rest = file_.substr(offset, 4096);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  void add(const typename Elf::Header& header, const typename Elf::Section& table,
           std::vector<Symbol>& found) const {
    if (table.sh_link >= header.e_shnum) refuse("its symbols are truncated");
    const auto names = section(header, table.sh_link);
    const std::uint64_t count = table.sh_size / sizeof(typename Elf::Symbol);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto symbol =
          record<typename Elf::Symbol>(table.sh_offset + i * sizeof(typename Elf::Symbol));
      const unsigned type = symbol.st_info & 0xf;
      if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx == SHN_UNDEF ||
          symbol.st_shndx >= header.e_shnum || symbol.st_name == 0)
        continue;
      // Labels are code only in a section of code, and `.L0`, `$x` are nobody's.
      if ((section(header, symbol.st_shndx).sh_flags & SHF_EXECINSTR) == 0) continue;
      std::string name = text(names.sh_offset + symbol.st_name);
      if (name.empty() || name[0] == '.' || name[0] == '$') continue;
      found.push_back({symbol.st_value, symbol.st_value + symbol.st_size, std::move(name)});
    }
  }

  const std::string& name_;
  const std::string_view file_;
};

}  // namespace

void Symbols::add(const std::string& name, std::string_view file, std::uint64_t shift) {
  if (file.size() < EI_NIDENT || file.substr(0, SELFMAG) != ELFMAG)
    throw UserError(name + ": no ELF file, so it has no symbols");
  std::vector<Symbol> found = file[EI_CLASS] == ELFCLASS32 ? Reader<Elf32>(name, file).read()
                                                           : Reader<Elf64>(name, file).read();
  for (Symbol& symbol : found) {
    symbol.begin += shift;
    symbol.end += shift;
    symbol.name = readable(symbol.name);
    symbols_.push_back(std::move(symbol));
  }
  // Of several at one address the largest.
  const auto before = [](const Symbol& a, const Symbol& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  };
  std::stable_sort(symbols_.begin(), symbols_.end(), before);
  const auto same = [](const Symbol& a, const Symbol& b) { return a.begin == b.begin; };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same), symbols_.end());
  for (std::size_t i = 0; i + 1 < symbols_.size(); ++i) {
    if (symbols_[i].end <= symbols_[i].begin || symbols_[i].end > symbols_[i + 1].begin)
      symbols_[i].end = symbols_[i + 1].begin;
  }
  if (!symbols_.empty() && symbols_.back().end <= symbols_.back().begin)
    symbols_.back().end = symbols_.back().begin + 4096;
}

const Symbol* Symbols::find(std::uint64_t address) const {
  const auto after =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](std::uint64_t at, const Symbol& symbol) { return at < symbol.begin; });
  if (after == symbols_.begin()) return nullptr;
  const Symbol& symbol = *std::prev(after);
  return address < symbol.end ? &symbol : nullptr;
}

}  // namespace tern::mgmt
