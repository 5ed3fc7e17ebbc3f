// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/stack.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace tern::hbm {

namespace {

std::uint64_t fs_of_ns(double ns) {
  return static_cast<std::uint64_t>(std::llround(ns * 1e6));
}

const Config& checked(const Config& config) {
  check(config);
  return config;
}

}  // namespace

Stack::Stack(const Config& config, unsigned number, std::shared_ptr<NearMemory> adders)
    : config_(checked(config)),
      timing_(config_),
      map_(config_),
      front_fs_(fs_of_ns(config_.front_ns)),
      back_fs_(fs_of_ns(config_.back_ns)),
      memory_(config_.stack_bytes, std::move(adders)),
      next_(config_.pseudo_channels_per_stack(), kNever),
      next_read_(config_.pseudo_channels_per_stack(), kNever),
      refused_(config_.pseudo_channels_per_stack()),
      scrubbing_(config_.pseudo_channels_per_stack()),
      random_(config_.fault_seed * 16 + number) {
  AccessSink* const sink = this;
  for (unsigned i = 0; i < config_.pseudo_channels_per_stack(); ++i)
    channels_.push_back(std::make_unique<PseudoChannel>(config_, timing_, sink));
  set_scrub(0, config_.scrub_gb_per_s);
  if (config_.faults_per_s > 0) {
    next_flip_fs_ = 0;
    draw_next_flip();
  }
}

Stack::~Stack() = default;

void Stack::set_scrub(std::uint64_t now_fs, double gb_per_s) {
  scrub_gb_per_s_ = gb_per_s;
  scrub_step_fs_ = gb_per_s > 0 ? fs_of_ns(kPieceBytes / gb_per_s) : 0;
  next_scrub_fs_ = now_fs + scrub_step_fs_;
}

MemoryFault Stack::check(const Request& r) const {
  if (!memory_.bytes().contains(r.offset, std::max<std::uint32_t>(r.bytes, 1)))
    return MemoryFault::kAddress;
  const std::size_t element = r.write ? word_bytes(r.op) : 1;
  const bool good = r.bytes >= 1 && r.bytes <= kMaxRequestBytes &&
                    r.traffic_class < kTrafficClasses && r.offset % element == 0 &&
                    r.bytes % element == 0;
  return good ? MemoryFault::kNone : MemoryFault::kAccess;
}

bool Stack::partial(const Request& r) {
  return r.offset % kBurstBytes != 0 || r.bytes % kBurstBytes != 0;
}

Access::Kind Stack::kind_of(const Request& r) const {
  if (!r.write) return Access::Kind::kRead;
  return r.op == WriteOp::kStore && !partial(r) ? Access::Kind::kWrite : Access::Kind::kUpdate;
}

// Every decision whose outcome a later request cannot change: requests from now on reach the
// scheduler after the front latency.
void Stack::decide_before(std::uint64_t now_fs) {
  const Tick until = timing_.clock.at_or_after(now_fs + front_fs_) - 1;
  if (until <= decided_) return;
  decided_ = until;
  for (std::uint64_t due = due_channels(until); due != 0; due &= due - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctzll(due));
    channels_[i]->decide_until(until);
    note_next(i);
  }
}

// A bit for each channel with a decision up to and including a moment; at most 64 (check()).
std::uint64_t Stack::due_channels(Tick until) const {
  std::uint64_t due = 0;
  for (std::size_t i = 0; i < next_.size(); ++i) due |= std::uint64_t{next_[i] <= until} << i;
  return due;
}

bool Stack::accepts(std::uint64_t now_fs, const Request& request) {
  decide_before(now_fs);
  const Access::Kind kind = kind_of(request);
  const std::uint64_t first = request.offset / kPieceBytes;
  const std::uint64_t last = (request.offset + request.bytes - 1) / kPieceBytes;
  // In one aligned group of pieces each pseudo-channel occurs once.
  const std::uint64_t group = channels_.size();
  const auto rounds = static_cast<unsigned>(last / group - first / group + 1);
  bool room = true;
  for (std::uint64_t piece = first; piece <= std::min(last, first + group - 1); ++piece) {
    const unsigned channel = map_.locate(piece * kPieceBytes).pseudo_channel;
    const bool fits =
        channels_[channel]->has_room(kind, class_of(request), last == first ? 1 : rounds);
    refused_[channel] = !fits;
    room = room && fits;
  }
  return room;
}

