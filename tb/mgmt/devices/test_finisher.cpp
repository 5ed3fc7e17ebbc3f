// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "systemc/mgmt/devices/finisher.h"
#include "tb/mgmt/devices/device_bench.h"

using namespace tern;
using namespace tern::tb;
using mgmt::Finisher;
using sc_core::SC_NS;
using sc_core::sc_time;

TEST_CASE("finisher: pass, failure with its code, reset, and nothing else") {
  DeviceBench bench(DeviceBench::bench_name());
  std::vector<Finisher::Request> requests;
  Finisher finisher("finisher",
                    [&](const Finisher::Request& request) { requests.push_back(request); });
  bench.run(finisher, [&] {
    CHECK(finisher.last().kind == Finisher::Kind::kNone);
    bench.put(0, 4, 0);
    bench.put(0, 4, 0x5554);
    bench.put(4, 4, 0x5555);  // no register
    CHECK(requests.empty());
    bench.put(0, 4, 0x5555, sc_time(7, SC_NS));
    bench.put(0, 4, 0xABCD3333);
    bench.put(0, 2, 0x3333);
    bench.put(0, 4, 0x7777);
    REQUIRE(requests.size() == 4);
    CHECK(requests[0].kind == Finisher::Kind::kPass);
    CHECK(requests[0].at == sc_time(7, SC_NS));
    CHECK(requests[1].kind == Finisher::Kind::kFail);
    CHECK(requests[1].code == 0xABCD);
    CHECK(requests[2].code == 0);
    CHECK(requests[3].kind == Finisher::Kind::kReset);
    CHECK(bench.get(0, 4) == 0);

    const Finisher::State state = finisher.save();
    finisher.reset();
    CHECK(finisher.last().kind == Finisher::Kind::kNone);
    finisher.restore(state);
    CHECK(finisher.last().kind == Finisher::Kind::kReset);

    CHECK(bench.write(0, 1, 0x55) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.write(0, 8, 0x5555) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.write(0x1000, 4, 0x5555) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(requests.size() == 4);
  });
}
