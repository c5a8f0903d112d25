#pragma once

#include "runtime/settings/setting.h"

#include <string>

namespace muster::runtime {

// Generates documents about settings from their declarations.

// A file with every setting commented out at its default.
std::string sample_file(catalogue catalogue);

// A page in Markdown.
std::string settings_page(catalogue catalogue);

// `name: value` with the setting's example, as written in a file.
std::string sample_line(const setting& setting);

// One setting for --help: description, expected value, default.
std::string help_line(const setting& setting);

}  // namespace muster::runtime
