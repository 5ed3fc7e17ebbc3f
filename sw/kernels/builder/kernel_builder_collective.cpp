// SPDX-License-Identifier: Apache-2.0
// Collectives: a schedule as programs of the collective cores.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_collectives.h"
#include "sw/kernels/builder/dma/packet_list.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/spec/queues.h"

namespace tern::kernels {

namespace {

using collectives::Buffer;
using collectives::Schedule;
using collectives::Step;

constexpr const char* kName = "collective";
constexpr unsigned kEngines = Executable::kEngines;

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": " + kName + ": " + message);
}

// The group of a part; all must be possible.
const std::vector<unsigned>* group_of(unsigned part, unsigned parts, unsigned ranks,
                                      const std::vector<std::vector<unsigned>>& groups,
                                      SourceLine where) {
  std::set<unsigned> seen;
  const std::vector<unsigned>* own = nullptr;
  for (const std::vector<unsigned>& group : groups) {
    if (group.size() != ranks)
      fail(where, "a group of " + std::to_string(group.size()) + " parts, of " +
                      std::to_string(ranks) + " ranks");
    for (const unsigned member : group) {
      if (member >= parts)
        fail(where, "part " + std::to_string(member) + " of " + std::to_string(parts));
      if (!seen.insert(member).second)
        fail(where, "part " + std::to_string(member) + " is in groups twice");
      if (member == part) own = &group;
    }
  }
  return own;
}

}  // namespace

// One collective, of one part.
class CollectiveCalls::CollectiveWriter {
 public:
  CollectiveWriter(CollectiveCalls* builder, const Schedule& schedule,
                   const CollectiveOperands& operands, const CollectiveOptions& options,
                   const std::vector<unsigned>& parts, SourceLine where)
      : kb_(*builder),
        schedule_(schedule),
        priority_(options.priority),
        parts_(parts),
        where_(where),
        rank_(static_cast<unsigned>(std::find(parts.begin(), parts.end(), kb_.group_.core) -
                                    parts.begin())),
        steps_(schedule, rank_) {
    take(Buffer::kData, operands.data, schedule.problem.in_place());
    take(Buffer::kInput, operands.input, !schedule.problem.in_place());
    take(Buffer::kOutput, operands.output, !schedule.problem.in_place());
    if (schedule.scratch > 0 && any_) buffers_.emplace(Buffer::kScratch, make_scratch());
  }

  void write(const std::vector<Flow>& flows) {
    for (const Flow& flow : flows) {
      if (flow.target == rank_) incoming_[{flow.source, flow.stream}] = &flow;
    }
    const std::vector<HazardMap::Access> accesses = accesses_of_all();
    say_ready(flows, accesses);
    for (const RankSteps::Taken& taken : steps_.order)
      write_step(taken, schedule_.streams[rank_][taken.stream][taken.step], accesses);
    end(accesses);
    if (scratch_) kb_.release(*scratch_, where_);
  }

 private:
  // Of a collective core: what its next instruction waits for, and whether it has waited for the
  // operands and for the ranks that it puts to.
  struct Core {
    std::vector<Event> waits;
    std::optional<Event> last;  // transfer
    bool used = false, begun = false;
  };
  static unsigned queue_of(unsigned core) { return kEngineQueues + core; }
  static DmaRings::Kind ring_of(unsigned core) {
    return core == 0 ? DmaRings::Kind::kCc0 : DmaRings::Kind::kCc1;
  }

  void take(Buffer buffer, const std::optional<DmaView>& view, bool needed) {
    const std::string& name = collectives::name_of(buffer);
    if (view.has_value() != needed)
      fail(where_, schedule_.name + ": " + name + (needed ? " is missing" : ": it has none"));
    if (!view) return;
    kb_.check_side(*view, buffer != Buffer::kInput, name.c_str(), kName, where_);
    const bool tile = view->tile && view->tile->dimensions() == 1 && view->tile->step0 == 1;
    const bool run = view->tensor && view->tensor->partitions == 1 && view->tensor->outer == 1;
    if (!tile && !run)
      fail(where_, name + ": expected contiguous elements along the free axis, or in HBM");
    const std::uint64_t elements = view->row_elements();
    if (elements % schedule_.chunks != 0)
      fail(where_, name + ": " + std::to_string(elements) + " elements do not divide among " +
                       std::to_string(schedule_.chunks) + " chunks");
    if (any_ && overlaps(*any_, *view)) fail(where_, "input and output overlap");
    if (any_ && (elements != any_->row_elements() || view->dims[0].count != any_->dims[0].count ||
                 view->dtype != any_->dtype || view->in_hbm() != any_->in_hbm()))
      fail(where_, "input and output differ in shape or place");
    chunk_elements_ = elements / schedule_.chunks;
    if (schedule_.adds()) check_sums(*view, name);
    any_ = *view;
    buffers_.emplace(buffer, *view);
  }

