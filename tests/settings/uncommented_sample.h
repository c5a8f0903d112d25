#pragma once

// The generated sample file of a program as somebody has it who wants to see every setting said.
#include "runtime/settings/documents.h"
#include "runtime/settings/source.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace muster::test {

inline std::string uncommented_sample(runtime::catalogue all) {
    std::string uncommented;
    std::istringstream lines(runtime::sample_file(all));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("# ")) continue;
        const auto name = line.substr(2, line.find(": ") - 2);
        if (runtime::find_setting(all, name) != nullptr) uncommented += line.substr(2) + "\n";
    }
    return uncommented;
}

// Each setting says its default, or its example where it has none.
inline void check_uncommented_sample(runtime::catalogue all) {
    const auto read = runtime::read_settings_text(all, uncommented_sample(all), "sample.yaml");
    CHECK(read.problems == std::vector<std::string>{});
    CHECK(read.written.size() == all.size());
    for (const auto& each : read.written) {
        const auto* const which = runtime::find_setting(all, each.name);
        CHECK(each.text == (which->fallback.empty() ? which->example : which->fallback));
    }
}

}  // namespace muster::test
