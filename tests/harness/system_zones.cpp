#include "tests/harness/system_zones.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace muster::harness {

std::string zone_bytes(std::string_view name) {
    const auto path = std::filesystem::path("/usr/share/zoneinfo") / name;
    if (!std::filesystem::is_regular_file(path)) return {};
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace muster::harness
