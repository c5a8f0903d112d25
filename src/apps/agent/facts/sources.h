#pragma once

#include "apps/agent/facts/collection.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Where facts come from; each adds what it finds. `root` is where /etc, /proc and /sys are.
namespace muster::agent {

void add_os_facts(collection& to, const std::filesystem::path& root);
void add_name_facts(collection& to, const std::filesystem::path& root);
void add_hardware_facts(collection& to, const std::filesystem::path& root);
void add_disk_facts(collection& to, const std::filesystem::path& root);
void add_address_facts(collection& to, const std::filesystem::path& root);
void add_virtualisation_facts(collection& to, const std::filesystem::path& root);
void add_written_facts(collection& to, const std::filesystem::path& directory);

// What a pseudo file says, as much of it as is ever of use, without its last newline.
std::optional<std::string> text_of(const std::filesystem::path& file);
std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);

}  // namespace muster::agent
