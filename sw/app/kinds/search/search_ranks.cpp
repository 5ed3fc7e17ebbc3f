// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/program_watch.h"
#include "sw/app/host/run_options.h"
#include "sw/base/math.h"
#include "sw/base/seconds_since.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/models/use/model.h"
#include "sw/models/use/similarity.h"
#include "systemc/fabric/levels/levels.h"

namespace tern::app {

namespace {

constexpr std::uint64_t kWidth = use::Model::kWidth, kSlots = use::Batch::kSlots;
constexpr std::uint64_t kRow = kWidth * sizeof(float);  // of a matrix [tokens, width]

// Of a group of batches, as wide as they become; and of one batch, of 4 bytes each.
constexpr std::uint64_t kGroupBytes =
    std::uint64_t{use::kBatchesAtOnce} * use::Batch::kTokens * kRow;
constexpr std::uint64_t kLeastElements =
    std::uint64_t{use::Batch::kTokens} * use::Model::kTableWidth;

// One rank of each part of the data.
collectives::RankGrid::Groups among_data(const Plan& plan) {
  collectives::RankGrid parts;
  parts.data = plan.grid.data;
  return parts.along_batch();
}

collectives::RankGrid grid_of(const Plan& plan) {
  check_search_plan(plan);
  return plan.grid;
}

}  // namespace

std::string title_of(unsigned batches, const std::string& format) {
  return fmt::format("The first program, up to {} batches in {}.", batches, format);
}

void check_search_plan(const Plan& plan) {
  const collectives::RankGrid& grid = plan.grid;
  const auto refuse = [&](bool given, const char* what) {
    if (given)
      throw UserError(fmt::format(
          "{}: a search is divided by 'data', 'sequence', 'pipeline' and 'tensor', not {}",
          plan.place, what));
  };
  refuse(grid.expert != 1, "by 'expert'");
  refuse(plan.micro_batches > 1, "in 'micro_batches'");
  refuse(plan.optimiser_sharding || plan.sharding_open, "with 'optimiser_sharding'");
  refuse(plan.host_checkpoints.has_value(), "with 'host_checkpoints'");
  const std::pair<const Plan::Algorithm&, const char*> unused[] = {
      {plan.sum, "with 'sum'"}, {plan.expert_exchange, "with 'expert_exchange'"}};
  for (const auto& [algorithm, what] : unused) refuse(algorithm.name != "table", what);
}

SearchRanks::SearchRanks(const Plan& plan, const ChipConfig& chip)
    : plan_(plan),
      fabric_(plan.system),
      config_(chip),
      system_(fabric_, plan.chips, chip, fabric::make_transport(plan.level, fabric_)),
      sum_(plan.schedule({"sums within layers", collectives::Operation::kAllReduce, plan.tensor_sum,
                          kGroupBytes / plan.grid.sequence, kWidth, grid_of(plan).along_tensor()},
                         &choices_)),
      gather_(plan.schedule({"tokens", collectives::Operation::kAllGather, plan.sequence_sum,
                             kGroupBytes, kLeastElements, plan.grid.along_sequence()},
                            &choices_)),
      broadcast_(
          plan.schedule({"queries' embeddings", collectives::Operation::kBroadcast,
                         Plan::Algorithm{"table", plan.place}, use::kMaxBatches * kSlots * kRow,
                         kSlots * kWidth, among_data(plan)},
                        &choices_)),
      handover_(plan.handover()) {
  for (unsigned chip = 0; chip < system_.chips(); ++chip) {
    summaries_.push_back(std::make_shared<trace::SummarySink>());
    system_.chip(chip).trace().add_sink(summaries_.back());
  }
}

unsigned SearchRanks::batches_of_program(std::size_t batches, std::size_t with_queries) const {
  const std::size_t parts = plan_.grid.data;
  const std::size_t rounds = ceil_div(ceil_div(batches, std::size_t{use::kMaxBatches}), parts);
  const std::size_t share =
      parts == 1 ? use::kMaxBatches : std::max(with_queries, ceil_div(batches, rounds * parts));
  const std::size_t each = std::min<std::size_t>(share, use::kMaxBatches);
  if (ceil_div(batches, each) < parts) {
    throw UserError(fmt::format(
        "{}: data: {} parts, and all texts have {}, {} a program{}", plan_.place, parts,
        batches == 1 ? "1 batch" : fmt::format("{} batches", batches), each,
        with_queries == each && with_queries > 1 ? ": the first one has all with queries" : ""));
  }
  return static_cast<unsigned>(each);
}

// A format, in the host's thread.
class SearchRanks::Encoding {
 public:
  Encoding(SearchRanks& ranks, const use::Model& model, const std::vector<use::Batch>& batches,
           unsigned each, use::Format format, Progress* progress)
      : r_(ranks),
        grid_(ranks.plan_.grid),
        model_(model),
        batches_(batches),
        each_(each),
        programs_(static_cast<unsigned>(ceil_div(batches.size(), std::size_t{each}))),
        format_(format),
        progress_(progress) {
    for (unsigned n = 0; n < r_.system_.chips(); ++n)
      runtimes_.push_back(std::make_unique<runtime::Runtime>(r_.system_.chip(n).host()));
    buffers_.resize(grid_.ranks());
  }

