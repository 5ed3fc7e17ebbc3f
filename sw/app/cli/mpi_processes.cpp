// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include "sw/app/cli/processes.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

class MpiRanks final : public system::Ranks {
 public:
  MpiRanks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned size() const override { return static_cast<unsigned>(size_); }

  std::vector<std::string> exchange(const std::string& mine) override {
    std::vector<Message> all = everyones({false, mine});
    std::string reason;
    std::vector<std::string> bytes;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].ends) {
        ended_ = true;
        if (reason.empty() && !all[rank].bytes.empty()) reason = all[rank].bytes;
      }
      bytes.push_back(std::move(all[rank].bytes));
    }
    if (ended_) throw RunError(reason.empty() ? "another process has ended" : reason);
    return bytes;
  }

  void end(const std::string& reason) override {
    if (ended_) return;
    ended_ = true;
    everyones({true, reason});
  }

 private:
  struct Message {
    bool ends = false;
    std::string bytes;
  };

  std::vector<Message> everyones(const Message& mine) {
    const auto ranks = static_cast<std::size_t>(size_);
    using Head = std::array<std::int64_t, 2>;  // ends, bytes
    const Head head = {mine.ends ? 1 : 0, static_cast<std::int64_t>(mine.bytes.size())};
    std::vector<Head> heads(ranks);
    MPI_Allgather(head.data(), 2, MPI_INT64_T, heads.data(), 2, MPI_INT64_T, MPI_COMM_WORLD);
    std::vector<int> counts(ranks), places(ranks);
    std::int64_t total = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      places[rank] = static_cast<int>(total);
      counts[rank] = static_cast<int>(heads[rank][1]);
      total += heads[rank][1];
      if (total > INT_MAX) throw RunError("too much is sent between processes at one time");
    }
    std::string bytes(static_cast<std::size_t>(total), '\0');
    if (total > 0) {
      MPI_Allgatherv(mine.bytes.data(), counts[static_cast<std::size_t>(rank_)], MPI_BYTE,
                     bytes.data(), counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
    }
    std::vector<Message> all(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      all[rank].ends = heads[rank][0] != 0;
      all[rank].bytes = bytes.substr(static_cast<std::size_t>(places[rank]),
                                     static_cast<std::size_t>(counts[rank]));
    }
    return all;
  }

  int rank_ = 0, size_ = 1;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<system::Ranks> start_processes(int* argc, char*** argv) {
  auto ranks = std::make_unique<MpiRanks>(argc, argv);
  if (ranks->rank() > 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      throw RunError("cannot open /dev/null");
  }
  return ranks;
}

}  // namespace tern::app
