// SPDX-License-Identifier: Apache-2.0
// Formulas of a link against tables worked out by hand from the PCIe and UALink specifications.
#include <catch2/catch.hpp>
#include <cmath>

#include "sw/base/user_error.h"
#include "sw/system/system_config.h"
#include "systemc/link/link_timing.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {
namespace {

using namespace tern::link;    // NOLINT: test file
using namespace tern::system;  // NOLINT: test file

// The payload of a packet is as large as it gets.
LinkConfig config_of(Protocol protocol, unsigned header, unsigned max_payload) {
  LinkConfig c = default_link(protocol);
  c.header_bytes = header;
  c.max_payload = max_payload;
  return c;
}

LinkTiming chip_to_switch(const LinkConfig& c, unsigned lanes, double rate) {
  return {c, lanes, rate, Medium::kBackplane, true, false};
}

std::string refusal(const std::string& yaml) {
  const TempFolder folder;
  try {
    (void)load_system(folder.put("my.yaml", yaml).string());
  } catch (const UserError& error) {
    const std::string message = error.what();
    return message.substr(message.find("my.yaml"));
  }
  return "";
}

}  // namespace

TEST_CASE("link: efficiency of writes by payload") {
  struct Row {
    Protocol protocol;
    unsigned header;
    double of[6];  // 64, 128, 256, 512, 1024, 4096 bytes
  };
  const Row rows[] = {
      {Protocol::kPcie5, 16, {0.716, 0.829, 0.900, 0.941, 0.962, 0.979}},
      {Protocol::kPcie5, 12, {0.750, 0.851, 0.913, 0.948, 0.966, 0.980}},
      {Protocol::kPcie6, 16, {0.738, 0.819, 0.868, 0.894, 0.908, 0.918}},
      {Protocol::kPcie7, 16, {0.738, 0.819, 0.868, 0.894, 0.908, 0.918}},
  };
  const unsigned payloads[] = {64, 128, 256, 512, 1024, 4096};
  for (const Row& row : rows) {
    CAPTURE(protocol_name(row.protocol), row.header);
    for (unsigned i = 0; i < 6; ++i) {
      CAPTURE(payloads[i]);
      CHECK(efficiency(config_of(row.protocol, row.header, payloads[i]), payloads[i]) ==
            Approx(row.of[i]).margin(0.0006));
    }
  }
  // 628 of 640 bytes, 640 of 680 after error correction; the header is the assumption.
  CHECK(1 / wire_factor(default_link(Protocol::kUalink)) == Approx(0.923).margin(0.001));
}

TEST_CASE("link: payload rates") {
  // 64 GB/s x 0.868.
  CHECK(chip_to_switch(default_link(Protocol::kPcie6), 8, 8).payload_rate(256) ==
        Approx(55.5).margin(0.05));
  // 32 GB/s x 128/130 x 256/280; a pair of link-layer packets for 2.5 packets takes 2 % of it.
  const LinkConfig gen5 = default_link(Protocol::kPcie5);
  CHECK(32 * efficiency(gen5, 256) == Approx(28.8).margin(0.01));
  CHECK(chip_to_switch(gen5, 8, 4).payload_rate(256) == Approx(28.8 * 280 / 286.4).margin(0.02));
  // A train costs what its packets cost.
  const LinkTiming link = chip_to_switch(gen5, 8, 4);
  CHECK(link.occupancy(4096) == Approx(16 * link.occupancy(256)));
  CHECK(link.occupancy(257) == Approx(link.occupancy(256) + link.occupancy(4)));
  CHECK(link.occupancy(1) == Approx(link.occupancy(4)));  // units of 4 bytes
  CHECK(link.occupancy(0) > 0);                           // a header
}

TEST_CASE("link: flits in time") {
  const LinkConfig gen6 = default_link(Protocol::kPcie6);
  CHECK(chip_to_switch(gen6, 16, 8).unit_time() == Approx(2.0));
  CHECK(chip_to_switch(gen6, 8, 8).unit_time() == Approx(4.0));
  CHECK(chip_to_switch(gen6, 2, 8).unit_time() == Approx(16.0));
  CHECK(chip_to_switch(default_link(Protocol::kPcie7), 8, 16).unit_time() == Approx(2.0));
  const LinkConfig ualink = default_link(Protocol::kUalink);
  CHECK(chip_to_switch(ualink, 4, 25).unit_time() == Approx(6.8));
  CHECK(chip_to_switch(ualink, 1, 25).unit_time() == Approx(27.2));
}

