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
    // The largest report of so many is below 256 KiB, addresses of IPv6 included.
    static constexpr std::size_t arrivals_max = 8'000;
    static constexpr std::size_t departures_max = 12'000;
    static constexpr std::size_t bytes_max = std::size_t{256} * 1024;
};

std::string encode(const report& report);
// Strict: errc::corrupt for what encode() does not write. Sense is for board::apply() to check.
result<report> decode_report(std::string_view bytes);

// Cuts a report into ones within the limits: ranges of whole ones are cut with their content.
// Their sequences count on from the first one's.
std::vector<report> split(report whole);

packed_address pack(const boost::asio::ip::address& address);
std::string to_string(const packed_address& address);

}  // namespace muster::presence
