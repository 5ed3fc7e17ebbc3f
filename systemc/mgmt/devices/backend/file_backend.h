// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <fstream>
#include <optional>
#include <string>

#include "systemc/mgmt/devices/backend/host_file.h"
#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// Output into a file as it comes, line by line, so that it can be followed; input from another one.
// When an error ends the object before any output, a file that it made is removed again.
class FileBackend : public UartBackend {
 public:
  // Paths; input: a regular file, or empty for none. Throws UserError.
  explicit FileBackend(const std::string& output, const std::string& input = {});
  ~FileBackend() override;

  // Throws RunError once when the disk is full.
  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;
  bool may_receive() override { return input_.is_open(); }

 private:
  void flush();

  const std::string name_;
  HostFile output_;
  std::string line_;
  bool made_ = false, failed_ = false;
  const int exceptions_ = std::uncaught_exceptions();
  std::ifstream input_;
};

}  // namespace tern::mgmt
