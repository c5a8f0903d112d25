#include "services/presence/report_codec.h"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <presence.pb.h>
#include <utility>

namespace muster::presence {
namespace {

namespace ip = boost::asio::ip;

constexpr packed_address v4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::size_t v4_at = 12;

bool is_v4(const packed_address& address) {
    return std::equal(v4_prefix.begin(), v4_prefix.begin() + v4_at, address.begin());
}

void append(std::string& out, const packed_address& address) {
    const std::size_t from = is_v4(address) ? v4_at : 0;
    out += static_cast<char>(address.size() - from);
    for (std::size_t at = from; at < address.size(); ++at) out += static_cast<char>(address[at]);
}

result<packed_address> take_address(std::string_view& bytes) {
    const std::size_t size = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
    if ((size != 4 && size != 16) || bytes.size() < size + 1)
        return fail(errc::corrupt, "presence report: invalid addresses");
    packed_address address = v4_prefix;
    for (std::size_t at = 0; at < size; ++at)
        address[address.size() - size + at] = static_cast<std::uint8_t>(bytes[at + 1]);
    bytes.remove_prefix(size + 1);
    return address;
}

std::uint32_t age(seconds now, seconds then) {
    return now > then ? now - then : 0;
}

result<std::vector<attach_event>> read_arrivals(const wire::Report& from) {
    if (from.systems_size() != from.ages_size())
        return fail(errc::corrupt, "presence report: number of ages and systems differs");
    std::vector<attach_event> read;
    std::string_view addresses = from.addresses();
    std::int64_t number = 0;
    for (int at = 0; at < from.systems_size(); ++at) {
        number += from.systems(at);
        TRY(const packed_address address, take_address(addresses));
        read.push_back(
            {.system = system_number(number),
             .address = address,
             .since = from.at() - std::min(from.at(), from.ages(at))});
    }
    if (!addresses.empty()) return fail(errc::corrupt, "presence report: too many addresses");
    return read;
}

result<std::vector<detach_event>> read_departures(const wire::Report& from) {
    const auto count = from.left_size();
    if (count != from.left_ages_size()
        || static_cast<std::size_t>(count) != from.left_reasons().size())
        return fail(
            errc::corrupt, "presence report: number of reasons, ages and departures differs");
    std::vector<detach_event> read;
    for (int at = 0; at < count; ++at) {
        const char why = from.left_reasons()[static_cast<std::size_t>(at)];
        read.push_back(
            {.system = system_number(from.left(at)),
             .why = static_cast<session::reason>(why),
             .at = from.at() - std::min(from.at(), from.left_ages(at))});
    }
    return read;
}

template <class Item>
std::vector<Item> take_front(std::vector<Item>& from, std::size_t at, std::size_t count_max) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(std::min(at, from.size()));
    const auto left = static_cast<std::size_t>(from.end() - first);
    return {first, first + static_cast<std::ptrdiff_t>(std::min(left, count_max))};
}

}  // namespace

packed_address pack(const ip::address& address) {
    const auto wide =
        address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
    packed_address packed{};
    std::ranges::copy(wide.to_bytes(), packed.begin());
    return packed;
}

std::string to_string(const packed_address& address) {
    const ip::address_v6 wide(address);
    if (wide.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, wide).to_string();
    return wide.to_string();
}

std::string encode(const report& report) {
    wire::Report out;
    out.set_node(static_cast<std::uint32_t>(report.node.value()));
    out.set_zone(report.zone);
    out.set_start(report.start);
    out.set_sequence(report.sequence);
    out.set_at(report.at);
    if (report.complete_range) {
        out.set_whole(true);
        out.set_first(static_cast<std::uint32_t>(report.complete_range->first.value()));
        out.set_last(static_cast<std::uint32_t>(report.complete_range->last.value()));
    }
    std::int64_t before = 0;
    for (const auto& arrival : report.attach_events) {
        out.add_systems(static_cast<std::uint32_t>(arrival.system.value() - before));
        out.add_ages(age(report.at, arrival.since));
        append(*out.mutable_addresses(), arrival.address);
        before = arrival.system.value();
    }
    for (const auto& departure : report.detach_events) {
        out.add_left(static_cast<std::uint32_t>(departure.system.value()));
        out.add_left_ages(age(report.at, departure.at));
        *out.mutable_left_reasons() += static_cast<char>(departure.why);
    }
    return out.SerializeAsString();
}

result<report> decode_report(std::string_view bytes) {
    wire::Report from;
    if (bytes.size() > report_limits::bytes_max
        || !from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return fail(errc::corrupt, "not a presence report");
    report read{
        .node = node_number(from.node()),
        .zone = from.zone(),
        .start = from.start(),
        .sequence = from.sequence(),
        .at = from.at()};
    if (from.whole())
        read.complete_range =
            report::range{system_number(from.first()), system_number(from.last())};
    TRY(read.attach_events, read_arrivals(from));
    TRY(read.detach_events, read_departures(from));
    return read;
}

std::vector<report> split(report whole) {
    std::vector<report> parts;
    std::size_t arrivals = 0;
    std::size_t departures = 0;
    system_number first = whole.complete_range ? whole.complete_range->first : system_number();
    do {
        report part{
            .node = whole.node,
            .zone = whole.zone,
            .start = whole.start,
            .sequence = whole.sequence + parts.size(),
            .at = whole.at};
        part.attach_events = take_front(whole.attach_events, arrivals, report_limits::arrivals_max);
        part.detach_events =
            take_front(whole.detach_events, departures, report_limits::departures_max);
        arrivals += part.attach_events.size();
        departures += part.detach_events.size();
        if (whole.complete_range) {
            const bool last = arrivals == whole.attach_events.size();
            part.complete_range = report::range{
                first, last ? whole.complete_range->last : part.attach_events.back().system};
            first = part.complete_range->last.next();
        }
        parts.push_back(std::move(part));
    } while (arrivals < whole.attach_events.size() || departures < whole.detach_events.size());
    return parts;
}

}  // namespace muster::presence
