#include "apps/muster/cli/top_screen.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

const json::value* member(const json::value& value, std::string_view name) {
    const auto* members = value.if_object();
    return members == nullptr ? nullptr
                              : members->if_contains(json::string_view(name.data(), name.size()));
}

double number(const json::value& value, std::string_view name) {
    const auto* found = member(value, name);
    if (found == nullptr || !found->is_number()) return 0;
    return found->to_number<double>();
}

std::string text(const json::value& value, std::string_view name) {
    const auto* found = member(value, name);
    if (found == nullptr || !found->is_string()) return "-";
    std::string safe(found->get_string());
    for (auto& letter : safe)
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
    return safe;
}

std::string percent(const json::value& value, std::string_view name) {
    const auto* found = member(value, name);
    if (found == nullptr || !found->is_number()) return "-";
    return fmt::format("{:.0f} %", 100 * found->to_number<double>());
}

std::string share_bar(double share) {
    constexpr std::size_t width = 10;
    const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width + 0.5);
    return std::string(filled, '#') + std::string(width - filled, '.');
}

std::vector<json::value> items(const json::value& value, std::string_view name) {
    const auto* found = member(value, name);
    if (found == nullptr || !found->is_array()) return {};
    return {found->get_array().begin(), found->get_array().end()};
}

void sort(std::vector<json::value>& nodes, top_order order) {
    const auto key = [order](const json::value& item) {
        switch (order) {
            case top_order::attached:
                return -number(item, "attached");
            case top_order::rate:
                return -number(item, "attach_rate");
            case top_order::cpu:
                return -number(item, "cpu");
            case top_order::name:
                break;
        }
        return 0.0;
    };
    // Equal keys keep their order. std::stable_sort would cause a warning in this standard library.
    std::multimap<double, json::value> ordered;
    for (auto& node : nodes) ordered.emplace(key(node), std::move(node));
    nodes.clear();
    for (auto& [sort_key, node] : ordered) nodes.push_back(std::move(node));
}

std::string_view order_name(top_order order) {
    switch (order) {
        case top_order::name:
            return "name";
        case top_order::attached:
            return "attached";
        case top_order::rate:
            return "attach rate";
        case top_order::cpu:
            return "cpu";
    }
    return "name";
}

std::string node_line(const json::value& node) {
    const auto* presence = member(node, "there");
    const bool present = presence != nullptr && presence->is_bool() && presence->get_bool();
    return fmt::format(
        "{:<20.20} {:<12.12} {:<9.9} {:<5} {:>6.0f} {:>9.0f} {:>8.1f} {:>6} {} {:>8}",
        text(node, "name"),
        text(node, "zone"),
        text(node, "state"),
        present ? "yes" : "no",
        number(node, "slots"),
        number(node, "attached"),
        number(node, "attach_rate"),
        percent(node, "cpu"),
        share_bar(number(node, "cpu")),
        percent(node, "headroom"));
}

}  // namespace

top_order next(top_order order) {
    return order == top_order::cpu ? top_order::name
                                   : static_cast<top_order>(static_cast<int>(order) + 1);
}

std::string render_top(const json::value& stats, top_order order, screen_size size) {
    const json::value empty = json::object();
    const auto* systems = member(stats, "systems");
    if (systems == nullptr) systems = &empty;
    std::vector<std::string> lines{
        fmt::format("muster top   {}   cluster {}", text(stats, "at"), text(stats, "cluster")),
        fmt::format(
            "systems: {:.0f} onboarded, {:.0f} orphan, {:.0f} new, {:.0f} rejected, {:.0f} deleted",
            number(*systems, "onboarded"),
            number(*systems, "orphan"),
            number(*systems, "new"),
            number(*systems, "rejected"),
            number(*systems, "deleted")),
        "",
        fmt::format(
            "{:<12} {:>6} {:>9} {:>9} {:>9}", "ZONE", "NODES", "SYSTEMS", "ATTACHED", "UNPLACED")};
    for (const auto& zone : items(stats, "zones"))
        lines.push_back(fmt::format(
            "{:<12.12} {:>6.0f} {:>9.0f} {:>9.0f} {:>9.0f}",
            text(zone, "name"),
            number(zone, "nodes"),
            number(zone, "systems"),
            number(zone, "attached"),
            number(zone, "slots_unplaced")));
    lines.emplace_back();
    lines.push_back(fmt::format(
        "{:<20} {:<12} {:<9} {:<5} {:>6} {:>9} {:>8} {:>6} {:<10} {:>8}",
        "NODE",
        "ZONE",
        "STATE",
        "THERE",
        "SLOTS",
        "ATTACHED",
        "NEW/S",
        "CPU",
        "",
        "HEADROOM"));
    auto nodes = items(stats, "nodes");
    sort(nodes, order);
    for (const auto& node : nodes) lines.push_back(node_line(node));
    const std::string foot = fmt::format("q quit   s sort (by {})", order_name(order));
    if (lines.size() + 2 > size.rows) lines.resize(size.rows > 2 ? size.rows - 2 : 0);
    std::string screen;
    for (const auto& line : lines) screen += line.substr(0, size.columns) + "\n";
    return screen + "\n" + foot.substr(0, size.columns);
}

}  // namespace muster::cli
