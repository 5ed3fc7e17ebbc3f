// SPDX-License-Identifier: Apache-2.0
// Operands in PSUM that Vector and Scalar do not take: over several banks, results of 1 or 2 bytes.
#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/legalizer.h"
#include "sw/nki/trace/chip_pattern.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

constexpr std::int64_t kWord = 4;  // bytes

std::int64_t first_byte(const Storage& storage) {
  return storage.address ? storage.address->byte : 0;
}

// One run of whole words on each partition.
bool is_in_words(const View& view) {
  const ChipPattern pattern = chip_pattern(view, "operand");
  const auto dims = merged(pattern.dims);
  const std::int64_t size = view.type()->bytes();
  return dims.size() == 1 && dims[0].step == 1 && pattern.start * size % kWord == 0 &&
         dims[0].count * size % kWord == 0;
}

}  // namespace

bool Legalizer::crosses_banks(const View& view) {
  const ChipPattern pattern = chip_pattern(view, "operand");
  const std::int64_t size = view.type()->bytes(), first = first_byte(view.storage());
  constexpr std::int64_t kBank = kernels::kPsumBankBytes;
  return (first + pattern.low() * size) / kBank !=
         (first + (pattern.high() + 1) * size - 1) / kBank;
}

Legalizer::Copies Legalizer::take_out_of_psum(Instruction* instruction) {
  Copies results;
  for (Operand& operand : instruction->operands) {
    const View view = operand.view;
    if (view.storage().memory != Memory::kPsum || view.moved() != nullptr) continue;
    const bool is_short = operand.rule->writes() && view.type()->bytes() < kWord;
    if (!is_short && !crosses_banks(view)) continue;
    operand.view = temporary(view, view.type(), 0, instruction->site);
    if (operand.rule->reads()) copy_by_banks(operand.view, view, instruction->site);
    if (operand.rule->writes()) results.emplace_back(view, operand.view);
  }
  return results;
}

void Legalizer::into_psum(const Copies& results, const Site* site) {
  for (const auto& [view, made] : results) store_in_words(view, made, site);
}

// Of one shape. As many steps of the outermost dimension at a time as one bank has.
void Legalizer::copy_by_banks(const View& dst, const View& src, const Site* site) {
  const View& psum = dst.storage().memory == Memory::kPsum ? dst : src;
  if (!crosses_banks(psum)) return copy(dst, src, site);
  std::size_t d = 1;
  while (psum.shape()[d] == 1) ++d;
  const auto dimension = static_cast<std::int64_t>(d);
  const std::int64_t count = psum.shape()[d];
  for (std::int64_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count; ++end) {
      if (crosses_banks(psum.slice(dimension, begin, end + 1))) break;
    }
    copy_by_banks(dst.slice(dimension, begin, end), src.slice(dimension, begin, end), site);
  }
}

// Parts of words: the words are read, changed in SBUF and written.
void Legalizer::store_in_words(const View& dst, const View& src, const Site* site) {
  const std::int64_t size = dst.type()->bytes();
  if (size == kWord) return copy_by_banks(dst, src, site);
  const Storage& storage = dst.storage();
  if (storage.partition_bytes() % kWord != 0) {
    throw NkiError("`" + dst.text() + "` of " + std::string(dst.type()->name) +
                       " as a result in PSUM, in a tensor with no whole number of words of 4 bytes",
                   site, NkiError::Kind::kNotSupported);
  }
  const ElementType* word = element_type("uint32");
  if (is_in_words(dst)) {
    const std::vector<std::int64_t> shape = {dst.shape()[0], dst.elements() / dst.shape()[0]};
    return copy_by_banks(dst.reshape(shape).reinterpret(word), src.reshape(shape).reinterpret(word),
                         site);
  }
  const ChipPattern pattern = chip_pattern(dst, "operand");
  const std::int64_t begin = pattern.low() * size / kWord;
  const std::int64_t end = (pattern.high() * size + size + kWord - 1) / kWord;
  const View words = View(dst.storage_ptr())
                         .slice(0, pattern.partition, pattern.partition + pattern.partitions)
                         .flat_free()
                         .reinterpret(word)
                         .slice(1, begin, end);
  const View changed = temporary(words, word, 0, site);
  copy_by_banks(changed, words, site);
  std::vector<std::pair<std::int64_t, std::int64_t>> steps = {
      {(end - begin) * kWord / size, pattern.partitions}};
  for (const ChipPattern::Dim& dim : pattern.dims) steps.emplace_back(dim.step, dim.count);
  copy(changed.pattern(steps, pattern.start - begin * kWord / size, dst.type()), src, site);
  copy_by_banks(words, changed, site);
}

}  // namespace tern::nki
