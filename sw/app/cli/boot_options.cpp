// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/boot_options.h"

#include <fmt/format.h>

#include <string>

#include "sw/app/cli/checks.h"

namespace tern::app {

namespace {

std::string check_harts(const std::string& text) {
  const bool good =
      text.size() == 1 && text[0] >= '1' && text[0] - '0' <= static_cast<int>(kMaxBootHarts);
  return good ? ""
              : fmt::format("expected a whole number from 1 to {}, got '{}'", kMaxBootHarts, text);
}

std::string check_width(const std::string& text) {
  return text == "rv32" || text == "rv64" ? ""
                                          : fmt::format("expected rv32 or rv64, got '{}'", text);
}

void add_board(CLI::App* boot, BootOptions* options) {
  const char* group = "Board";
  boot->add_option("--board", options->board, "Preset or board YAML (systemc/mgmt/board)")
      ->capture_default_str()
      ->check(check_name)
      ->type_name("NAME|FILE")
      ->group(group);
  boot->add_option("--harts", options->harts, "Number of harts, 1 to 8")
      ->check(check_harts)
      ->type_name("N")
      ->group(group);
  boot->add_option("--ram", options->ram, "Memory at 0x80000000, e.g. 256MiB")
      ->check(check_name)
      ->type_name("SIZE")
      ->group(group);
  boot->add_option("--isa", options->isa, "Width of the harts")
      ->check(check_width)
      ->type_name("rv32|rv64")
      ->group(group);
  boot->add_option("--dtb-out", options->dtb_out, "Write the device tree that software gets")
      ->check(check_name)
      ->type_name("FILE")
      ->group(group);
}

void add_flash(CLI::App* boot, BootOptions* options) {
  const auto slot = [&](const char* name, std::string* file, const char* help) {
    boot->add_option(name, *file, help)
        ->check(check_name)
        ->type_name("FILE|none")
        ->group("Flash of --board tern");
  };
  slot("--slot-a", &options->slot_a, "Signed image in slot A (default: Tern's own firmware)");
  slot("--slot-b", &options->slot_b, "Signed image in slot B, likewise");
}

void add_console(CLI::App* boot, BootOptions* options) {
  const char* group = "Serial line";
  boot->add_option("--uart", options->uart,
                   "Its other end: stdio, none, pty[:LINK], tcp:PORT, file:OUTPUT[,INPUT]")
      ->capture_default_str()
      ->check(check_name)
      ->type_name("END")
      ->group(group);
  CLI::Option* type =
      boot->add_option("--type", options->type,
                       "Type this line at a prompt, and a key when U-Boot counts down; \\n begins "
                       "another line; may be given again")
          ->allow_extra_args(false)
          ->type_name("TEXT")
          ->group(group);
  CLI::Option* file =
      boot->add_option("--type-file", options->type_file, "The lines of this file likewise")
          ->check(check_name)
          ->excludes(type)
          ->type_name("FILE")
          ->group(group);
  boot->add_option("--prompt", options->prompt,
                   "What a line shows when the guest waits for input, by default '=> '; escapes as "
                   "in --type")
      ->check(check_name)
      ->type_name("TEXT")
      ->group(group);
  boot->add_option("--until", options->until,
                   "End with success when this text comes, after everything has been typed")
      ->check(check_name)
      ->type_name("TEXT")
      ->group(group);
  boot->parse_complete_callback(
      [options, type, file] { options->types = type->count() + file->count() != 0; });
}

void add_trace(CLI::App* boot, BootOptions* options) {
  const auto add = [&](const char* name, std::string* value, const char* help, const char* type) {
    return boot->add_option(name, *value, help)
        ->check(check_name)
        ->type_name(type)
        ->group("Instructions");
  };
  CLI::Option* trace =
      add("--trace", &options->trace,
          "Write every instruction there: time, hart, pc, bits, text, function", "FILE");
  add("--trace-from", &options->trace_from, "Simulated time at which the text begins", "TIME")
      ->needs(trace);
  add("--trace-to", &options->trace_to, "Simulated time at which it ends", "TIME")->needs(trace);
  add("--profile", &options->profile,
      "Count instructions by function and callers: a flame graph (.svg) or folded stacks", "FILE");
  boot->add_option("--symbols", options->symbols,
                   "Functions of an ELF file, besides those of the images; SHIFT: behind where it "
                   "was linked to; may be given again")
      ->allow_extra_args(false)
      ->check(check_name)
      ->type_name("FILE[@SHIFT]")
      ->group("Instructions");
}

}  // namespace

void add_boot(CLI::App* app, BootOptions* options) {
  CLI::App* boot = app->add_subcommand("boot", "Boot RISC-V firmware on the management core");
  boot->add_option("firmware", options->firmware,
                   "ELF file, or a raw image for 0x80000000; starts in M mode. Without it, on "
                   "--board tern: Tern's own boot ROM and firmware")
      ->check(check_name)
      ->type_name("FIRMWARE");
  boot->add_option("--kernel", options->kernel,
                   "What the firmware starts: ELF file, or a raw image for 0x80200000 (rv32: "
                   "0x80400000)")
      ->check(check_name)
      ->type_name("FILE");
  boot->add_option("--max-time", options->max_time,
                   "Limit of simulated time, e.g. 500ms (default: 10s with --type or --until, "
                   "otherwise none)")
      ->check(check_name)
      ->type_name("TIME");
  boot->add_option("--save", options->save,
                   "Write a snapshot there when the text of --until has come or --max-time is over")
      ->check(check_name)
      ->type_name("FILE");
  boot->add_option("--restore", options->restore,
                   "Continue from a snapshot of the same firmware on the same board")
      ->check(check_name)
      ->type_name("FILE");
  boot->add_option("--gdb", options->gdb,
                   "Wait for GDB at this port of 127.0.0.1 before the first instruction; 0: any")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  add_board(boot, options);
  add_flash(boot, options);
  add_console(boot, options);
  add_trace(boot, options);
  boot->add_option("--report", options->report, "Write boot.html, boot.md and boot.json there")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  boot->add_flag("--json", options->json,
                 "Print the result as JSON instead of text; not with --uart stdio")
      ->group("Output");
  boot->footer(
      "Tern's own firmware (docs/howto/firmware.md):\n"
      "  tern boot --board tern\n"
      "Examples (Debian packages opensbi and u-boot-qemu; docs/howto/boot.md):\n"
      "  O=/usr/lib/riscv64-linux-gnu/opensbi/generic; U=/usr/lib/u-boot\n"
      "  tern boot $O/fw_jump.elf --kernel $U/qemu-riscv64_smode/u-boot.bin\n"
      "  tern boot $U/qemu-riscv64/u-boot.bin --type 'version\\npoweroff'\n"
      "  tern boot $O/fw_dynamic.elf --kernel $U/qemu-riscv64_smode/u-boot.bin --harts 4 \\\n"
      "    --uart file:log.txt --type 'md 80200000 4' --until '=> '\n"
      "  tern boot my.elf --isa rv32 --uart pty:/tmp/console\n"
      "Exit code: 0 the text of --until has come or, without it, power off with success, Tern's\n"
      "own firmware is ready, or the end of --max-time with --save;\n"
      "1 anything else ended the run, or it was interrupted (Ctrl-A x, Ctrl-C); 2 bad input.");
}

}  // namespace tern::app
