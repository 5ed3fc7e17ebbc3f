// SPDX-License-Identifier: Apache-2.0
#include "sw/app/links/flit_trace.h"

#include <fmt/format.h>

#include <ostream>

namespace tern::app {

namespace {

const char* usage_of(flit::Usage usage) {
  switch (usage) {
    case flit::Usage::kIdle:
      return "idle";
    case flit::Usage::kNop:
      return "nop";
    case flit::Usage::kPayload:
      return "payload";
  }
  return "reserved";
}

const char* command_of(flit::Command command) {
  switch (command) {
    case flit::Command::kExplicit:
      return "explicit";
    case flit::Command::kAck:
      return "ack";
    case flit::Command::kNak:
      return "nak";
  }
  return "reserved";
}

const char* kind_of(flit::Kind kind) {
  switch (kind) {
    case flit::Kind::kInitFirst:
      return "InitFC1";
    case flit::Kind::kUpdate:
      return "UpdateFC";
    case flit::Kind::kInitSecond:
      return "InitFC2";
  }
  return "none";
}

}  // namespace

FlitTrace::FlitTrace(const std::string& path) : file_(path) {
  for (unsigned lane = 0; lane < flit::kPhysical; ++lane) lanes_.cycle({});
  file_.stream() << "ns,link,port,flit,usage,command,number,credits,class,headers,data,spoiled\n";
}

link::FlitLine::Observer FlitTrace::observer(const std::string& link) {
  return [this, link](std::uint64_t time, unsigned port, const link::FlitSeen& seen) {
    const flit::Dlp dlp = flit::dlp_of(lanes_.destripe(*seen.lanes));
    file_.stream() << fmt::format(
        "{:.3f},{},{},{},{},{},{},{},{},{},{},{}\n", static_cast<double>(time) * 1e-6, link, port,
        seen.back ? "back" : "there", usage_of(dlp.usage), command_of(dlp.command), dlp.number,
        kind_of(dlp.kind), dlp.cls, dlp.head_credits, dlp.data_credits, seen.spoiled ? 1 : 0);
  };
}

}  // namespace tern::app
