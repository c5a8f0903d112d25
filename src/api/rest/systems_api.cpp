#include "api/rest/systems_api.h"

#include "api/operations/pagination.h"
#include "api/rest/system_json.h"
#include "ports/deadline.h"
#include "services/fleet/selection.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

std::set<enrolment> undeleted_stages() {
    return {enrolment::pooled, enrolment::rejected, enrolment::accepted};
}

result<std::optional<fingerprint>> read_cursor(const call& call) {
    const auto text = page_start_of(call);
    if (text.empty()) return std::optional<fingerprint>();
    const auto print = fingerprint::parse(text);
    if (!print) return fail(errc::invalid, "`after` must be the `next` value of the previous page");
    return std::optional(*print);
}

bool may_be_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" *?[]()\"'\\:") == std::string_view::npos;
}

}  // namespace

systems_api::systems_api(dependencies deps)
    : deps_(deps),
      bulk_(
          {.systems = deps.systems,
           .operations = deps.operations,
           .clock = deps.clock,
           .search = deps.search,
           .groups = deps.groups,
           .presence = std::make_shared<const presence::cached_presence_lookup>(
               deps.presence, deps.topology)}) {}

json::object systems_api::to_json(
    const system_record& record, const cluster::topology& topology) const {
    const auto last_seen = record.number ? deps_.presence.find(record.number) : std::nullopt;
    return system_json(record, last_seen, topology);
}

async<reply> systems_api::list(call call, std::set<enrolment> stages) {
    if (!deps_.systems.complete())
        co_return fail(errc::unavailable, "system cache is still loading; retry later");
    CO_TRY(const auto after, read_cursor(call));
    fleet::selection selection{
        .stages = std::move(stages),
        .presence = std::make_shared<const presence::cached_presence_lookup>(
            deps_.presence, deps_.topology),
        .zones = call.zones()};
    if (const auto text = call.optional_text("q"); text && !text->empty()) {
        CO_TRY(selection.query, bulk_.parse(*text));
    }
    CO_TRY(
        const auto page,
        co_await fleet::select_page(
            {.systems = deps_.systems, .search = deps_.search},
            std::move(selection),
            after,
            page_limit_of(call)));
    const auto topology = deps_.topology.read();
    json::array items;
    for (const auto& system : page.systems) items.push_back(to_json(system, *topology));
    json::object body{{"items", std::move(items)}, {"next", nullptr}};
    if (page.next) body["next"] = page.next->str();
    co_return reply{std::move(body)};
}

async<reply> systems_api::list_keys(call call) {
    std::set<enrolment> stages = undeleted_stages();
    stages.insert(enrolment::deleted);
    if (const auto state_name = call.optional_text("state"))
        stages = {*parse_enrolment(*state_name)};
    co_return co_await list(std::move(call), std::move(stages));
}

// A number, a fingerprint, or a name that only one system has.
async<system_record> systems_api::find(std::string name) const {
    std::optional<system_record> system;
    std::int64_t number = 0;
    const auto* const end = name.data() + name.size();
    const auto [stopped, failure] = std::from_chars(name.data(), end, number);
    if (failure == std::errc() && stopped == end)
        system = deps_.systems.find(system_number(number));
    if (const auto print = fingerprint::parse(name); !system && print)
        system = deps_.systems.find(*print);
    if (system) co_return *system;
    if (!may_be_name(name)) co_return fail(errc::not_found, "system \"" + name + "\" not found");
    fleet::selection selection{.stages = undeleted_stages()};
    CO_TRY(selection.query, bulk_.parse("name:" + name));
    constexpr std::size_t shown_max = 10;
    std::vector<system_record> matches;
    std::optional<fingerprint> after;
    do {
        CO_TRY(
            auto page,
            co_await fleet::select_page(
                {.systems = deps_.systems, .search = deps_.search}, selection, after, shown_max));
        std::ranges::move(page.systems, std::back_inserter(matches));
        after = page.next;
    } while (after && matches.size() < shown_max);
    if (matches.empty()) co_return fail(errc::not_found, "system \"" + name + "\" not found");
    if (matches.size() == 1) co_return matches.front();
    std::string fingerprints;
    for (const auto& match : matches) fingerprints += " " + match.print.str();
    co_return fail(
        errc::conflict,
        "several systems are named \"" + name + "\"; use one of the fingerprints:" + fingerprints);
}

async<reply> systems_api::show(call call) {
    CO_TRY(const auto record, co_await find_visible(std::move(call)));
    const auto topology = deps_.topology.read();
    co_return reply{to_json(record, *topology)};
}

async<reply> systems_api::show_operation(call call) {
    co_return bulk_.show(call);
}

async<reply> systems_api::follow_operation(call call) {
    co_return bulk_.follow(call);
}

}  // namespace muster::api
