// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tern::kernels {

// "semaphore >= value": something is complete.
struct Event {
  unsigned semaphore = 0;
  std::uint32_t value = 0;
};

// A rectangle of some memory. On chip: x = bytes in a partition, y = partitions. In HBM: x = rows,
// y = bytes of a row.
struct Box {
  std::uint64_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool overlaps(const Box& other) const {
    return x0 < other.x1 && other.x0 < x1 && y0 < other.y1 && other.y0 < y1;
  }
  bool covers(const Box& other) const {
    return x0 <= other.x0 && other.x1 <= x1 && y0 <= other.y0 && other.y1 <= y1;
  }
};

// Of every `period` bytes of a box on chip only `run`, from byte `phase` of the period on. Period
// 0: all of them.
struct Comb {
  std::uint64_t period = 0, phase = 0, run = 0;
  // Whether the two have a byte in common, wherever their boxes begin; true if that is not certain.
  bool meets(const Comb& other) const;
  // Whether all bytes of the other one are bytes of this one.
  bool covers(const Comb& other) const;
};

// What memory: 0 SBUF, 1 PSUM, then the tensors in HBM.
constexpr unsigned kFirstTensorSpace = 2;

// The last writer and readers of every part of every memory, by address. Memory that was freed and
// allocated again keeps its history, so that a new tile waits for the last user of the old one.
class HazardMap {
 public:
  static constexpr int kDma = -1;  // in place of a queue number

  struct Access {
    unsigned space = 0;
    Box box;
    bool write = false;
    Comb comb = {};

    bool overlaps(const Box& other_box, const Comb& other) const {
      return box.overlaps(other_box) && comb.meets(other);
    }
  };

  // Everything that must be complete before an instruction of `queue` with this `access` starts.
  void collect(const Access& access, int queue, std::vector<Event>* events) const;
  // The last writers of the parts of `box`.
  struct Written {
    Box box;
    Event done;
  };
  std::vector<Written> writers(unsigned space, const Box& box) const;
  // All of which something may have to wait for.
  std::vector<Event> events() const;
  // Enters it, identified by its completion.
  void record(const Access& access, int queue, Event done);
  // All of an instruction's: writes last; one that covers a read of the same instruction represents
  // it.
  void record(const std::vector<Access>& accesses, int queue, Event done);

 private:
  struct Entry {
    Box box;
    Event done;
    int queue;
    bool write;
    Comb comb;
  };
  static std::uint64_t chunk_size(unsigned space);

  std::unordered_map<std::uint64_t, std::vector<Entry>> chunks_;
};

}  // namespace tern::kernels
