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

const json::value* member(const json::value& of, std::string_view name) {
    const auto* object = of.if_object();
    return object == nullptr ? nullptr
                             : object->if_contains(json::string_view(name.data(), name.size()));
}

double number(const json::value& of, std::string_view name) {
    const auto* held = member(of, name);
    if (held == nullptr || !held->is_number()) return 0;
    return held->to_number<double>();
}

std::string text(const json::value& of, std::string_view name) {
    const auto* held = member(of, name);
    if (held == nullptr || !held->is_string()) return "-";
    std::string safe(held->get_string());
    for (auto& letter : safe)
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
    return safe;
}

std::string percent(const json::value& of, std::string_view name) {
    const auto* held = member(of, name);
    if (held == nullptr || !held->is_number()) return "-";
    return fmt::format("{:.0f} %", 100 * held->to_number<double>());
}

std::string share_bar(double share) {
    constexpr std::size_t width = 10;
    const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width + 0.5);
    return std::string(full, '#') + std::string(width - full, '.');
}

std::vector<json::value> items(const json::value& of, std::string_view name) {
    const auto* held = member(of, name);
    if (held == nullptr || !held->is_array()) return {};
    return {held->get_array().begin(), held->get_array().end()};
}

void sort(std::vector<json::value>& nodes, top_order by) {
    const auto key = [by](const json::value& each) {
        switch (by) {
            case top_order::attached:
                return -number(each, "attached");
            case top_order::rate:
                return -number(each, "attach_rate");
            case top_order::cpu:
                return -number(each, "cpu");
            case top_order::name:
                break;
        }
        return 0.0;
    };
    // Equals stay in order, as in a stable sort, which warns of itself in this standard library.
    std::multimap<double, json::value> ordered;
    for (auto& node : nodes) ordered.emplace(key(node), std::move(node));
    nodes.clear();
    for (auto& [value, each] : ordered) nodes.push_back(std::move(each));
}

std::string_view word_of(top_order by) {
    switch (by) {
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

std::string node_client(const json::value& node) {
    const auto* there = member(node, "there");
    const bool present = there != nullptr && there->is_bool() && there->get_bool();
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

top_order next(top_order after) {
    return after == top_order::cpu ? top_order::name
                                   : static_cast<top_order>(static_cast<int>(after) + 1);
}

std::string render_top(const json::value& stats, top_order by, screen_size on) {
    const json::value none = json::object();
    const auto* systems = member(stats, "systems");
    if (systems == nullptr) systems = &none;
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
    sort(nodes, by);
    for (const auto& node : nodes) lines.push_back(node_client(node));
    const std::string foot = fmt::format("q quit   s sort (by {})", word_of(by));
    if (lines.size() + 2 > on.rows) lines.resize(on.rows > 2 ? on.rows - 2 : 0);
    std::string screen;
    for (const auto& line : lines) screen += line.substr(0, on.columns) + "\n";
    return screen + "\n" + foot.substr(0, on.columns);
}

}  // namespace muster::cli
