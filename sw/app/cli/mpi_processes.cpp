// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>

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

  // Of most windows all that there is to say: one message instead of two.
  struct Head {
    std::int64_t ends = 0, bytes = 0;
    std::array<char, 496> first{};
  };

  std::vector<Message> everyones(const Message& mine) {
    const auto ranks = static_cast<std::size_t>(size_);
    Head head;
    head.ends = mine.ends ? 1 : 0;
    head.bytes = static_cast<std::int64_t>(mine.bytes.size());
    const std::size_t first = std::min(mine.bytes.size(), head.first.size());
    std::copy_n(mine.bytes.begin(), first, head.first.begin());
    std::vector<Head> heads(ranks);
    MPI_Allgather(&head, sizeof head, MPI_BYTE, heads.data(), sizeof head, MPI_BYTE,
                  MPI_COMM_WORLD);
    std::vector<int> counts(ranks), places(ranks);
    std::int64_t total = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t more = heads[rank].bytes - static_cast<std::int64_t>(head.first.size());
      places[rank] = static_cast<int>(total);
      counts[rank] = static_cast<int>(std::max<std::int64_t>(more, 0));
      total += counts[rank];
      if (total > INT_MAX) throw RunError("too much is sent between processes at one time");
    }
    std::string rest(static_cast<std::size_t>(total), '\0');
    if (total > 0) {
      MPI_Allgatherv(mine.bytes.data() + first, counts[static_cast<std::size_t>(rank_)], MPI_BYTE,
                     rest.data(), counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
    }
    std::vector<Message> all(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      all[rank].ends = heads[rank].ends != 0;
      const auto bytes = static_cast<std::size_t>(heads[rank].bytes);
      all[rank].bytes.assign(heads[rank].first.data(), std::min(bytes, head.first.size()));
      all[rank].bytes.append(rest, static_cast<std::size_t>(places[rank]),
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
  // mpirun gives its processes a terminal, whatever it has itself.
  if (std::getenv(kOnTerminal) == nullptr) setenv("NO_COLOR", "1", 1);
  if (ranks->rank() > 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
      throw RunError("cannot open /dev/null");
    close(nowhere);
  }
  return ranks;
}

}  // namespace tern::app
