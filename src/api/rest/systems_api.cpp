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

std::set<enrolment> known_ones() {
    return {enrolment::pooled, enrolment::rejected, enrolment::accepted};
}

result<std::optional<fingerprint>> cursor_of(const call& call) {
    const auto text = page_start_of(call);
    if (text.empty()) return std::optional<fingerprint>();
    const auto print = fingerprint::parse(text);
    if (!print) return fail(errc::invalid, "`after` must be the `next` of the page before");
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
           .running = deps.running,
           .clock = deps.clock,
           .search = deps.search,
           .groups = deps.groups,
           .where = std::make_shared<const presence::cached_presence_lookup>(
               deps.presence, deps.topology)}) {}

json::object systems_api::told(
    const system_record& record, const cluster::topology& topology) const {
    const auto observed = record.number ? deps_.presence.find(record.number) : std::nullopt;
    return system_json(record, observed, topology);
}

async<reply> systems_api::list(call call, std::set<enrolment> stages) {
    if (!deps_.systems.complete())
        co_return fail(errc::unavailable, "the server is still reading the fleet");
    CO_TRY(const auto after, cursor_of(call));
    fleet::selection selection{
        .stages = std::move(stages),
        .where = std::make_shared<const presence::cached_presence_lookup>(
            deps_.presence, deps_.topology),
        .zones = call.zones()};
    if (const auto text = call.optional_text("q"); text && !text->empty()) {
        CO_TRY(selection.wanted, bulk_.parse(*text));
    }
    CO_TRY(
        const auto page,
        co_await fleet::select_page(
            {.known = deps_.systems, .found = deps_.search},
            std::move(selection),
            after,
            page_limit_of(call)));
    const auto places = deps_.topology.read();
    json::array items;
    for (const auto& system : page.systems) items.push_back(told(system, *places));
    json::object body{{"items", std::move(items)}, {"next", nullptr}};
    if (page.next) body["next"] = page.next->str();
    co_return reply{std::move(body)};
}

async<reply> systems_api::list_keys(call call) {
    std::set<enrolment> stages = known_ones();
    stages.insert(enrolment::deleted);
    if (const auto desired = call.optional_text("state")) stages = {*parse_enrolment(*desired)};
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
    if (!may_be_name(name)) co_return fail(errc::not_found, "there is no system " + name);
    fleet::selection selection{.stages = known_ones()};
    CO_TRY(selection.wanted, bulk_.parse("name:" + name));
    constexpr std::size_t shown_max = 10;
    std::vector<system_record> all;
    std::optional<fingerprint> after;
    do {
        CO_TRY(
            auto page,
            co_await fleet::select_page(
                {.known = deps_.systems, .found = deps_.search}, selection, after, shown_max));
        std::ranges::move(page.systems, std::back_inserter(all));
        after = page.next;
    } while (after && all.size() < shown_max);
    if (all.empty()) co_return fail(errc::not_found, "there is no system " + name);
    if (all.size() == 1) co_return all.front();
    std::string others;
    for (const auto& each : all) others += " " + each.print.str();
    co_return fail(
        errc::conflict, "several systems are named " + name + "; say which one:" + others);
}

async<reply> systems_api::show(call call) {
    CO_TRY(const auto record, co_await find_visible(std::move(call)));
    const auto places = deps_.topology.read();
    co_return reply{told(record, *places)};
}

async<reply> systems_api::show_operation(call call) {
    co_return bulk_.show(call);
}

async<reply> systems_api::follow_operation(call call) {
    co_return bulk_.follow(call);
}

}  // namespace muster::api