void Stack::submit(std::uint64_t now_fs, const Request& request) {
  decide_before(now_fs);
  const std::uint64_t arrival_fs = now_fs + front_fs_;
  const Tick arrival = timing_.clock.at_or_after(arrival_fs);
  flip_until(now_fs);
  if (scrub_step_fs_ != 0) scrub_until(now_fs, arrival);

  std::uint32_t index;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(pending_.size());
    pending_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  const std::uint64_t end = request.offset + request.bytes;
  const std::uint64_t pieces = (end - 1) / kPieceBytes - request.offset / kPieceBytes + 1;
  pending_[index] = {
      request.id,         order_++,     now_fs, 0, 0, static_cast<std::uint32_t>(pieces),
      MemoryFault::kNone, request.write};
  ++outstanding_;
  const Access::Kind kind = kind_of(request);
  for (std::uint64_t at = request.offset; at < end;) {
    const std::uint64_t next = std::min(end, (at / kPieceBytes + 1) * kPieceBytes);
    add_piece(request, kind, index, static_cast<std::uint32_t>(at - request.offset),
              static_cast<std::uint32_t>(next - at), arrival, arrival_fs);
    at = next;
  }
}

void Stack::add_piece(const Request& request, Access::Kind kind, std::uint32_t pending,
                      std::uint32_t done, std::uint32_t bytes, Tick arrival,
                      std::uint64_t arrival_fs) {
  const std::uint64_t offset = request.offset + done;
  const Location place = map_.locate(offset);
  const unsigned first = static_cast<unsigned>(offset % kPieceBytes / kBurstBytes);
  const unsigned last = static_cast<unsigned>((offset + bytes - 1) % kPieceBytes / kBurstBytes);
  Access access;
  access.kind = kind;
  access.traffic_class = static_cast<std::uint8_t>(class_of(request));
  const Span whole{place.set, place.row, place.rotation, first, last - first + 1};
  if (kind == Access::Kind::kWrite) {
    access.write = whole;
  } else if (kind == Access::Kind::kRead) {
    access.read = whole;
  } else {
    access.write = access.read = whole;
    // Of a plain store only the bursts that it does not fill are read first.
    const bool head = offset % kBurstBytes != 0, tail = (offset + bytes) % kBurstBytes != 0;
    if (request.op == WriteOp::kStore) {
      if (!head && !tail) {
        access.kind = Access::Kind::kWrite;
      } else if (head != tail) {
        access.read.first = head ? first : last;
        access.read.count = 1;
      }
    }
  }
  access.arrival = arrival;
  access.sequence = sequence_++;
  access.piece = static_cast<std::uint32_t>(offset / kPieceBytes);
  access.request = pending;
  access.offset = offset;
  access.bytes = bytes;
  access.op = request.op;
  access.data = request.data == nullptr ? nullptr : request.data + done;

  PseudoChannel& channel = *channels_[place.pseudo_channel];
  if (access.kind != Access::Kind::kWrite) {
    channel.add(std::move(access));
    note_next(place.pseudo_channel);
    return;
  }
  // A store is done for its owner once it is queued, so its bytes are taken now. They go to the
  // memory if nothing older waits for these bytes, otherwise to a copy.
  std::uint8_t* const data = access.data;
  if (data != nullptr) {
    if (channel.conflicts(access)) {
      access.copy = std::make_unique<std::uint8_t[]>(bytes);
      std::memcpy(access.copy.get(), data, bytes);
    } else {
      memory_.write(offset, data, bytes, WriteOp::kStore);
    }
    access.data = nullptr;
  }
  channel.add(std::move(access));
  note_next(place.pseudo_channel);
  finish_piece(pending, arrival_fs + back_fs_, {});
}