  std::uint64_t weight_bytes() const { return weight_bytes_; }

  // The first round, times all batches of the first part over those of the round, in us.
  double time() {
    load_weights();
    double batches = 0;
    for (unsigned program = 0; program < programs_; program += grid_.data)
      batches += batches_in(program);
    return encode(0, nullptr).seconds() * 1e6 * batches / batches_in(0);
  }

  void run(Execution* e) {
    load_weights();
    const std::vector<double> busy = busy_us();
    std::optional<ProgramWatch> watch;
    const unsigned rounds = ceil_div(programs_, grid_.data);
    for (unsigned round = 0; round < rounds; ++round) {
      progress_->update(round / (rounds + 1.0), fmt::format("program {} of {}", round + 1, rounds));
      if (round == 0) watch.emplace(r_.system_.chip(0));
      const runtime::RunResult result = encode(round, watch ? &*watch : nullptr);
      add(result, e);
      if (!watch) continue;
      const auto record = watch->finish(result, title_of(each_, use::name_of(format_)) + of_rank());
      watch.reset();
      e->phases.push_back(record->phases);
      if (!r_.first_program_) r_.first_program_ = record;
    }
    add(compare(), e);
    add_busy(busy, e);
    read_results(e);
  }

 private:
  HostedChip& chip_of(unsigned rank) { return r_.system_.chip(rank / r_.plan_.cores); }
  unsigned core_of(unsigned rank) const { return rank % r_.plan_.cores; }
  runtime::Runtime& runtime_of(unsigned rank) { return *runtimes_[rank / r_.plan_.cores]; }
  // member: of those that share a part of the data.
  unsigned rank_of(unsigned data, unsigned member) const { return data * members() + member; }
  unsigned members() const { return grid_.sequence * grid_.sharers(); }
  // The one with the embeddings of its part of the data.
  unsigned last_of(unsigned data) const {
    return rank_of(data, (grid_.pipeline - 1) * grid_.tensor);  // of the first tokens
  }
  unsigned batches_in(unsigned program) const {
    return static_cast<unsigned>(
        std::min<std::size_t>(each_, batches_.size() - std::size_t{program} * each_));
  }
  static std::string embeddings(unsigned program) { return fmt::format("embeddings.{}", program); }

  void put(unsigned rank, const std::string& name, std::uint64_t bytes,
           const void* data = nullptr) {
    runtime::Buffer& buffer = buffers_[rank][name];
    buffer.reset();
    buffer = runtime_of(rank).allocate(name, bytes, core_of(rank));
    if (data != nullptr) runtime_of(rank).copy_to_device(buffer, data, bytes);
  }

  void load_weights() {
    for (unsigned member = 0; member < members(); ++member) {
      const auto weights = use::encoder_weights(model_, format_, part_of(member));
      // Those with other tokens have the same ones.
      if (part_of(member).sequence == 0) weight_bytes_ += use::bytes_of_products(weights);
      for (unsigned data = 0; data < grid_.data; ++data) {
        for (const use::HostTensor& tensor : weights)
          put(rank_of(data, member), tensor.name, tensor.bytes.size(), tensor.bytes.data());
      }
    }
  }

  use::EncoderPart part_of(unsigned member) const {
    return {grid_.tensor,   grid_.layer_part_of(member),    r_.sum_,
            grid_.pipeline, grid_.stage_of(member),         r_.handover_,
            grid_.sequence, grid_.sequence_part_of(member), r_.gather_};
  }

