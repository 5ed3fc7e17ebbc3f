// SPDX-License-Identifier: Apache-2.0
// Failures of the device under the C runtime: wrong bits, a lost link, with and without firmware.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "nrt/nrt.h"
#include "nrt/tern.h"
#include "sw/nrt/instance.h"
#include "sw/spec/generated/address_map.h"
#include "tb/common/temp_folder.h"
#include "tb/nrt/programs.h"

namespace tern::tb {
namespace {

// In the simulation's thread.
void on_chip(const std::function<void(Chip&, pcie::Function&)>& call) {
  nrt::Instance& instance = nrt::Instance::get();
  nrt::Engine::Request request;
  request.work = [&call](nrt::System& system) {
    HostedChip& hosted = *system.device(0).chip;
    call(hosted.chip(), hosted.function());
  };
  instance.engine().wait(instance.engine().submit(std::move(request)));
}

struct Bench {
  explicit Bench(const char* firmware = "") {
    setenv("NEURON_LOGICAL_NC_CONFIG", "1", 1);
    setenv("TERN_RT_FIRMWARE", firmware, 1);
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    make();
  }
  ~Bench() { nrt_close(); }
  void make() {
    const std::string file = twice_file(1);
    REQUIRE(nrt_load(file.data(), file.size(), 0, -1, &model) == NRT_SUCCESS);
    REQUIRE(nrt_allocate_tensor_set(&in) == NRT_SUCCESS);
    REQUIRE(nrt_allocate_tensor_set(&out) == NRT_SUCCESS);
    const auto add = [](nrt_tensor_set_t* set, const char* name, nrt_tensor_t** tensor) {
      REQUIRE(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, kBytes, name, tensor) ==
              NRT_SUCCESS);
      REQUIRE(nrt_add_tensor_to_tensor_set(set, name, *tensor) == NRT_SUCCESS);
    };
    add(in, "x", &x);
    add(out, "y", &y);
    write();
  }
  void write() {
    const std::vector<float> ones(kBytes / 4, 1);
    REQUIRE(nrt_tensor_write(x, ones.data(), 0, kBytes) == NRT_SUCCESS);
  }
  NRT_STATUS run() { return nrt_execute(model, in, out); }
  bool good() {
    std::vector<float> values(kBytes / 4);
    if (nrt_tensor_read(y, values.data(), 0, kBytes) != NRT_SUCCESS) return false;
    return values == std::vector<float>(kBytes / 4, 2);
  }
  // Two wrong bits in a burst of x: more than the code corrects.
  void damage() {
    nrt_tensor_device_allocation_info_t place{};
    REQUIRE(nrt_tensor_get_device_allocation_info(x, &place) == NRT_SUCCESS);
    on_chip([&](Chip& chip, pcie::Function&) {
      auto& memory = chip.hbm().stack(static_cast<unsigned>(place.hbm_index)).memory();
      const std::uint64_t offset = place.physical_address % TERN_HBM_STRIDE;
      memory.flip(offset, 3);
      memory.flip(offset, 77);
    });
  }

  static constexpr std::size_t kBytes = 128 * 64 * 4;
  nrt_model_t* model = nullptr;
  nrt_tensor_set_t *in = nullptr, *out = nullptr;
  nrt_tensor_t *x = nullptr, *y = nullptr;
};

}  // namespace

TEST_CASE("wrong bits in HBM end an execution, and new bytes make the next one good") {
  Bench bench;
  bench.damage();
  CHECK(bench.run() == NRT_EXEC_HW_ERR_HBM_UE);
  CHECK_THAT(tern_last_error(), Catch::Contains("status 1201 (HBM uncorrectable error)"));
  bench.write();
  REQUIRE(bench.run() == NRT_SUCCESS);
  CHECK(bench.good());
}

TEST_CASE("with firmware and spare rows, they are repairable") {
  const TempFolder folder;
  const std::string board =
      folder.put("board.yaml", "preset: tern\nmanagement: {chip: {spare_rows: 4}}\n");
  Bench bench(board.c_str());
  REQUIRE(bench.run() == NRT_SUCCESS);
  CHECK(bench.good());
  bench.damage();
  CHECK(bench.run() == NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE);
  bench.write();
  REQUIRE(bench.run() == NRT_SUCCESS);
  CHECK(bench.good());
}

TEST_CASE(
    "a device that is lost is an error of every call, and comes back with the next nrt_init") {
  Bench bench;
  on_chip([](Chip&, pcie::Function& function) { function.set_link(false); });
  CHECK(bench.run() == NRT_HW_ERROR);
  std::vector<float> values(Bench::kBytes / 4);
  CHECK(nrt_tensor_read(bench.y, values.data(), 0, Bench::kBytes) == NRT_HW_ERROR);
  on_chip([](Chip&, pcie::Function& function) { function.set_link(true); });
  nrt_close();
  REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
  bench.make();
  REQUIRE(bench.run() == NRT_SUCCESS);
  CHECK(bench.good());
}

TEST_CASE("a link that goes down in mid-execution") {
  Bench bench;
  const auto down = [](Chip&, pcie::Function& function) {
    sc_core::wait(sc_core::sc_time(6, sc_core::SC_US));
    function.set_link(false);
  };
  std::thread other([&] { on_chip(down); });
  NRT_STATUS status = NRT_SUCCESS;
  for (int n = 0; n < 100 && status == NRT_SUCCESS; ++n) status = bench.run();
  other.join();
  CHECK(status == NRT_HW_ERROR);
  on_chip([](Chip&, pcie::Function& function) { function.set_link(true); });
}

}  // namespace tern::tb
