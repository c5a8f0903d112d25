#pragma once

#include "runtime/settings/setting.h"

#include <string>

namespace muster::runtime {

// What is written about settings is generated from their declarations.

// A file with every setting commented out at its default; as it is, it changes nothing.
std::string sample_file(catalogue all);

// A page in Markdown.
std::string settings_page(catalogue all);

// `name: value` as one would write it into a file, with the setting's example.
std::string sample_line(const setting& setting);

// One setting for --help: sentence, what is expected, default.
std::string help_line(const setting& setting);

}  // namespace muster::runtime
