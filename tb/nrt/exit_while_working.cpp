// SPDX-License-Identifier: Apache-2.0
// A process that ends by exit() while other threads are in calls of the C runtime: they do not hold
// it up, and it ends with its own exit code. Use: exit_while_working [open|close]; with `close` the
// library is closed first.
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "nrt/nrt.h"
#include "tb/nrt/programs.h"

int main(int argc, char** argv) {
  constexpr int kCode = 7;
  if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return 1;
  for (int vnc = 0; vnc < 2; ++vnc) {
    std::thread([vnc] {
      const std::string file = tern::tb::twice_file(1, 64);
      nrt_model_t* model = nullptr;
      nrt_tensor_t *x = nullptr, *y = nullptr;
      nrt_tensor_set_t *in = nullptr, *out = nullptr;
      constexpr std::size_t kBytes = std::size_t{128} * 64 * 4;
      if (nrt_load(file.data(), file.size(), vnc, -1, &model) != NRT_SUCCESS) return;
      nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, vnc, kBytes, "x", &x);
      nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, vnc, kBytes, "y", &y);
      nrt_allocate_tensor_set(&in);
      nrt_allocate_tensor_set(&out);
      nrt_add_tensor_to_tensor_set(in, "x", x);
      nrt_add_tensor_to_tensor_set(out, "y", y);
      while (nrt_execute(model, in, out) == NRT_SUCCESS) {
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (argc > 1 && std::string(argv[1]) == "close") nrt_close();
  std::exit(kCode);
}