  static bool overlaps(const DmaView& a, const DmaView& b) {
    if (a.in_hbm() != b.in_hbm()) return false;
    if (!a.in_hbm()) return a.access(true).overlaps(b.access(true).box, b.access(true).comb);
    const auto end = [](const DmaView& view) {
      return view.base.offset + view.row_elements() * view.element_bytes();
    };
    return a.base.tensor == b.base.tensor && a.base.offset < end(b) && b.base.offset < end(a);
  }

  // Chunks of memory that nobody else uses meanwhile.
  DmaView make_scratch() {
    const std::uint64_t elements = schedule_.scratch * chunk_elements_;
    if (any_->in_hbm()) {
      const std::string name = "collective " + std::to_string(kb_.collectives_);
      const Tensor scratch = kb_.scratch(name, any_->dtype, {1, elements}, where_);
      kb_.already_written(scratch);
      return scratch.rows_on_partitions(0, 1, 1);
    }
    scratch_ = kb_.sbuf_tile("scratch of a collective", any_->tile->partitions,
                             static_cast<std::uint32_t>(elements), any_->dtype, where_);
    kb_.already_written(*scratch_);
    return *scratch_;
  }

  // Near the memory, or by the engines, whose operands are rows from multiples of 64 bytes on.
  void check_sums(const DmaView& view, const std::string& name) const {
    if (kb_.chip_.dma.near_memory_add) return kb_.check_write_op(view, kName, where_);
    if (!dma_dtype(view.dtype))
      fail(where_,
           name + ": the DMA engines do not add " + std::string(numerics::dtype_name(view.dtype)));
    const std::uint64_t chunk = chunk_elements_ * view.element_bytes();
    if (view.base.offset % TERN_DMA_BEAT_BYTES != 0 || chunk % TERN_DMA_BEAT_BYTES != 0)
      fail(where_, name + ": a chunk has " + std::to_string(chunk) +
                       " bytes of a row; where the DMA engines add, multiples of " +
                       std::to_string(TERN_DMA_BEAT_BYTES));
  }

  std::vector<HazardMap::Access> accesses_of_all() const {
    std::vector<HazardMap::Access> accesses;
    for (const auto& [buffer, view] : buffers_) {
      if (buffer == Buffer::kData || buffer == Buffer::kInput)
        kb_.add_access(view, false, &accesses);
      if (buffer != Buffer::kInput) kb_.add_access(view, true, &accesses);
    }
    return accesses;
  }

  DmaView chunks(const collectives::Place& place, unsigned count) const {
    const DmaView& whole = buffers_.at(place.buffer);
    const std::uint64_t first = place.chunk * chunk_elements_, size = count * chunk_elements_;
    if (whole.tile)
      return whole.tile->columns(static_cast<unsigned>(first), static_cast<unsigned>(size), where_);
    TensorView part = *whole.tensor;
    part.offset += first * whole.element_bytes();
    part.inner = size;
    return part;
  }

  // The same place of another part.
  DmaAddress at_part(const DmaView& view, unsigned part) const {
    if (!view.in_hbm()) return {DmaAddress::Space::kPeer, part, view.base.offset};
    auto& peers = kb_.program_.peer_tensors;
    const auto found = std::find_if(peers.begin(), peers.end(), [&](const auto& peer) {
      return peer.part == part && peer.tensor == view.base.tensor;
    });
    const auto number = static_cast<std::uint32_t>(found - peers.begin());
    if (found == peers.end()) peers.push_back({part, view.base.tensor});
    return {DmaAddress::Space::kPeerTensor, number, view.base.offset};
  }

  // A put without its flags.
  EngineDescriptors plan(const Step& put, unsigned semaphore) const {
    const DmaView source = chunks(put.from, put.count);
    DmaView target = chunks(put.at, put.count);
    const auto pattern = match(target, source);
    if (put.rank != rank_) target.base = at_part(target, parts_[put.rank]);
    if (put.add && !kb_.chip_.dma.near_memory_add)  // the engines add in transit
      return plan_compute(target, {target, source}, {}, semaphore);
    const unsigned write_op = put.add ? *add_write_op(any_->dtype) : TERN_DMA_WRITE_OP_STORE;
    return plan_copy(target, source, pattern.value(), write_op, semaphore);
  }

