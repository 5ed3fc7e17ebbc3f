// SPDX-License-Identifier: Apache-2.0
#include "tb/runtime/edited_snapshots.h"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "sw/base/state_archive.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/core/bench/program.h"

namespace tern::tb {

namespace {

using base::StateArchive;

constexpr std::size_t kEdit = 5;  // bytes of one
constexpr unsigned kBufferBytes = 4096;

ChipConfig small_chip() {
  return load_chip_config("trn3", {{"cores", "1", "test"},
                                   {"core.sbuf_kib_per_partition", "8", "test"},
                                   {"hbm.stacks", "1", "test"},
                                   {"hbm.stack_gib", "1", "test"},
                                   {"hbm.scrub_gb_per_s", "0.1", "test"},
                                   {"hbm.faults_per_s", "1000", "test"}})
      .chip;
}

}  // namespace

EditedSnapshots::Side::Side(const std::string& name) : chip(name, small_chip()) {}

void EditedSnapshots::Side::prepare() {
  runtime = std::make_unique<runtime::Runtime>(chip.host());
  buffer = std::make_unique<runtime::Buffer>(runtime->allocate("b", kBufferBytes));
  work();
}

EditedSnapshots::EditedSnapshots() : good_("good"), edited_("edited") {
  simulation_.run([this] {
    good_.prepare();
    edited_.prepare();
  });
}

std::string EditedSnapshots::good_state() {
  good_.chip.settle();
  if (const std::string what = good_.chip.in_flight(); !what.empty()) throw std::logic_error(what);
  std::string state;
  StateArchive archive(StateArchive::Mode::kSave, [&](void* bytes, std::size_t count) {
    state.append(static_cast<const char*>(bytes), count);
  });
  good_.chip.archive_state(archive);
  return state;
}

// A bit of everything: memory, a program with a transfer, registers.
void EditedSnapshots::Side::work() {
  std::vector<std::uint8_t> bytes(kBufferBytes, 0x5A);
  runtime->copy_to_device(*buffer, bytes.data(), bytes.size());
  chip.host().write32(TERN_CORE_BASE + TERN_CORE_PSUM_BASE, 0x3F800000);
  Executable program;
  program.name = "work";
  program.queues[TERN_QUEUE_VECTOR] = {updates(nop(), TERN_UPD_OP_INC, 1), halt()};
  program.queues[TERN_QUEUE_SYNC] = {waits(nop(), TERN_WAIT_COND_GE, 1, 1), halt()};
  DescriptorPair copy;
  copy.source = {DmaAddress::Space::kChip, 0, buffer->address()};
  copy.destination = {DmaAddress::Space::kCore, 0, TERN_CORE_SBUF_BASE};
  copy.bytes = 1024;
  copy.first = copy.last = true;
  program.rings[1][2] = {copy};
  tern_instruction_t trigger = dma_trigger(1, 0);
  trigger.dma_trigger.count[2] = 1;
  program.queues[TERN_QUEUE_SYNC].insert(program.queues[TERN_QUEUE_SYNC].begin(), trigger);
  auto loaded = runtime->load(program, {}, 0);
  runtime->run(loaded, 1e-3);
  runtime->copy_from_device(*buffer, bytes.data(), bytes.size());
}

void EditedSnapshots::restore(const std::string& state) {
  std::size_t at = 0;
  StateArchive archive(StateArchive::Mode::kRestore, [&](void* bytes, std::size_t count) {
    if (count > state.size() - at) throw UserError("truncated");
    std::memcpy(bytes, state.data() + at, count);
    at += count;
  });
  edited_.chip.archive_state(archive);
  if (at != state.size()) throw UserError("longer than its contents");
}

std::string EditedSnapshots::offer(const std::string& edits) {
  std::string refusal;
  simulation_.run([&] {
    edited_.chip.settle();
    std::string state = good_state();
    for (std::size_t i = 0; i + kEdit <= edits.size(); i += kEdit) {
      std::uint32_t position = 0;
      std::memcpy(&position, &edits[i], sizeof position);
      state[position % state.size()] = edits[i + 4];
    }
    try {
      restore(state);
    } catch (const UserError& error) {
      refusal = error.what();
      return;
    }
    try {
      edited_.chip.settle();
      edited_.work();
    } catch (const RunError&) {
      // What was restored may well be a chip on which this fails.
    }
    try {
      edited_.runtime->reset(0);
    } catch (const RunError&) {
    }
  });
  return refusal;
}

}  // namespace tern::tb
