// SPDX-License-Identifier: Apache-2.0
// Programs of two cores: their common start, what they send each other, barriers.
#include <string_view>

#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

bool is_send(const Instruction& instruction) {
  return std::string_view(instruction.signature->name) == "sendrecv";
}

}  // namespace

void Lowering::join_programs() {
  if (kernel_.ranks > 1) {
    builder_.join_parts(kernel_.rank, kernel_.ranks, {kernel_.name().c_str(), 0});
    return;
  }
  if (other_ == nullptr) return;
  where_ = {kernel_.name().c_str(), 0};
  for (const Kernel* kernel : {&kernel_, other_}) {
    for (const Instruction& instruction : kernel->instructions) {
      if (!is_send(instruction)) continue;
      Pipe& pipe = pipes_[instruction.options.value];
      if (kernel == other_) pipe.there.push_back(&instruction);
    }
  }
  unsigned number = 0;
  for (auto& [id, pipe] : pipes_) pipe.number = number++;
  builder_.join_cores(kernel_.program, kernel_.programs, where_);
  builder_.prepare_exchange(number, where_);
}

void Lowering::sendrecv(const Instruction& instruction) {
  const View &dst = instruction.at("dst"), &src = instruction.at("src");
  Pipe& pipe = pipes_.at(instruction.options.value);
  if (pipe.next == pipe.there.size()) {
    throw NkiError("sendrecv: the other core has none that belongs to it, with pipe_id " +
                       std::to_string(instruction.options.value),
                   instruction.site);
  }
  const View& there = pipe.there[pipe.next++]->at("dst");
  if (there.shape() != src.shape() || there.type() != src.type()) {
    throw NkiError("sendrecv: src" + nki::shape_text(src.shape()) + " of " +
                       std::string(src.type()->name) + " goes to `" + there.text() + "` of " +
                       std::string(there.type()->name) + " on the other core",
                   instruction.site);
  }
  builder_.send_receive(tile_view(dst), tile_view(src), tile_view(there), pipe.number, where_);
}

void Lowering::core_barrier(const Instruction& instruction) {
  if (other_ == nullptr) return;
  builder_.core_barrier(dma_side(View(instruction.at("data").storage_ptr())), where_);
}

}  // namespace tern::nki
