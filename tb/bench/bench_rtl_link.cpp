// SPDX-License-Identifier: Apache-2.0
// Payload per second of one end of a link: the Verilated block and its model, two ends of a kind,
// packets of 256 bytes in both directions, a flit in every slot.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "systemc/cosim/link_rtl.h"
#include "systemc/link/flit/link_model.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::bench::seconds;
namespace flit = tern::flit;

constexpr unsigned kCycles = 20000;

struct End {
  std::unique_ptr<flit::DataLink> link;
  flit::LinkInputs inputs;
  flit::LinkOutputs outputs;
  flit::LaneWords wire{};
  std::uint64_t bytes = 0;
};

// Payload that the two ends have received.
std::uint64_t run_pair(std::unique_ptr<flit::DataLink> first,
                       std::unique_ptr<flit::DataLink> second) {
  flit::Packet packet;
  packet.dwords = flit::kMaxData;
  for (unsigned i = 0; i < flit::kMaxData; ++i) packet.data[i] = 0x9E3779B9 * (i + 1);
  End ends[2];
  ends[0].link = std::move(first);
  ends[1].link = std::move(second);
  for (unsigned t = 0; t < kCycles; ++t) {
    for (End& end : ends) {
      End& other = &end == ends ? ends[1] : ends[0];
      end.inputs.offer = &packet;
      end.inputs.slot = t % flit::LinkOptions{}.flit_cycles == 0;
      end.inputs.rx = other.outputs.tx_valid ? &(end.wire = other.outputs.tx) : nullptr;
      end.inputs.freed.reset();
      if (end.outputs.packet) end.inputs.freed = {end.outputs.packet->cls, flit::kMaxData};
    }
    packet.cls = t % flit::kClasses;
    for (End& end : ends) {
      end.outputs = end.link->cycle(end.inputs);
      if (end.outputs.packet) end.bytes += 4 * end.outputs.packet->dwords;
    }
  }
  return ends[0].bytes + ends[1].bytes;
}

int run(const tern::bench::Options& options) {
  std::uint64_t rtl_bytes = 0, model_bytes = 0;
  double rtl_time = 1e9, model_time = 1e9;
  for (unsigned i = 0; i < options.rounds; ++i) {
    rtl_time = std::min(rtl_time, seconds([&] {
                          rtl_bytes = run_pair(tern::make_link_rtl(tern::LinkSize::kFull),
                                               tern::make_link_rtl(tern::LinkSize::kFull));
                        }));
    model_time = std::min(model_time, seconds([&] {
                            model_bytes = run_pair(std::make_unique<flit::LinkModel>(),
                                                   std::make_unique<flit::LinkModel>());
                          }));
  }
  const double rtl = static_cast<double>(rtl_bytes) / rtl_time;
  const double model = static_cast<double>(model_bytes) / model_time;
  std::printf("Link, two ends, packets of 256 bytes both ways, best of %u rounds\n",
              options.rounds);
  std::printf("  %-34s %8.2f MB/s of payload, %.0f k cycles/s\n", "RTL, an end", rtl * 1e-6,
              2e-3 * kCycles / rtl_time);
  std::printf("  %-34s %8.2f MB/s of payload\n", "model, an end", model * 1e-6);
  std::printf("  %-34s %8.1f bytes of payload\n", "slot",
              static_cast<double>(rtl_bytes) * flit::LinkOptions{}.flit_cycles / (2.0 * kCycles));
  tern::bench::write_figures(options.json,
                             {{"rtl_link_bytes_per_s", rtl}, {"model_link_bytes_per_s", model}});
  return rtl_bytes == model_bytes ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_rtl_link", 5, run);
}
