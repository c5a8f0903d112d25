#include "sim/run/scenario_directory.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace muster::sim {

std::vector<std::string> scenario_directory::names() const {
    std::vector<std::string> names;
    std::error_code failure;
    for (const auto& each : std::filesystem::directory_iterator(directory_, failure)) {
        if (each.path().extension() == ".toml") names.push_back(each.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
}

result<scenario> scenario_directory::load(const std::string& name) const {
    const bool existing = std::ranges::count(names(), name) > 0;
    if (!existing) {
        return fail(
            errc::not_found, "scenario \"" + name + "\" not found; use --list to list scenarios");
    }
    std::ifstream file(directory_ / (name + ".toml"));
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) return fail(errc::unavailable, "cannot read scenario \"" + name + "\"");
    return parse_scenario(name, text);
}

}  // namespace muster::sim
