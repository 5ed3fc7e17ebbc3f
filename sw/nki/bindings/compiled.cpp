// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/bindings/compiled.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"
#include "sw/runtime/program_file.h"
#include "sw/spec/generated/isa.h"

namespace tern::nki {

namespace {

// Tensors in HBM that the programs share get one name and one role; others keep names of their own.
void share(Kernel& first, Kernel& second) {
  const auto shared = [](const Kernel& kernel) {
    std::vector<Storage*> result;
    for (const StoragePtr& storage : kernel.storages) {
      if (storage->shared) result.push_back(storage.get());
    }
    return result;
  };
  const std::vector<Storage*> ours = shared(first), theirs = shared(second);
  const std::size_t count = std::min(ours.size(), theirs.size());
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    if (i < count && ours[i]->shape == theirs[i]->shape && ours[i]->type == theirs[i]->type) {
      continue;
    }
    const Storage& odd = i < ours.size() ? *ours[i] : *theirs[i];
    throw NkiError("tensor `" + odd.name + nki::shape_text(odd.shape) +
                       "` in shared_hbm: the programs of the two cores must make the same ones in "
                       "the same order",
                   odd.site);
  }
  for (const StoragePtr& storage : second.storages) {
    if (!storage->on_chip() && !storage->shared) storage->name += "@1";
  }
  for (std::size_t i = 0; i < count; ++i) {
    theirs[i]->name = ours[i]->name;
    ours[i]->role = theirs[i]->role = std::max(ours[i]->role, theirs[i]->role);  // kUpdated wins
  }
}

// Ranks have tensors of their own.
void name_tensors_of(Kernel& rank) {
  for (const StoragePtr& storage : rank.storages) {
    if (!storage->on_chip()) storage->name += "@" + std::to_string(rank.rank);
  }
}

// Where an operand of a collective is, as it must be on every rank.
std::string place_of(const View& view, unsigned rank) {
  const Storage& storage = view.storage();
  std::string text = nki::shape_text(view.shape()) + " of " + std::string(view.type()->name);
  if (storage.on_chip()) {
    return text + " from partition " + std::to_string(storage.address->partition) + " at byte " +
           std::to_string(storage.address->byte + view.offset() * view.type()->bytes()) +
           " of SBUF";
  }
  const std::string end = "@" + std::to_string(rank);
  return text + " at element " + std::to_string(view.offset()) + " of tensor `" +
         storage.name.substr(0, storage.name.size() - end.size()) + nki::shape_text(storage.shape) +
         "`";
}

std::vector<const Instruction*> collectives_of(const Kernel& kernel) {
  std::vector<const Instruction*> found;
  for (const Instruction& instruction : kernel.instructions) {
    if (std::string_view(instruction.signature->name) == "collective")
      found.push_back(&instruction);
  }
  return found;
}

// Each rank reckons where the others have their operands: they must call the same collectives in
// the same order, on operands at the same places.
void check_ranks(const std::vector<Kernel*>& ranks) {
  const auto first = collectives_of(*ranks[0]);
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const auto own = collectives_of(*ranks[r]);
    const std::string rank = "rank " + std::to_string(r);
    for (std::size_t i = 0; i < std::min(first.size(), own.size()); ++i) {
      const Instruction &a = *first[i], &b = *own[i];
      if (a.options.numbers != b.options.numbers || a.options.value != b.options.value)
        throw NkiError("collective " + std::to_string(i + 1) + " of " + rank +
                           " is another one, or of other groups, than that of rank 0",
                       b.site);
      for (const char* role : {"dst", "src"}) {
        const std::string there = place_of(a.at(role), 0);
        const std::string here = place_of(b.at(role), static_cast<unsigned>(r));
        if (there != here)
          throw NkiError(std::string("a collective needs its operands at the same place on every "
                                     "rank: ") +
                             role + " is " + here + " on " + rank + ", and " + there + " on rank 0",
                         b.site);
      }
    }
    if (first.size() != own.size()) {
      const auto& longer = first.size() > own.size() ? first : own;
      throw NkiError(rank + " calls " + std::to_string(own.size()) + " collectives, rank 0 " +
                         std::to_string(first.size()),
                     longer[std::min(first.size(), own.size())]->site);
    }
  }
}

bool does_something(const tern_instruction_t& instruction) {
  switch (instruction.header.opcode) {
    case TERN_OPCODE_NOP:
    case TERN_OPCODE_HALT:
    case TERN_OPCODE_EXTEND:
      return false;
    default:
      return true;
  }
}

std::multimap<std::string, Compiled::Place> places_of(const std::vector<Kernel*>& programs) {
  std::multimap<std::string, Compiled::Place> places;
  std::set<const Site*> known;
  for (const Kernel* kernel : programs) {
    for (const Instruction& instruction : kernel->instructions) {
      const Site* site = instruction.site;
      if (site == nullptr || site->frames.empty() || !known.insert(site).second) continue;
      places.emplace(site->text(), Compiled::Place{instruction.signature->name, *site});
    }
  }
  return places;
}

}  // namespace

Compiled compile(const std::vector<Kernel*>& programs, const std::string& preset,
                 const CompileOptions& options) {
  const bool ranks = programs.front()->ranks > 1;
  if (ranks) {
    for (Kernel* kernel : programs) name_tensors_of(*kernel);
  } else if (programs.size() == 2) {
    share(*programs[0], *programs[1]);
    if (options.check_use) check_outputs(programs);
  }
  for (Kernel* kernel : programs) {
    for (const Pass& pass : passes()) {
      pass.run(*kernel, options);
      if (options.after) options.after(pass.name, *kernel);
    }
  }
  if (ranks) check_ranks(programs);
  runtime::ProgramFile file;
  file.chip = preset;
  file.ranks = ranks;
  for (const Kernel* kernel : programs) {
    const Kernel* other = programs.size() == 2 && !ranks ? programs[1 - kernel->program] : nullptr;
    file.parts.push_back(Lowering(*kernel, other).run());
  }
  Compiled compiled;
  compiled.chip = preset;
  for (std::size_t q = 0; q < file.parts.front().queues.size(); ++q) {
    std::size_t count = 0;
    for (const Executable& part : file.parts) {
      count += static_cast<std::size_t>(
          std::count_if(part.queues[q].begin(), part.queues[q].end(), does_something));
    }
    compiled.instructions.push_back(count);
  }
  for (const Executable& part : file.parts) {
    for (const auto& ring : part.rings) {
      for (const PairList& pairs : ring.second) {
        compiled.descriptors += pairs.size();
        compiled.descriptor_bytes += pairs.bytes();
      }
    }
  }
  for (Kernel* kernel : programs) {
    for (const StoragePtr& storage : kernel->storages) {
      if (storage->on_chip() || storage->role == Role::kScratch) continue;
      if (kernel->program != 0 && storage->shared) continue;
      compiled.tensors.push_back(
          {storage->name, storage->role, std::string(storage->type->name), storage->shape});
    }
  }
  compiled.places = places_of(programs);
  for (Kernel* kernel : programs) {
    kernel->instructions = {};
    compiled.spilled.stored += kernel->spilled.stored;
    compiled.spilled.loaded += kernel->spilled.loaded;
    compiled.spilled.repeated += kernel->spilled.repeated;
  }
  compiled.program = runtime::save_program(std::move(file));
  return compiled;
}

}  // namespace tern::nki
