#pragma once

#include "apps/agent/facts/fact_builder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Sources of facts; each adds what it finds. `root` is the directory of /etc, /proc and /sys.
namespace muster::agent {

void add_os_facts(fact_builder& facts, const std::filesystem::path& root);
void add_name_facts(fact_builder& facts, const std::filesystem::path& root);
void add_hardware_facts(fact_builder& facts, const std::filesystem::path& root);
void add_disk_facts(fact_builder& facts, const std::filesystem::path& root);
void add_address_facts(fact_builder& facts, const std::filesystem::path& root);
void add_virtualisation_facts(fact_builder& facts, const std::filesystem::path& root);
void add_written_facts(fact_builder& facts, const std::filesystem::path& directory);

// Reads a pseudo file up to a limit, without trailing newlines.
std::optional<std::string> read_text(const std::filesystem::path& file);
std::vector<std::string_view> split_lines(std::string_view text);
std::vector<std::string_view> split_words(std::string_view line);

}  // namespace muster::agent
