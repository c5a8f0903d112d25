#pragma once

#include "core/targeting/fact_pattern.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace muster::cli {

// The facts of one system from a file, JSON or YAML, nested or by path, as they can be searched.
// errc::invalid with the file's name and what is wrong.
result<std::vector<targeting::fact>> read_facts_file(const std::filesystem::path& file);

// The same from the text of such a file.
result<std::vector<targeting::fact>> read_facts_text(std::string_view text);

}  // namespace muster::cli
