#include "api/rest/systems_api.h"

#include "ports/deadline.h"
#include "services/fleet/selection.h"
#include "api/operations/page.h"
#include "api/rest/system_json.h"

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

std::shared_ptr<const fleet::whereabouts_source> whereabouts_in(
    const presence::presence& seen, const cluster::topology_cell& places) {
    fleet::whereabouts_source source;
    source.attached = [&seen](system_number number) {
        return seen.attached(number);
    };
    source.node = [&seen, &places](system_number number) {
        const auto last = seen.find(number);
        if (!last) return std::string();
        const auto now = places.read();
        const auto* const node = now->find_node(last->node);
        return node == nullptr ? std::string() : node->name;
    };
    return std::make_shared<const fleet::whereabouts_source>(std::move(source));
}

result<std::optional<fingerprint>> cursor_of(const call& asked) {
    const auto text = page_start_of(asked);
    if (text.empty()) return std::optional<fingerprint>();
    const auto print = fingerprint::parse(text);
    if (!print) return fail(errc::invalid, "`after` must be the `next` of the page before");
    return std::optional(*print);
}

bool may_be_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" *?[]()\"'\\:") == std::string_view::npos;
}

}  // namespace

systems_api::systems_api(surroundings around)
    : around_(around),
      bulk_(
          {.known = around.known,
           .running = around.running,
           .time = around.time,
           .found = around.found,
           .groups = around.groups,
           .where = whereabouts_in(around.seen, around.places)}) {}

json::object systems_api::told(const system_record& record, const cluster::topology& places) const {
    const auto seen = record.number ? around_.seen.find(record.number) : std::nullopt;
    return system_json(record, seen, places);
}

async<reply> systems_api::list(call asked, std::set<enrolment> stages) {
    if (!around_.known.complete())
        co_return fail(errc::unavailable, "the server is still reading the fleet");
    CO_TRY(const auto after, cursor_of(asked));
    fleet::selection what{
        .stages = std::move(stages),
        .where = whereabouts_in(around_.seen, around_.places),
        .zones = asked.zones()};
    if (const auto text = asked.optional_text("q"); text && !text->empty()) {
        CO_TRY(what.wanted, bulk_.parse(*text));
    }
    CO_TRY(
        const auto page,
        co_await fleet::select_page(
            {.known = around_.known, .found = around_.found},
            std::move(what),
            after,
            page_limit_of(asked)));
    const auto places = around_.places.read();
    json::array items;
    for (const auto& each : page.systems) items.push_back(told(each, *places));
    json::object body{{"items", std::move(items)}, {"next", nullptr}};
    if (page.next) body["next"] = page.next->str();
    co_return reply{std::move(body)};
}

async<reply> systems_api::list_keys(call asked) {
    std::set<enrolment> stages = known_ones();
    stages.insert(enrolment::deleted);
    if (const auto wanted = asked.optional_text("state")) stages = {*parse_enrolment(*wanted)};
    co_return co_await list(std::move(asked), std::move(stages));
}

// A number, a fingerprint, or a name that only one system has.
async<system_record> systems_api::find(std::string one) const {
    std::optional<system_record> found;
    std::int64_t number = 0;
    const auto* const end = one.data() + one.size();
    const auto [stopped, failure] = std::from_chars(one.data(), end, number);
    if (failure == std::errc() && stopped == end) found = around_.known.find(system_number(number));
    if (const auto print = fingerprint::parse(one); !found && print)
        found = around_.known.find(*print);
    if (found) co_return *found;
    if (!may_be_name(one)) co_return fail(errc::not_found, "there is no system " + one);
    fleet::selection what{.stages = known_ones()};
    CO_TRY(what.wanted, bulk_.parse("name:" + one));
    constexpr std::size_t shown_max = 10;
    std::vector<system_record> all;
    std::optional<fingerprint> after;
    do {
        CO_TRY(
            auto page,
            co_await fleet::select_page(
                {.known = around_.known, .found = around_.found}, what, after, shown_max));
        std::ranges::move(page.systems, std::back_inserter(all));
        after = page.next;
    } while (after && all.size() < shown_max);
    if (all.empty()) co_return fail(errc::not_found, "there is no system " + one);
    if (all.size() == 1) co_return all.front();
    std::string others;
    for (const auto& each : all) others += " " + each.print.str();
    co_return fail(
        errc::conflict, "several systems are named " + one + "; say which one:" + others);
}

async<reply> systems_api::show(call asked) {
    CO_TRY(const auto record, co_await find_visible(std::move(asked)));
    const auto places = around_.places.read();
    co_return reply{told(record, *places)};
}

async<reply> systems_api::show_operation(call asked) {
    co_return bulk_.show(asked);
}

async<reply> systems_api::follow_operation(call asked) {
    co_return bulk_.follow(asked);
}

}  // namespace muster::api
