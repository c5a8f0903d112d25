#pragma once

#include "core/windows/time_zone.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace muster::os {

// The time zones of this machine (Debian's package tzdata), each read once. Thread-safe.
class time_zone_database {
public:
    explicit time_zone_database(std::filesystem::path directory = "/usr/share/zoneinfo")
        : directory_(std::move(directory)) {}

    // errc::not_found when there is no zone of this name; errc::unavailable, saying what to do,
    // when the machine has no zones at all.
    result<windows::zone_pointer> find(std::string_view name);

private:
    static constexpr std::size_t kept_max = 1'000;  // there are about 600

    std::filesystem::path directory_;
    std::mutex guard_;
    std::map<std::string, windows::zone_pointer, std::less<>> kept_;
};

}  // namespace muster::os
