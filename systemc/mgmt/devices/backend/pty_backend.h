// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systemc/mgmt/devices/backend/host_file.h"
#include "systemc/mgmt/devices/backend/input_chunk.h"
#include "systemc/mgmt/devices/backend/output_backlog.h"
#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// A pseudo terminal, to which terminal programs attach and from which they detach. README.md.
class PtyBackend : public UartBackend {
 public:
  // link: a symbolic link to make for its lifetime, or empty. Prints the terminal's name on stderr.
  // Throws UserError.
  explicit PtyBackend(std::string link = {});
  ~PtyBackend() override;

  // Such as /dev/pts/3.
  const std::string& name() const { return name_; }

  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;

 private:
  void make_link();
  bool attached() const;
  void flush();

  HostFile master_;
  std::string name_;
  std::string link_;
  OutputBacklog output_;
  InputChunk input_;
};

}  // namespace tern::mgmt
