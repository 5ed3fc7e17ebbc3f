// SPDX-License-Identifier: Apache-2.0
// Collectives between ranks: algorithms of Tern on the collective cores.
#include <algorithm>
#include <string>
#include <vector>

#include "sw/collectives/choice/choice_table.h"
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

using collectives::Operation;
using collectives::Problem;
using collectives::Schedule;

struct Called {
  Problem problem;
  std::vector<std::vector<unsigned>> groups;
};

// What numbers the call has: nki/collectives.py.
Called called(const Instruction& instruction, unsigned ranks) {
  const std::vector<std::int64_t>& numbers = instruction.options.numbers;
  Called call;
  call.problem.operation = static_cast<Operation>(numbers.at(0));
  call.problem.ranks = static_cast<unsigned>(numbers.at(1));
  if (call.problem.operation == Operation::kPermute) {
    for (std::size_t i = 2; i < numbers.size(); ++i)
      call.problem.to.push_back(numbers[i] < 0 ? Problem::kNobody
                                               : static_cast<unsigned>(numbers[i]));
    call.groups.emplace_back();
    for (unsigned rank = 0; rank < ranks; ++rank) call.groups[0].push_back(rank);
    return call;
  }
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if ((i - 2) % call.problem.ranks == 0) call.groups.emplace_back();
    call.groups.back().push_back(static_cast<unsigned>(numbers[i]));
  }
  return call;
}

// The one that the table names, or the first whose chunks divide the elements. on_chip: without
// scratch, because the builder does not know where tiles are.
Schedule schedule_for(const Problem& problem, std::uint64_t elements, std::uint64_t bytes,
                      bool on_chip) {
  // A kernel does not know what it will run on.
  const collectives::GroupLayout group{
      "trn3-nl16-2d", false, {problem.ranks}, collectives::GroupLayout::Level::kCores};
  std::vector<std::string> names = collectives::algorithms_for(problem, group.axes);
  names.insert(names.begin(), collectives::ChoiceTable::builtin().choose(problem, group, bytes));
  for (const std::string& name : names) {
    Schedule schedule = collectives::make_schedule(name, problem, group.axes);
    if (elements % schedule.chunks == 0 && !(on_chip && schedule.scratch > 0)) return schedule;
  }
  throw NkiError(std::string(name_of(problem.operation)) + ": " + std::to_string(elements) +
                 " elements do not divide among " + std::to_string(problem.ranks) + " ranks");
}

// Elements [first, first + count) of a run.
kernels::DmaView part_of(const kernels::DmaView& run, std::uint64_t first, std::uint64_t count) {
  kernels::TensorView part = run.tensor.value();
  part.offset += first * run.element_bytes();
  part.inner = count;
  return part;
}

}  // namespace

// A tensor in HBM as one run of elements; a tile as it is.
kernels::DmaView Lowering::linear(const View& view, const char* role) const {
  if (view.storage().on_chip()) return tile_view(view);
  std::int64_t next = 1;
  for (std::size_t d = view.dimensions(); d-- > 0;) {
    if (view.shape()[d] != 1 && view.strides()[d] != next)
      throw NkiError(std::string("collective: ") + role + " `" + view.text() +
                     "`: its elements must follow each other in HBM; dma_copy makes such a tensor");
    next *= view.shape()[d];
  }
  kernels::TensorView run = tensor_view(view, *tensor_of(view));
  run.partitions = 1;
  run.partition_pitch = 0;
  run.outer = 1;
  run.outer_pitch = 0;
  run.inner = static_cast<std::uint64_t>(view.elements());
  return run;
}

void Lowering::collective(const Instruction& instruction) {
  const View &dst_view = instruction.at("dst"), &src_view = instruction.at("src");
  const kernels::DmaView dst = linear(dst_view, "dst"), src = linear(src_view, "src");
  const Called call = called(instruction, kernel_.ranks);
  const Problem& problem = call.problem;
  unsigned rank = problem.ranks;  // in its group
  for (const std::vector<unsigned>& group : call.groups) {
    const auto at = std::find(group.begin(), group.end(), kernel_.rank);
    if (at != group.end()) rank = static_cast<unsigned>(at - group.begin());
  }
  const bool gathers = problem.operation == Operation::kAllGather;
  const bool scatters = problem.operation == Operation::kReduceScatter;
  const kernels::DmaView& whole = scatters ? src : dst;
  const std::uint64_t elements = whole.row_elements();
  const Schedule schedule =
      schedule_for(problem, elements, whole.elements() * whole.element_bytes(), !dst.in_hbm());
  const kernels::CollectiveOptions options{static_cast<unsigned>(instruction.options.value),
                                           call.groups};
  kernels::CollectiveOperands operands;
  if (!problem.in_place()) {
    operands.input = src;
    operands.output = dst;
  } else if (scatters) {
    kernels::Tensor sums = builder_.scratch("collective sums " + std::to_string(collectives_++),
                                            src.dtype, {1, elements}, where_);
    operands.data = sums.rows_on_partitions(0, 1, 1);
  } else {
    operands.data = dst;
  }
  if (rank < problem.ranks && problem.in_place()) {
    const std::uint64_t part = elements / problem.ranks;
    builder_.dma_copy(gathers ? part_of(dst, rank * part, part) : *operands.data, src, {}, where_);
  }
  builder_.collective(schedule, operands, options, where_);
  if (rank < problem.ranks && scatters) {
    const std::uint64_t part = elements / problem.ranks;
    builder_.dma_copy(dst, part_of(*operands.data, rank * part, part), {}, where_);
  }
}

}  // namespace tern::nki
