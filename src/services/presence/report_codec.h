#pragma once

#include "base/result.h"
#include "core/presence/report.h"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::presence {

struct report_limits {
    // A report of this size stays below 256 KiB, even with IPv6 addresses.
    static constexpr std::size_t arrivals_max = 8'000;
    static constexpr std::size_t departures_max = 12'000;
    static constexpr std::size_t bytes_max = std::size_t{256} * 1024;
};

std::string encode(const report& report);
// Strict: errc::corrupt for anything that encode() does not write. attachment_table::apply() checks
// the meaning.
result<report> decode_report(std::string_view bytes);

// Splits a report into ones within the limits. A complete range is split with its content. The
// sequences continue from the first one.
std::vector<report> split(report whole);

packed_address pack(const boost::asio::ip::address& address);
std::string to_string(const packed_address& address);

}  // namespace muster::presence
