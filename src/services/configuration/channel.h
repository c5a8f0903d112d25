#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::configuration {

// A configuration channel: files under a label, assigned to systems and groups.
struct channel {
    enum class type {
        normal,  // its files are written to systems
        state,   // is for its init.sls, which is kept
    };

    std::int64_t number = 0;  // given once
    std::string label;
    std::string name;
    std::string description;
    type kind = type::normal;
    wall_time made = {};

    friend bool operator==(const channel&, const channel&) = default;
};

struct channel_limits {
    static constexpr std::size_t label_bytes_max = 64;
    static constexpr std::size_t name_bytes_max = 128;
    static constexpr std::size_t description_bytes_max = 1024;
};

// errc::invalid: labels are letters, digits, '-', '_' and '.'.
result<void> check_label(std::string_view label);
result<void> check(const channel& channel);

std::string encode(const channel& channel);
result<channel> decode_channel(std::string_view document);

}  // namespace muster::configuration