TEST_CASE("link: one way through a switch") {
  // Controllers 2 x 25, retimers 2 x 12, copper 2 x 5, switch 115, a flit of 4 on each link: 207.
  LinkConfig c = default_link(Protocol::kPcie6);
  const double correction = 2 * c.fec_ns;
  const LinkTiming in(c, 8, 8, Medium::kBackplane, true, false);
  const LinkTiming out(c, 8, 8, Medium::kBackplane, false, true);
  CHECK(in.head_latency() + c.switch_ns + out.head_latency() == Approx(207 + correction));
  // Chip to chip on a tray: two controllers, the board, no retimer.
  const LinkTiming tray(c, 64, 8, Medium::kPcb, true, true);
  CHECK(tray.flight() == Approx(50 + 2 + c.fec_ns));
  CHECK(tray.latency(4096) == Approx(tray.head_latency() + (4096 + 16 * 16) * 256.0 / 236 / 512));
}

TEST_CASE("link: what a replay costs") {
  LinkConfig c = default_link(Protocol::kPcie6);
  // Round trip of 300 ns: 75 flit times and the flit itself; selective: the flit.
  c.media[1].propagation_ns = 0;
  c.media[1].retimers = 0;
  c.fec_ns = 0;
  c.controller_ns = 150 - 4;
  const LinkTiming link = chip_to_switch(c, 8, 8);
  CHECK(link.round_trip() == Approx(300));
  CHECK(link.replay_cost(false) / link.unit_time() == Approx(76));
  CHECK(link.replay_cost(true) / link.unit_time() == Approx(1));
  // At the target rate of errors less than 1e-5 of the flits, less than 0.1 % of the line.
  CHECK(link.loss_probability() < 1e-5);
  CHECK(link.loss_probability() == Approx(3 * 3570 * 64e-12).epsilon(0.01));
  c.selective_nak = false;
  CHECK(chip_to_switch(c, 8, 8).replay_share() < 0.001);
  c.bit_error_rate = 0;
  CHECK(chip_to_switch(c, 8, 8).replay_share() == 0);
  // Without error correction one bit is enough.
  LinkConfig gen5 = default_link(Protocol::kPcie5);
  gen5.bit_error_rate = 1e-9;
  CHECK(chip_to_switch(gen5, 8, 4).loss_probability() == Approx(280 * 8e-9).epsilon(0.001));
  // RS(544, 514): sixteen wrong symbols of 544, by the Poisson limit.
  LinkConfig ualink = default_link(Protocol::kUalink);
  ualink.bit_error_rate = 1e-3;
  const double mean = 544 * 1e-2;
  double fewer = 0, term = std::exp(-mean);
  for (unsigned k = 0; k <= 15; ++k, term *= mean / k) fewer += term;
  CHECK(chip_to_switch(ualink, 4, 25).loss_probability() == Approx(1 - fewer).epsilon(0.25));
}

TEST_CASE("link: units of a train, and those that are corrected") {
  // 16 packets of 272 bytes, 236 of them in a flit, 628 in a code word.
  const LinkConfig gen6 = default_link(Protocol::kPcie6), gen5 = default_link(Protocol::kPcie5),
                   ualink = default_link(Protocol::kUalink);
  CHECK(chip_to_switch(gen6, 8, 8).units(4096) == 19);
  CHECK(chip_to_switch(gen6, 2, 8).units(4096) == 19);
  CHECK(chip_to_switch(gen6, 8, 8).units(0) == 1);
  CHECK(chip_to_switch(gen5, 8, 4).units(4096) == 16);
  CHECK(chip_to_switch(gen5, 8, 4).units(0) == 1);
  CHECK(chip_to_switch(ualink, 4, 25).units(4096) == 7);
  // Any of 2048 bits at 1e-6, of 5440; hardly any is lost.
  CHECK(chip_to_switch(gen6, 8, 8).corrected_probability() == Approx(2.045e-3).epsilon(0.001));
  CHECK(chip_to_switch(ualink, 4, 25).corrected_probability() == Approx(5.425e-3).epsilon(0.001));
  CHECK(chip_to_switch(gen5, 8, 4).corrected_probability() == 0);
}

