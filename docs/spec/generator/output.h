// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>

namespace tern::spec {

// Generated files by path from the repository root; written (or compared) once all generators have
// run. "PATH#NAME": only the part of a page between the markers of that name.
using Outputs = std::map<std::string, std::string>;

// One generator per spec file.
void generate_isa(const YAML::Node& spec, Outputs* out);
void generate_formats(const YAML::Node& spec, Outputs* out);
void generate_exp(const YAML::Node& spec, Outputs* out);
void generate_tensor(const YAML::Node& spec, const YAML::Node& isa, const YAML::Node& formats,
                     Outputs* out);
void generate_address_map(const YAML::Node& spec, Outputs* out);
void generate_registers(const YAML::Node& spec, Outputs* out);
void generate_dma(const YAML::Node& dma, const YAML::Node& registers, const YAML::Node& isa,
                  Outputs* out);
void generate_mgmt(const YAML::Node& spec, Outputs* out);
void generate_link(const YAML::Node& spec, Outputs* out);
void generate_fpga(const YAML::Node& spec, Outputs* out);
void generate_tensor_codes(const YAML::Node& tensor, Outputs* out);
void generate_ports(const YAML::Node& ports, const YAML::Node& tensor, const YAML::Node& isa,
                    Outputs* out);

// The part of tensor_pkg that is not in ports.yaml.
std::string tensor_codes_sv(const YAML::Node& tensor, const YAML::Node& isa);
// "Generated from SOURCE ..." in the comment syntax that starts a line with `comment`.
std::string banner(const std::string& comment, const std::string& source);
std::string c_header_open(const std::string& source, const std::string& guard);
std::string c_header_close();
// 65536 -> "65,536".
std::string grouped(unsigned value);
std::string upper(const std::string& name);
// "ring_tx_base" -> "RingTxBase".
std::string camel(const std::string& name);
// The entry of a list whose "name" it is.
YAML::Node named(const YAML::Node& list, const std::string& name);
std::string text(const YAML::Node& node, const char* key, const char* otherwise = "");

// A block of registers: #defines of its offsets, and a section of a page.
void add_block(const YAML::Node& block, std::string* c, std::string* md);
// The bits of a word of the DMA descriptor that no field takes. group: only fields of that group.
unsigned unused_bits(const YAML::Node& fields, unsigned word, const std::string& group);
// `page` with `part` between its lines "<!-- generated: NAME -->" and "<!-- end: NAME -->".
std::string with_part(const std::string& page, const std::string& name, const std::string& part);

}  // namespace tern::spec
