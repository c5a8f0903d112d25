#pragma once

#include "core/windows/time_zone.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace muster::os {

// The time zones of this machine (Debian's tzdata), each loaded once. Thread-safe.
class time_zone_database {
public:
    explicit time_zone_database(std::filesystem::path directory = "/usr/share/zoneinfo")
        : directory_(std::move(directory)) {}

    // errc::not_found if there is no such zone; errc::unavailable, with advice, if the machine has
    // no zones at all.
    result<windows::time_zone_pointer> find(std::string_view name);

private:
    static constexpr std::size_t zones_max = 1'000;  // there are about 600

    std::filesystem::path directory_;
    std::mutex mutex_;
    std::map<std::string, windows::time_zone_pointer, std::less<>> zones_;
};

}  // namespace muster::os