  // peers: the ranks that the program knows, by their numbers in it. `tensors`: names in the
  // program of those that have others here.
  runtime::Program load(const Executable& executable, unsigned rank,
                        const std::vector<unsigned>& peers,
                        const std::map<std::string, std::string>& names = {}) {
    runtime::Runtime::Bindings bindings;
    for (const TensorInfo& tensor : executable.tensors) {
      const auto other = names.find(tensor.name);
      bindings[tensor.name] =
          &buffers_[rank].at(other == names.end() ? tensor.name : other->second);
    }
    if (peers.size() == 1) return runtime_of(rank).load(executable, bindings, core_of(rank));
    std::vector<std::uint64_t> windows;
    windows.reserve(peers.size());
    for (const unsigned peer : peers)
      windows.push_back(r_.system_.window(peer / r_.plan_.cores, core_of(peer)));
    return runtime_of(rank).load(executable, bindings, core_of(rank), windows,
                                 [this, peers](unsigned peer, const std::string& tensor) {
                                   const unsigned of = peers.at(peer);
                                   return r_.system_.address(of / r_.plan_.cores,
                                                             buffers_[of].at(tensor).address());
                                 });
  }

  runtime::RunResult run_all(std::deque<runtime::Program>& programs,
                             const std::vector<unsigned>& ranks, ProgramWatch* watch = nullptr) {
    std::vector<runtime::RunningProgram> running;
    std::deque<HostedChip::Running> shown;
    std::set<HostedChip*> chips;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      HostedChip& chip = chip_of(ranks[i]);
      running.push_back({&chip.host(), &runtime_of(ranks[i]), &programs[i]});
      shown.emplace_back(chip, programs[i].executable(), core_of(ranks[i]));
      chips.insert(&chip);
    }
    for (HostedChip* chip : chips) chip->settle();
    if (watch != nullptr) watch->begin();
    return runtime::run_together(running);
  }

  // Each part of the data its program of that round.
  runtime::RunResult encode(unsigned round, ProgramWatch* watch) {
    std::deque<runtime::Program> programs;
    std::vector<unsigned> ranks;
    for (unsigned data = 0; data < grid_.data; ++data) {
      const unsigned program = round * grid_.data + data;
      if (program >= programs_) continue;
      const unsigned count = batches_in(program);
      const auto inputs = use::encoder_inputs(&batches_[std::size_t{program} * each_], count);
      std::vector<unsigned> peers;
      for (unsigned member = 0; member < members(); ++member)
        peers.push_back(rank_of(data, member));
      // All buffers before the first program, which names those of the others.
      for (unsigned member = 0; member < peers.size(); ++member) {
        const auto [built, fresh] = built_.try_emplace({count, member});
        if (fresh)
          built->second = use::build_encoder(model_, format_, count, r_.config_, part_of(member));
        for (const use::HostTensor& tensor : inputs)
          put(peers[member], tensor.name, tensor.bytes.size(), tensor.bytes.data());
        if (part_of(member).last()) put(peers[member], embeddings(program), count * kSlots * kRow);
        for (const TensorInfo& tensor : built->second.tensors) {
          if (tensor.kind == TensorInfo::Kind::kScratch)
            put(peers[member], tensor.name, tensor.bytes());
        }
      }
      for (unsigned member = 0; member < peers.size(); ++member) {
        programs.push_back(load(built_.at({count, member}), peers[member], peers,
                                {{"embeddings", embeddings(program)}}));
        ranks.push_back(peers[member]);
      }
    }
    return run_all(programs, ranks, watch);
  }

  runtime::RunResult compare() {
    const auto queries = static_cast<unsigned>(batches_in(0) * kSlots);
    std::deque<runtime::Program> programs;
    std::vector<unsigned> ranks;
    for (unsigned data = 0; data < grid_.data; ++data) ranks.push_back(last_of(data));
    // All buffers before the first program, which names those of the others.
    std::vector<Executable> built;
    for (unsigned data = 0; data < grid_.data; ++data) {
      std::vector<use::Embeddings> own;
      std::uint64_t rows = 0;
      for (unsigned program = data; program < programs_; program += grid_.data) {
        own.push_back({embeddings(program), static_cast<unsigned>(batches_in(program) * kSlots)});
        rows += own.back().rows;
      }
      put(ranks[data], "similarities", rows * queries * sizeof(float));
      put(ranks[data], "queries", queries * kRow);
      built.push_back(
          use::build_similarities(own, r_.config_, {grid_.data, data, queries, r_.broadcast_}));
    }
    for (unsigned data = 0; data < grid_.data; ++data)
      programs.push_back(load(built[data], ranks[data], ranks));
    return run_all(programs, ranks);
  }

