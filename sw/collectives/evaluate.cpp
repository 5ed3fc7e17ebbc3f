// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sw/base/user_error.h"
#include "sw/collectives/walk.h"
#include "sw/numerics/near_memory.h"

namespace tern::collectives {

namespace {

class Evaluator : public Visitor {
 public:
  Evaluator(const Schedule& schedule, Element element, const std::vector<Bytes>& operands)
      : schedule_(schedule), element_(element), buffers_(schedule.problem.ranks) {
    const std::uint64_t elements = operands.front().size() / bytes_of(element);
    for (unsigned rank = 0; rank < schedule.problem.ranks; ++rank) {
      for (unsigned chunk = 0; chunk < schedule.chunks; ++chunk) {
        const auto at = [&](unsigned c) {
          return operands[rank].begin() +
                 static_cast<std::ptrdiff_t>(bytes_of(element) *
                                             first_element(elements, schedule.chunks, c));
        };
        buffers_[rank][operand()].emplace_back(at(chunk), at(chunk + 1));
      }
      buffers_[rank][result()].resize(schedule.chunks);
      buffers_[rank][kScratch].resize(schedule.scratch);
    }
  }

  void put(const At& at, const Step& step) override {
    for (unsigned i = 0; i < step.count; ++i) {
      const Bytes& from = buffers_[at.rank][number(step.from.buffer)][step.from.chunk + i];
      Bytes& to = buffers_[step.rank][number(step.at.buffer)][step.at.chunk + i];
      if (!step.add) {
        to = from;
      } else if (element_ == Element::kFp32) {
        numerics::add_to_memory_fp32(to.data(), from.data(), from.size());
      } else if (element_ == Element::kBf16) {
        numerics::add_to_memory_bf16(to.data(), from.data(), from.size());
      } else {
        numerics::add_to_memory_fp8(to.data(), from.data(), from.size());
      }
    }
  }

  // Of a reduce-scatter: the own part.
  Bytes result_of(unsigned rank) const {
    const unsigned part = schedule_.chunks / schedule_.problem.parts();
    const bool own = schedule_.problem.operation == Operation::kReduceScatter;
    Bytes all;
    unsigned first = own ? rank * part : 0, end = own ? first + part : schedule_.chunks;
    if (schedule_.problem.operation == Operation::kAllToAllV) end = schedule_.problem.got(rank);
    for (unsigned c = first; c < end; ++c) {
      const Bytes& chunk = buffers_[rank][result()][c];
      all.insert(all.end(), chunk.begin(), chunk.end());
    }
    return all;
  }

 private:
  static constexpr unsigned kScratch = static_cast<unsigned>(Buffer::kScratch);
  static unsigned number(Buffer buffer) { return static_cast<unsigned>(buffer); }
  unsigned operand() const {
    return number(schedule_.problem.in_place() ? Buffer::kData : Buffer::kInput);
  }
  unsigned result() const {
    return number(schedule_.problem.in_place() ? Buffer::kData : Buffer::kOutput);
  }

  const Schedule& schedule_;
  Element element_;
  std::vector<std::array<std::vector<Bytes>, kScratch + 1>> buffers_;  // [rank][buffer][chunk]
};

}  // namespace

const std::vector<std::string>& element_names() {
  static const std::vector<std::string> names = {"fp32", "bf16", "fp8"};
  return names;
}

Element element_named(const std::string& name) {
  const auto& names = element_names();
  return static_cast<Element>(std::find(names.begin(), names.end(), name) - names.begin());
}

unsigned bytes_of(Element element) {
  return element == Element::kFp32 ? 4 : element == Element::kBf16 ? 2 : 1;
}

std::uint64_t first_element(std::uint64_t elements, unsigned chunks, unsigned chunk) {
  // No product of the two, which may not fit.
  return elements / chunks * chunk + elements % chunks * chunk / chunks;
}

std::vector<Bytes> evaluate(const Schedule& schedule, Element element,
                            const std::vector<Bytes>& operands) {
  const Problem& problem = schedule.problem;
  if (operands.size() != problem.ranks)
    throw UserError(fmt::format("{} operands, of {} ranks", operands.size(), problem.ranks));
  for (const Bytes& operand : operands) {
    if (operand.size() != operands.front().size()) throw UserError("operands of several sizes");
  }
  if (operands.front().size() % (std::size_t{problem.parts()} * bytes_of(element)) != 0)
    throw UserError(
        fmt::format("{} bytes of {} do not divide among {} ranks", operands.front().size(),
                    element_names()[static_cast<std::size_t>(element)], problem.parts()));
  Evaluator evaluator(schedule, element, operands);
  walk(schedule, &evaluator);
  std::vector<Bytes> results;
  for (unsigned rank = 0; rank < problem.ranks; ++rank)
    results.push_back(evaluator.result_of(rank));
  return results;
}

}  // namespace tern::collectives