TEST_CASE("link: every preset has links, and the rate of a lane chooses a protocol") {
  for (const std::string& name : system_names()) {
    CAPTURE(name);
    const SystemConfig c = load_system(name);
    const double rate = c.lane_gb_per_s;
    const bool named = !c.link.source.empty();
    CHECK((named || c.link.protocol == protocol_of_rate(rate)));
    // Buffers cover the round trip of the longest cable at full rate, and a train.
    for (const unsigned lanes : {8u, 16u, 32u}) {
      const LinkTiming link(c.link, lanes, rate, Medium::kAec, true, true);
      CAPTURE(lanes);
      CHECK(c.link.buffer_bytes_per_lane * lanes >=
            link.round_trip() * link.line_rate() + c.link.train_bytes);
    }
  }
  CHECK(load_system("trn1-nl16").link.protocol == Protocol::kPcie4);
  CHECK(load_system("trn2-nl64").link.protocol == Protocol::kPcie5);
  CHECK(load_system("trn3-nl72x2-gen1").link.protocol == Protocol::kPcie6);
  CHECK(load_system("trn3-nl72x2-gen3").link.protocol == Protocol::kUalink);
  CHECK(load_system("trn4-ualink").link.protocol == Protocol::kUalink);
}

TEST_CASE("link: keys of a file") {
  const TempFolder folder;
  const auto load = [&](const std::string& link) {
    return load_system(
               folder.put("my.yaml", "preset: trn2-nl16\nlane_gb_per_s: 8\n" + link).string())
        .link;
  };
  // The rate says PCIe 6.0 unless the file does.
  CHECK(load("").protocol == Protocol::kPcie6);
  CHECK(load("link: {protocol: pcie5}\n").protocol == Protocol::kPcie5);
  const LinkConfig c =
      load("link: {aec: {propagation_ns: 35.5, retimers: 1}, switch_ns: 90, max_payload: 512}\n");
  CHECK(c.protocol == Protocol::kPcie6);
  CHECK(c.medium(Medium::kAec).propagation_ns == 35.5);
  CHECK(c.medium(Medium::kAec).retimers == 1);
  CHECK(c.switch_ns == 90);
  CHECK(c.max_payload == 512);
  CHECK(c.controller_ns == default_link(Protocol::kPcie6).controller_ns);
  // A preset with a protocol of its own keeps it.
  CHECK(load_system(
            folder.put("my.yaml", "preset: trn3-nl72x2-gen3\nlink: {switch_ns: 99}\n").string())
            .link.protocol == Protocol::kUalink);
}

TEST_CASE("link: refusals name the line") {
  const std::string head = "preset: trn2-nl16\n";
  CHECK(refusal(head + "link: {protocol: pcie9}\n").find("my.yaml:2: key 'link.protocol'") == 0);
  CHECK(
      refusal(head + "link:\n  pcb: {retimers: 9}\n").find("my.yaml:3: key 'link.pcb.retimers'") ==
      0);
  CHECK(refusal(head + "link: {max_payload: 300}\n") ==
        "my.yaml:2: key 'link.max_payload': expected a divisor of train_bytes, 4096, got '300'");
  CHECK(refusal(head + "link: {train_bytes: 300}\n") ==
        "my.yaml:2: key 'link.train_bytes': expected a multiple of max_payload, 256, got '300'");
  CHECK(
      refusal(head + "link: {selective_nak: true}\n").find("my.yaml:2: key 'link.selective_nak'") ==
      0);
  CHECK(refusal(head + "link: {bit_error_rate: 0.5}\n")
            .find("my.yaml:2: key 'link.bit_error_rate'") == 0);
  CHECK(refusal(head + "link: {swich_ns: 5}\n").find("my.yaml:2: ") == 0);
}

}  // namespace tern::tb