  static void add(const runtime::RunResult& result, Execution* e) {
    if (e->end_fs == 0) e->begin_fs = result.start.value();
    e->end_fs = result.end.value();
    e->program_us.push_back(result.seconds() * 1e6);
    e->simulated_us += e->program_us.back();
  }

  // Which one the record of the first program is of.
  std::string of_rank() const {
    if (grid_.ranks() == 1) return "";
    const std::string stage =
        grid_.pipeline == 1 ? "" : fmt::format(", in stage 1 of {}", grid_.pipeline);
    return fmt::format(" Of rank 0 of {}{}.", grid_.ranks(), stage);
  }

  // Of each rank, its tensor engine until now.
  std::vector<double> busy_us() const {
    std::vector<double> busy;
    for (unsigned rank = 0; rank < grid_.ranks(); ++rank) {
      const auto* track = r_.summaries_[rank / r_.plan_.cores]->find(
          fmt::format("core{}", core_of(rank)), "tensor");
      busy.push_back(track == nullptr ? 0 : static_cast<double>(track->busy_fs) * 1e-9);
    }
    return busy;
  }

  void add_busy(const std::vector<double>& before, Execution* e) {
    const std::vector<double> now = busy_us();
    std::vector<double> of_stages(grid_.pipeline);
    double all = 0;
    for (unsigned rank = 0; rank < grid_.ranks(); ++rank) {
      const double busy = now[rank] - before[rank];
      of_stages[grid_.stage_of(rank)] += busy;
      all += busy;
    }
    const unsigned of_stage = grid_.ranks() / grid_.pipeline;
    for (double& busy : of_stages) busy /= of_stage * e->simulated_us;
    r_.stage_shares_ = std::move(of_stages);
    e->engines.push_back({"tensor", 0, all / grid_.ranks()});
  }

  void append(unsigned rank, const std::string& name, std::uint64_t offset, std::uint64_t bytes,
              std::vector<std::uint32_t>* to) {
    const std::size_t before = to->size();
    to->resize(before + bytes / sizeof(std::uint32_t));
    runtime_of(rank).copy_from_device(buffers_[rank].at(name), to->data() + before, bytes, offset);
  }

  // In the order of the batches.
  void read_results(Execution* e) {
    for (unsigned program = 0; program < programs_; ++program)
      append(last_of(program % grid_.data), embeddings(program), 0,
             batches_in(program) * kSlots * kRow, &e->result);
    const std::uint64_t row = batches_in(0) * kSlots * sizeof(float);
    for (unsigned program = 0; program < programs_; ++program)
      append(last_of(program % grid_.data), "similarities",
             std::uint64_t{program / grid_.data} * each_ * kSlots * row,
             batches_in(program) * kSlots * row, &e->result);
  }

  SearchRanks& r_;
  const collectives::RankGrid grid_;
  const use::Model& model_;
  const std::vector<use::Batch>& batches_;
  const unsigned each_, programs_;
  const use::Format format_;
  Progress* const progress_;
  std::uint64_t weight_bytes_ = 0;
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;      // of chips
  std::vector<std::map<std::string, runtime::Buffer>> buffers_;  // of ranks
  std::map<std::pair<unsigned, unsigned>, Executable> built_;    // by batches and member
};

Execution SearchRanks::run(const use::Model& model, const std::vector<use::Batch>& batches,
                           unsigned each, use::Format format, Progress* progress,
                           std::uint64_t* weight_bytes) {
  Execution e;
  e.backend = backend_name(Backend::kModel);
  e.tensor_clock_ghz = config_.core.tensor_clock_ghz;
  const auto wall = std::chrono::steady_clock::now();
  Simulation::Options options;
  options.stop = catch_interrupts();
  simulation_.run(
      [&] {
        Encoding encoding(*this, model, batches, each, format, progress);
        encoding.run(&e);
        *weight_bytes = encoding.weight_bytes();
      },
      options);
  e.wall_s = base::seconds_since(wall);
  return e;
}

double SearchRanks::time(const use::Model& model, const std::vector<use::Batch>& batches,
                         unsigned each, use::Format format) {
  double us = 0;
  Progress progress("programs", true);
  Simulation::Options options;
  options.stop = catch_interrupts();
  simulation_.run([&] { us = Encoding(*this, model, batches, each, format, &progress).time(); },
                  options);
  return us;
}

}  // namespace tern::app
