// SPDX-License-Identifier: Apache-2.0
// A custom initiator on Tern's HBM: writes, reads back, and prints how long it took.
#include <tlm_utils/simple_initiator_socket.h>

#include <iostream>

#include "systemc/hbm/hbm_memory.h"

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
  explicit Initiator(sc_core::sc_module_name name) : sc_module(name) {
    sc_core::sc_spawn([this] { run(); });
  }
  void run() {
    unsigned char data[1024] = "Hello, HBM";
    for (tlm::tlm_command command : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
      tlm::tlm_generic_payload payload;
      payload.set_command(command);
      payload.set_address(0x10000);
      payload.set_data_ptr(data);
      payload.set_data_length(sizeof data);
      payload.set_streaming_width(sizeof data);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
      std::cout << sc_core::sc_time_stamp() << " " << payload.get_response_string() << " " << data
                << "\n";
    }
  }
};

int sc_main(int, char**) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);  // the model's time unit
  tern::hbm::Config config;                            // a Trainium3's memory,
  config.stacks = 1;                                   // one stack of it
  tern::HbmMemory hbm("hbm", config);
  Initiator initiator("initiator");
  initiator.socket.bind(hbm.sockets[0]);
  sc_core::sc_start();
  return 0;
}