void Stack::read_decided(Access& access, Tick end) {
  if (access.kind == Access::Kind::kScrub) {
    memory_.scrub(access.offset, access.bytes);
    return;
  }
  EccMemory::Fault fault;
  std::uint64_t fs = timing_.clock.fs(end) + back_fs_;
  if (access.kind == Access::Kind::kRead) {
    if (access.data != nullptr) fault = memory_.read(access.offset, access.data, access.bytes);
  } else {
    if (access.data != nullptr)
      fault = memory_.write(access.offset, access.data, access.bytes, access.op);
    fs = timing_.clock.fs(end + timing_.update) + back_fs_;
  }
  finish_piece(access.request, fs, fault);
}

void Stack::retired(Access& access) {
  if (access.kind == Access::Kind::kScrub)
    scrubbing_[map_.locate(access.offset).pseudo_channel] = false;
  if (access.copy) memory_.write(access.offset, access.copy.get(), access.bytes, WriteOp::kStore);
}

void Stack::finish_piece(std::uint32_t index, std::uint64_t fs, EccMemory::Fault fault) {
  Pending& pending = pending_[index];
  pending.done_fs = std::max(pending.done_fs, fs);
  if (fault && (pending.fault == MemoryFault::kNone || *fault < pending.fault_offset)) {
    pending.fault = MemoryFault::kUncorrectableEcc;
    pending.fault_offset = *fault;
  }
  if (--pending.pieces_left != 0) return;
  (pending.write ? write_latency_ : read_latency_).add(pending.done_fs - pending.submitted_fs);
  done_.push_back({pending.done_fs, pending.order, index});
  std::push_heap(done_.begin(), done_.end(), std::greater<>());
}

std::uint64_t Stack::next_event_fs(bool watch_room) const {
  Tick next = kNever, room = kNever;
  for (const Tick tick : next_read_) next = std::min(next, tick);
  for (std::size_t i = 0; watch_room && i < next_.size(); ++i) {
    if (refused_[i]) room = std::min(room, next_[i]);
  }
  std::uint64_t fs = done_.empty() ? ~std::uint64_t{0} : done_.front().fs;
  // No completion comes sooner after a decision than the data of an open row.
  if (next != kNever)
    fs = std::min(fs, timing_.clock.fs(next + timing_.cl + kBurstTicks) + back_fs_);
  if (room != kNever) {
    const std::uint64_t decided = timing_.clock.fs(room) + 1;
    fs = std::min(fs, decided > front_fs_ ? decided - front_fs_ : 0);
  }
  return fs;
}

void Stack::advance(std::uint64_t now_fs, const OnCompletion& on_completion) {
  decide_before(now_fs);
  while (!done_.empty() && done_.front().fs <= now_fs) report_first(on_completion);
}

void Stack::advance_ahead(std::uint64_t now_fs, const OnCompletion& on_completion) {
  decide_before(now_fs);
  while (!done_.empty()) report_first(on_completion);
}

std::uint64_t Stack::finish_fs() {
  Tick end = 0;
  for (unsigned i = 0; i < channels_.size(); ++i) {
    channels_[i]->decide_until(kNever - 1);
    note_next(i);
    end = std::max(end, channels_[i]->device().data_end());
  }
  return timing_.clock.fs(end);
}

void Stack::report_first(const OnCompletion& on_completion) {
  std::pop_heap(done_.begin(), done_.end(), std::greater<>());
  const std::uint32_t index = done_.back().request;
  done_.pop_back();
  const Pending pending = pending_[index];
  free_.push_back(index);
  --outstanding_;
  on_completion({pending.id, pending.done_fs, pending.fault, pending.fault_offset});
}

ChannelCounters Stack::counters() const {
  ChannelCounters sum;
  for (const auto& channel : channels_) sum.add(channel->counters());
  return sum;
}

std::uint64_t Stack::waiting_write_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& channel : channels_) bytes += channel->waiting_write_bytes();
  return bytes;
}

void Stack::catch_up(std::uint64_t now_fs) {
  flip_until(now_fs);
  if (scrub_step_fs_ != 0) scrub_until(now_fs, timing_.clock.at_or_after(now_fs));
}

void Stack::read_now(std::uint64_t offset, void* data, std::size_t bytes) {
  memory_.read(offset, static_cast<std::uint8_t*>(data), bytes);
}

void Stack::write_now(std::uint64_t offset, const void* data, std::size_t bytes) {
  memory_.write(offset, static_cast<const std::uint8_t*>(data), bytes, WriteOp::kStore);
}

}  // namespace tern::hbm