  // Who will put here may do so: the operands are in place.
  void say_ready(const std::vector<Flow>& flows, const std::vector<HazardMap::Access>& accesses) {
    std::set<unsigned> to, from;
    for (const Flow& flow : flows) {
      if (flow.target == rank_) to.insert(flow.source);
      if (flow.source == rank_) from.insert(flow.target);
    }
    for (const unsigned rank : from) {
      Event& flag = kb_.flags_[kb_.collective_flags_.number(kb_.group_.core, parts_[rank],
                                                            CollectiveFlags::kReady, 0)];
      flag.value += 1;
      ready_.push_back(flag);
    }
    if (to.empty()) return;
    std::vector<PacketList> lists(kEngines);
    unsigned engine = 0;
    for (const unsigned rank : to) {
      const unsigned flag =
          kb_.collective_flags_.number(parts_[rank], kb_.group_.core, CollectiveFlags::kReady, 0);
      lists[engine++ % kEngines].increment(semaphore_of(flag), parts_[rank]);
    }
    transfer(0, ": ready", accesses, [&](unsigned semaphore) {
      EngineDescriptors all;
      for (unsigned e = 0; e < kEngines; ++e) {
        lists[e].increment(semaphore);
        all[e] = lists[e].take();
      }
      return all;
    });
  }

  static unsigned semaphore_of(unsigned flag) { return loop_semaphore(0, flag); }

  // Starts a transfer of a core: after what it waits for, and all before it.
  template <class Plan>
  void transfer(unsigned core, const char* what, const std::vector<HazardMap::Access>& accesses,
                const Plan& plan_of) {
    Core& state = cores_[core];
    state.used = true;
    Started started = kb_.begin_transfer(ring_of(core), priority_, kName, accesses, where_);
    started.waits.insert(started.waits.end(), state.waits.begin(), state.waits.end());
    state.waits.clear();
    kb_.trigger(started,
                kb_.append_pairs(started.ring, plan_of(started.semaphore),
                                 kName + std::string(what), where_),
                kName, where_);
    kb_.end_transfer(started, {});
    state.last = started.done;
  }

  void write_step(const RankSteps::Taken& taken, const Step& step,
                  const std::vector<HazardMap::Access>& accesses) {
    const unsigned core = steps_.core_of_stream[taken.stream];
    Core& state = cores_[core];
    state.used = true;
    switch (step.kind) {
      case Step::kPut:
      case Step::kSignal:
        put(taken, step, core, accesses);
        break;
      case Step::kWait:
        wait(step, &state);
        break;
      case Step::kFlush:
        if (state.last) state.waits.push_back(*state.last);
        break;
      case Step::kAfter:  // on the same core, which takes its steps in order
        break;
    }
  }

  void put(const RankSteps::Taken& taken, const Step& step, unsigned core,
           const std::vector<HazardMap::Access>& accesses) {
    Core& state = cores_[core];
    const bool begins = !std::exchange(state.begun, true);
    if (begins) state.waits.insert(state.waits.end(), ready_.begin(), ready_.end());
    const bool local = step.rank == rank_;
    const unsigned slot = local ? 0 : sent_[{taken.stream, step.rank}]++ % CollectiveFlags::kSlots;
    transfer(core,
             local                     ? ": on the own core"
             : step.kind == Step::kPut ? ": put"
                                       : ": signal",
             begins ? accesses : std::vector<HazardMap::Access>{}, [&](unsigned semaphore) {
               EngineDescriptors pairs;
               for (auto& own : pairs) own.push_back(semaphore_increment(semaphore));
               if (step.kind == Step::kPut) pairs = plan(step, semaphore);
               if (!local) raise(step, taken.stream, slot, &pairs);
               return pairs;
             });
    if (local) state.waits.push_back(*state.last);
  }

  // Engines with a part of the data, or the first one: how many raise the flag.
  static std::vector<unsigned> flagged(const EngineDescriptors& pairs) {
    std::vector<unsigned> engines;
    for (unsigned e = 0; e < kEngines; ++e) {
      if (pairs[e].size() > 1) engines.push_back(e);  // besides its own semaphore
    }
    if (engines.empty()) engines.push_back(0);
    return engines;
  }

