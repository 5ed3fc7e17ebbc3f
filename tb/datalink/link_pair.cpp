// SPDX-License-Identifier: Apache-2.0
#include "tb/datalink/link_pair.h"

#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"

namespace tern::tb {
namespace {

constexpr unsigned kDownCycles = 200;  // longer than the search for good lanes

}  // namespace

struct LinkPair::End {
  End(LinkSize size, const flit::LinkOptions& options)
      : rtl(make_link_rtl(size, bench_wave())), model(std::make_unique<flit::LinkModel>(options)) {}

  std::unique_ptr<flit::DataLink> rtl, model;
  std::deque<flit::Packet> waiting;                      // not sent yet
  std::deque<flit::Packet> expected;                     // from the other end
  std::deque<flit::Freed> held;                          // in the buffers
  std::array<unsigned, flit::kClasses> heads{}, data{};  // of the buffers, in use
  unsigned to_slot = 0;
  flit::LinkInputs inputs;
  flit::Packet offered;
  flit::LinkOutputs outputs;
  Counts counts;
};

flit::Packet random_packet(std::mt19937_64& random, unsigned max_dwords) {
  flit::Packet packet;
  packet.cls = static_cast<unsigned>(random() % flit::kClasses);
  // Empty, full and everything between.
  const std::uint64_t shape = random() % 4;
  packet.dwords = shape == 0   ? 0
                  : shape == 1 ? max_dwords
                               : static_cast<unsigned>(random() % (max_dwords + 1));
  for (auto& word : packet.head) word = static_cast<std::uint32_t>(random());
  for (auto& word : packet.data) word = static_cast<std::uint32_t>(random());
  return packet;
}

LinkPair::LinkPair(LinkSize size, std::uint64_t seed, unsigned delay)
    : random_(seed), options_(link_options(size)), wires_{Wire(delay), Wire(delay)} {
  for (auto& end : ends_) end = std::make_unique<End>(size, options_);
}

LinkPair::~LinkPair() = default;

Wire& LinkPair::wire(unsigned from) {
  return wires_[from];
}
const LinkPair::Counts& LinkPair::counts(unsigned end) const {
  return ends_[end]->counts;
}
const flit::LinkOutputs& LinkPair::outputs(unsigned end) const {
  return ends_[end]->outputs;
}

void LinkPair::break_model(unsigned end) {
  ends_[end]->model->cycle({});
}

void LinkPair::step() {
  for (unsigned end = 0; end < 2; ++end) cycle_of(end);
  for (unsigned end = 0; end < 2; ++end) wires_[end].advance(ends_[end]->outputs, random_);
  if (down_ > 0) {
    for (Wire& wire : wires_) wire.clear();
    --down_;
  } else if (ends_[0]->outputs.recovery || ends_[1]->outputs.recovery) {
    replaced = wires_[0].faults.dead | wires_[1].faults.dead;
    train();
  }
  ++cycle_;
}

void LinkPair::train() {
  down_ = kDownCycles;
}

void LinkPair::cycle_of(unsigned index) {
  now_ = index;
  End& end = *ends_[index];
  const EndTraffic& traffic_here = traffic[index];
  flit::LinkInputs& in = end.inputs;
  const Wire::Slot& slot = wires_[1 - index].out();
  in = {};
  in.run = down_ == 0;
  in.load = down_ == kDownCycles - 20;
  if (in.load) loaded_ = replaced;
  in.dead = loaded_;
  in.rx = slot.valid ? &slot.lanes : nullptr;
  in.rx_error = slot.valid && slot.error;
  in.slot = end.to_slot == 0;
  if (end.to_slot > 0) {
    --end.to_slot;
  } else {
    end.to_slot = options_.flit_cycles - 1;
    if (traffic_here.slot_gap > 0) {
      end.to_slot += static_cast<unsigned>(random_() % (traffic_here.slot_gap + 1));
    }
  }
  if (random_() % 256 < traffic_here.offer && end.waiting.size() < 8) {
    flit::Packet& packet =
        end.waiting.emplace_back(random_packet(random_, traffic_here.max_dwords));
    if (always_full) packet.dwords = traffic_here.max_dwords;
  }
  if (!end.waiting.empty()) {
    end.offered = end.waiting.front();
    in.offer = &end.offered;
  }
  if (!end.held.empty() && random_() % 256 < traffic_here.free) {
    in.freed = end.held.front();
    end.held.pop_front();
    --end.heads[in.freed->cls];
    end.data[in.freed->cls] -= flit::data_units(in.freed->dwords);
  }

  const flit::LinkOutputs& expected = end.model->cycle(in);
  end.outputs = end.rtl->cycle(in);
  if (const auto difference = first_difference(expected, end.outputs)) {
    FAIL_MISMATCH({{"end " + std::to_string(index) + ", port " + difference->port, "", cycle_},
                   hex(difference->expected),
                   hex(difference->got)});
  }
  const flit::LinkOutputs& out = end.outputs;
  if (out.ready) {
    ends_[1 - index]->expected.push_back(end.waiting.front());
    end.waiting.pop_front();
    ++end.counts.sent;
  } else if (in.offer != nullptr && end.waiting.size() > 1 && random_() % 4 == 0) {
    // Others may pass one whose class has no credit.
    end.waiting.push_back(end.waiting.front());
    end.waiting.pop_front();
  }
  if (out.packet) deliver(index);
  end.counts.bad += out.bad;
  end.counts.duplicates += out.duplicate;
  end.counts.replays += out.replay;
  end.counts.recoveries += out.recovery;
  if (out.malformed || out.protocol_error) {
    FAIL_MISMATCH({{"end " + std::to_string(index) + ", port " +
                        (out.malformed ? "malformed_o" : "protocol_error_o"),
                    "", cycle_},
                   hex(0, 1),
                   hex(1, 1)});
  }
  if (on_cycle) on_cycle(index, out);
}

void LinkPair::deliver(unsigned index) {
  End& end = *ends_[index];
  const flit::Packet& packet = *end.outputs.packet;
  const std::string place = "end " + std::to_string(index) + ", port pkt_";
  if (end.expected.empty()) {
    FAIL_MISMATCH(
        {{place + "valid_o: a packet that was not sent", "", cycle_}, hex(0, 1), hex(1, 1)});
  }
  const flit::Packet& expected = end.expected.front();
  if (!(packet == expected)) {
    const bool size = packet.cls != expected.cls || packet.dwords != expected.dwords;
    FAIL_MISMATCH({{place + (size ? "class_o, pkt_dwords_o" : "head_o, pkt_data_o") +
                        " of packet " + std::to_string(end.counts.delivered),
                    "", cycle_},
                   size ? hex(expected.cls << 8 | expected.dwords) : hex_list(expected.data),
                   size ? hex(packet.cls << 8 | packet.dwords) : hex_list(packet.data)});
  }
  ++end.counts.delivered;
  end.counts.payload_bytes += 4 * packet.dwords;
  end.held.push_back({packet.cls, packet.dwords});
  const unsigned heads = ++end.heads[packet.cls];
  const unsigned data = end.data[packet.cls] += flit::data_units(packet.dwords);
  end.expected.pop_front();
  if (heads > options_.head_credits || data > options_.data_credits) {
    FAIL_MISMATCH(
        {{place + "valid_o: more than the buffer of class " + std::to_string(packet.cls) + " has",
          "", cycle_},
         hex(options_.head_credits << 16 | options_.data_credits),
         hex(heads << 16 | data)});
  }
}

void LinkPair::run(std::uint64_t cycles) {
  for (; cycles > 0; --cycles) step();
}

void LinkPair::run_until(const std::function<bool()>& done, std::uint64_t at_most) {
  for (; !done(); --at_most) {
    if (at_most == 0) {
      FAIL("the link is stuck: end 0 has " << ends_[0]->waiting.size() << " packets to send and "
                                           << ends_[0]->expected.size() << " to come, end 1 "
                                           << ends_[1]->waiting.size() << " and "
                                           << ends_[1]->expected.size());
    }
    step();
  }
}

bool LinkPair::quiet() const {
  for (const auto& end : ends_) {
    if (!end->waiting.empty() || !end->expected.empty() || !end->held.empty()) return false;
    for (unsigned c = 0; c < flit::kClasses; ++c) {
      if (end->outputs.head_left[c] != options_.head_credits) return false;
      if (end->outputs.data_left[c] != options_.data_credits) return false;
    }
  }
  return true;
}

void LinkPair::drain() {
  for (unsigned i = 0; i < 2; ++i) {
    traffic[i].offer = 0;
    traffic[i].free = 256;
    wires_[i].faults = {};
    wires_[i].spoil_next(0);
  }
  run_until([this] { return quiet(); }, 20000);
}

std::string LinkPair::inputs() const {
  const flit::LinkInputs& in = ends_[now_]->inputs;
  std::string text = "end " + std::to_string(now_) + ": run " + std::to_string(in.run) + ", load " +
                     std::to_string(in.load) + ", slot " + std::to_string(in.slot) + ", rx_error " +
                     std::to_string(in.rx_error);
  if (in.offer != nullptr) {
    text += "\noffer: class " + std::to_string(in.offer->cls) + ", " +
            std::to_string(in.offer->dwords) + " dwords, head " + hex_list(in.offer->head);
  }
  if (in.freed) {
    text += "\nfreed: class " + std::to_string(in.freed->cls) + ", " +
            std::to_string(in.freed->dwords) + " dwords";
  }
  if (in.rx != nullptr) text += "\nrx_lanes_i " + hex_list(*in.rx);
  return text;
}

}  // namespace tern::tb
