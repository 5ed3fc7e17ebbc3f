// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/base/atomic_file.h"
#include "systemc/link/flit/lane_map.h"
#include "systemc/link/line/flit_line.h"

namespace tern::app {

// A CSV file of the flits on wires, with what their link-layer fields say.
class FlitTrace {
 public:
  explicit FlitTrace(const std::string& path);
  // Of one direction of a link; it lives as long as this.
  link::FlitLine::Observer observer(const std::string& link);
  void commit() { file_.commit(); }

 private:
  base::AtomicFile file_;
  flit::LaneMap lanes_;  // all of them are good
};

}  // namespace tern::app