  void raise(const Step& step, unsigned stream, unsigned slot, EngineDescriptors* pairs) {
    const unsigned part = parts_[step.rank];
    const unsigned flag = kb_.collective_flags_.number(part, kb_.group_.core, stream, slot);
    for (const unsigned engine : flagged(*pairs)) {  // in front of this core's own semaphore
      PacketList list;
      list.increment(semaphore_of(flag), part);
      const std::vector<DescriptorPair> raised = list.take();
      auto& own = (*pairs)[engine];
      own.insert(own.end() - 1, raised.begin(), raised.end());
    }
  }

  void wait(const Step& step, Core* state) {
    const Flow& flow = *incoming_.at({step.rank, step.stream});
    std::size_t& consumed = consumed_[{step.rank, step.stream}];
    for (unsigned i = 0; i < step.count; ++i, ++consumed) {
      const Step& put = *flow.puts.at(consumed);
      Event& flag = kb_.flags_[kb_.collective_flags_.number(
          kb_.group_.core, parts_[step.rank], step.stream,
          static_cast<unsigned>(consumed % CollectiveFlags::kSlots))];
      // The sender's plan has the same engines: its tiles are the same.
      flag.value +=
          put.kind == Step::kSignal ? 1 : static_cast<std::uint32_t>(flagged(plan(put, 0)).size());
      state->waits.push_back(flag);
    }
  }

  // The first core ends the collective, after the second one.
  void end(const std::vector<HazardMap::Access>& accesses) {
    // A rank that does nothing has waited for nobody who uses the operands, so they stay theirs.
    if (std::none_of(cores_.begin(), cores_.end(), [](const Core& core) { return core.used; }))
      return;
    for (unsigned core = kCollectiveCores; core-- > 0;) {
      Core& state = cores_[core];
      if (!state.used && core > 0) continue;
      if (state.last) state.waits.push_back(*state.last);
      const unsigned queue = queue_of(core);
      tern_instruction_t nop{};
      nop.header.opcode = TERN_OPCODE_NOP;
      const Event done{progress_semaphore(queue), ++kb_.progress_[queue]};
      count_progress(queue, &nop);
      kb_.append_with_waits(queue, nop, kName, kb_.waits_.reduce(queue, state.waits), where_);
      kb_.waits_.announce(queue, done);
      if (core > 0) {
        cores_[0].waits.push_back(done);
      } else {
        kb_.hazards_.record(accesses, HazardMap::kDma, done);
        kb_.note_done(done);
      }
    }
  }

  CollectiveCalls& kb_;
  const Schedule& schedule_;
  const unsigned priority_;
  const std::vector<unsigned>& parts_;  // of each rank
  const SourceLine where_;
  const unsigned rank_;
  const RankSteps steps_;
  std::map<Buffer, DmaView> buffers_;
  std::optional<DmaView> any_;                                     // of the operands
  std::optional<Tile> scratch_;                                    // in SBUF
  std::uint64_t chunk_elements_ = 0;                               // of a row
  std::vector<Event> ready_;                                       // ranks that this one puts to
  std::map<std::pair<unsigned, unsigned>, const Flow*> incoming_;  // by rank and stream
  std::map<std::pair<unsigned, unsigned>, std::size_t> consumed_;
  std::map<std::pair<unsigned, unsigned>, unsigned> sent_;  // by stream and rank
  std::array<Core, kCollectiveCores> cores_;
};

void CollectiveCalls::collective(const Schedule& schedule, const CollectiveOperands& operands,
                                 const CollectiveOptions& options, SourceLine where) {
  if (iteration_ != nullptr || !repeats_.empty()) fail(where, "not in a loop");
  // The collective cores have not met the other queues at its end.
  if (repeated_) fail(where, "not after a dynamic loop");
  ++collectives_;
  const unsigned ranks = schedule.problem.ranks;
  std::vector<std::vector<unsigned>> groups = options.groups;
  if (groups.empty()) {
    groups.emplace_back();
    for (unsigned part = 0; part < group_.cores; ++part) groups.back().push_back(part);
  }
  const std::vector<unsigned>* own = group_of(group_.core, group_.cores, ranks, groups, where);
  reserve_flags(schedule, groups, where);
  if (own == nullptr) return;
  CollectiveWriter(this, schedule, operands, options, *own, where).write(flows_of(schedule));
}

void CollectiveCalls::reserve_flags(const Schedule& schedule,
                                    const std::vector<std::vector<unsigned>>& groups,
                                    SourceLine where) {
  // All parts have as many flags, whether they need them or not.
  const unsigned end =
      collective_flags_.reserve(flows_of(schedule), groups, static_cast<unsigned>(flags_.size()));
  while (flags_.size() < end) next_flag(kName, where);
}

}  // namespace tern::kernels
