// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sw/kernels/builder/memory/hazards.h"
#include "sw/runtime/executable.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

namespace tern::kernels {

// The rings that a program uses, one for every kind of transfer and class of service, and the
// semaphores of their transfers in rotation.
class DmaRings {
 public:
  // By trigger and by origin of the descriptors: the host for loads (Sync queue) and stores
  // (GpSimd), otherwise the generator of a queue; of GpSimd, gathers and copies apart; by the host
  // for each of the collective cores.
  enum class Kind : std::uint8_t {
    kLoad,
    kStore,
    kSync,
    kScalar,
    kGpsimd,
    kGpsimdCopies,
    kCc0,
    kCc1
  };
  static constexpr unsigned kLeastUrgent = 3;
  static constexpr unsigned kLoad = 0, kStore = 1;  // rings of the least urgent class
  static constexpr unsigned kCount = Executable::kHostRing;
  static constexpr unsigned kFirstSemaphore = 1 + TERN_QUEUE_COUNT;
  static constexpr unsigned kSemaphores = 32;
  // After those two rings' and those of loops.
  static constexpr unsigned kFirstFurtherSemaphore = kFirstSemaphore + 2 * 32 + 2 * 64;
  static constexpr unsigned kFurtherSemaphores = 8;

  DmaRings();
  // None if there is no ring or semaphore left for another kind or class.
  std::optional<unsigned> ring(Kind kind, unsigned priority);
  unsigned queue(unsigned ring) const { return rings_[ring].queue; }

  // The next transfer of a ring: the event of its end. `before`, if given, must have happened
  // already: a semaphore identifies the completed transfer only if one is in flight.
  struct Next {
    Event done;
    std::optional<Event> before;
  };
  Next next(unsigned ring);
  // Whether a semaphore counts transfers of this ring.
  bool counts(unsigned ring, unsigned semaphore) const {
    const Ring& of = rings_[ring];
    return semaphore >= of.first_semaphore && semaphore < of.first_semaphore + of.semaphores;
  }
  // The newest one's end; transfers of a ring end in their order.
  std::optional<Event>& last(unsigned ring) { return rings_[ring].last; }
  // What the semaphores have counted since, and their values now.
  struct Counted {
    Event done;
    std::uint32_t more = 0;
  };
  std::vector<Counted> counted_since(const DmaRings& before) const;
  // Semaphores and transfers as they were before; rings that are newer have none.
  void rewind(const DmaRings& before);
  // The ends of all transfers that a queue has triggered.
  void collect(unsigned queue, std::vector<Event>* events) const;

 private:
  struct Ring {
    Kind kind = Kind::kLoad;
    unsigned priority = kLeastUrgent, queue = 0;
    unsigned first_semaphore = 0, semaphores = 0;
    std::uint32_t transfers = 0;
    std::optional<Event> last;

    std::uint32_t uses(unsigned slot) const {
      return slot < transfers ? (transfers - 1 - slot) / semaphores + 1 : 0;
    }
  };
  std::vector<Ring> rings_;  // by number
};

}  // namespace tern::kernels
