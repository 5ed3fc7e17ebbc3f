// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/memory/hazards.h"

#include <algorithm>
#include <numeric>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/spec/generated/isa.h"

namespace tern::kernels {

namespace {

std::uint64_t key_of(unsigned space, std::uint64_t chunk) {
  return (std::uint64_t{space} << 40) | chunk;
}

// In-order queues already order some pairs. Tensor: all. Vector and Scalar: their issue is
// pipelined, so that a later instruction may read before an earlier one has written; the other
// pairs keep their order.
bool ordered_by_queue(int queue, int other, bool reads_after_write) {
  if (queue != other || queue == HazardMap::kDma) return false;
  return queue == TERN_QUEUE_TENSOR || !reads_after_write;
}

// What one list of events covers: on chip bytes (a PSUM bank), in HBM rows. Only the length of the
// searched lists depends on it.
constexpr std::uint64_t kOnChipBytes = kPsumBankBytes;
constexpr std::uint64_t kHbmRows = 128;

}  // namespace

bool Comb::meets(const Comb& other) const {
  if (period == 0 || other.period == 0) return true;
  // Both repeat at every multiple of what divides their periods.
  const std::uint64_t common = std::gcd(period, other.period);
  if (run + other.run > common) return true;
  const std::uint64_t ahead = (other.phase + common - phase % common) % common;
  return ahead < run || ahead + other.run > common;
}

bool Comb::covers(const Comb& other) const {
  if (period == 0) return true;
  if (other.period == 0 || other.period % period != 0) return false;
  const std::uint64_t ahead = (other.phase + period - phase) % period;
  return ahead + other.run <= run;
}

std::uint64_t HazardMap::chunk_size(unsigned space) {
  return space < 2 ? kOnChipBytes : kHbmRows;
}

void HazardMap::collect(const Access& access, int queue, std::vector<Event>* events) const {
  const std::uint64_t size = chunk_size(access.space);
  for (std::uint64_t chunk = access.box.x0 / size; chunk * size < access.box.x1; ++chunk) {
    const auto found = chunks_.find(key_of(access.space, chunk));
    if (found == chunks_.end()) continue;
    for (const Entry& entry : found->second) {
      if (!entry.write && !access.write) continue;
      if (!access.overlaps(entry.box, entry.comb)) continue;
      if (ordered_by_queue(queue, entry.queue, entry.write && !access.write)) continue;
      events->push_back(entry.done);
    }
  }
}

std::vector<HazardMap::Written> HazardMap::writers(unsigned space, const Box& box) const {
  std::vector<Written> found;
  const std::uint64_t size = chunk_size(space);
  for (std::uint64_t chunk = box.x0 / size; chunk * size < box.x1; ++chunk) {
    const auto entries = chunks_.find(key_of(space, chunk));
    if (entries == chunks_.end()) continue;
    for (const Entry& entry : entries->second) {
      if (entry.write && entry.box.overlaps(box)) found.push_back({entry.box, entry.done});
    }
  }
  return found;
}

std::vector<Event> HazardMap::events() const {
  std::vector<Event> events;
  for (const auto& chunk : chunks_) {
    for (const Entry& entry : chunk.second) events.push_back(entry.done);
  }
  return events;
}

void HazardMap::record(const Access& access, int queue, Event done) {
  const std::uint64_t size = chunk_size(access.space);
  for (std::uint64_t chunk = access.box.x0 / size; chunk * size < access.box.x1; ++chunk) {
    Box box = access.box;
    box.x0 = std::max(box.x0, chunk * size);
    box.x1 = std::min(box.x1, (chunk + 1) * size);
    std::vector<Entry>& entries = chunks_[key_of(access.space, chunk)];
    // A write waits for everything it covers, so that waiting for the write is enough. A read
    // represents earlier reads of the same queue, which complete first.
    const auto superseded = [&](const Entry& entry) {
      if (!box.covers(entry.box) || !access.comb.covers(entry.comb)) return false;
      if (access.write) return true;
      return !entry.write && entry.queue == queue && queue != kDma;
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), superseded), entries.end());
    entries.push_back({box, done, queue, access.write, access.comb});
  }
}

void HazardMap::record(const std::vector<Access>& accesses, int queue, Event done) {
  for (const bool write : {false, true}) {
    for (const Access& access : accesses) {
      if (access.write == write) record(access, queue, done);
    }
  }
}

}  // namespace tern::kernels
