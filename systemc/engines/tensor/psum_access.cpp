// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/psum_access.h"

#include <algorithm>

#include "systemc/engines/tensor/tensor_timeline.h"

namespace tern {

void PsumAccess::array_issues(std::uint64_t now, std::uint64_t issue,
                              const TensorCommand& command) {
  reads_.erase(std::remove_if(reads_.begin(), reads_.end(),
                              [&](const Reads& r) { return r.begin + r.columns < now; }),
               reads_.end());
  // A column's old value is read one cycle before the new one is written.
  reads_.push_back({issue + write_delay(shape_, command) - 1, written_columns(command),
                    first_element(shape_, command), elements_of_bank(shape_, command),
                    result_slots(command) > 1, command.stochastic});
  const auto open = std::upper_bound(taken_.begin(), taken_.end(), now);
  plan(static_cast<std::size_t>(open - taken_.begin()), now + 1);
}

void PsumAccess::start(std::uint64_t now, const PsumTransfer& transfer) {
  past_conflicts_ += conflicts_;
  start_ = now;
  first_column_ = transfer.column;
  taken_.resize(transfer.columns);
  plan(0, now);
}

void PsumAccess::plan(std::size_t column, std::uint64_t earliest) {
  std::uint64_t cycle = earliest;
  if (column > 0) cycle = std::max(cycle, taken_[column - 1] + 1);
  for (; column < taken_.size(); ++column) {
    const auto bank = static_cast<unsigned>((first_column_ + column) / shape_.bank_columns);
    while (refused(cycle, bank)) ++cycle;
    taken_[column] = cycle++;
  }
  conflicts_ = taken_.empty() ? 0 : end() - start_ - taken_.size();
}

bool PsumAccess::refused(std::uint64_t cycle, unsigned bank) const {
  for (const Reads& reads : reads_) {
    if (bank == shape_.psum_banks) {
      // Generators step when their result is written.
      if (reads.stochastic && cycle > reads.begin && cycle <= reads.begin + reads.columns) {
        return true;
      }
      continue;
    }
    if (cycle < reads.begin || cycle >= reads.begin + reads.columns) continue;
    const std::uint64_t read = (reads.first + cycle - reads.begin) / reads.elements;
    const unsigned slots = banks_between_slots(shape_);
    if (reads.quad ? bank % slots == read : bank == read) return true;
  }
  return false;
}

}  // namespace tern
