#pragma once

#include "core/targeting/fact_pattern.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace muster::cli {

// Reads the facts of one system from a JSON or YAML file, nested or by path, in searchable form.
// errc::invalid names the file and the problem.
result<std::vector<targeting::fact>> read_facts_file(const std::filesystem::path& file);

// The same from the text of such a file.
result<std::vector<targeting::fact>> read_facts_text(std::string_view text);

}  // namespace muster::cli
