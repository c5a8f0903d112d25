#include "api/rest/revisions_api.h"

#include "api/operations/pagination.h"
#include "api/rest/edits_json.h"
#include "base/iso_time.h"
#include "core/revision/common_operations.h"
#include "ports/deadline.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <charconv>
#include <limits>
#include <set>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr const char* all = "/api/v1/revisions";
constexpr const char* single = "/api/v1/revisions/{number}";
constexpr std::int64_t page_usual = 50;
constexpr std::int64_t page_max = 500;

shape section_shape() {
    return record_of(
        {required("name", name()),
         required("digest", text()),
         required("kept", flag().with_about("false: it was too large to be kept")),
         optional("needs", name().with_about("the right without which its items are not shown")),
         required(
             "items",
             list_of(record_of({required("name", text()), required("item", anything())})))});
}

shape whole_shape() {
    auto members = revision_members();
    members.push_back(required(
        "entries",
        list_of(record_of(
            {required("by", text()),
             required("operation", text()),
             required("name", text()),
             required("at", api::time())}))));
    members.push_back(required("sections", list_of(section_shape())));
    return record_of(std::move(members));
}

shape difference_shape() {
    return record_of(
        {required("section", name()),
         required("name", text()),
         required("what", name().with_about("added, removed or changed")),
         required("before", anything()),
         required("after", anything())});
}

shape node_shape() {
    return record_of(
        {required("node", name()),
         required("zone", text()),
         required("there", flag()),
         required("state", name().with_about("current, behind, drifted, away or unknown")),
         required("revision", integer(1).or_nothing()),
         required("digest", text()),
         required("since", api::time().or_nothing()),
         required("sections", list_of(name()).with_about("those that differ"))});
}

std::string zone_of(const cluster::topology& topology, const std::string& server) {
    const auto it = topology.nodes.find(server);
    return it == topology.nodes.end() ? std::string() : it->second.zone;
}

bool may_read(const call& call, std::string_view section) {
    return call.who().may.everywhere(revision::right_to_read(section));
}

json::object entry_json(const call& call, const revision::direct_change& of) {
    const auto section = revision::item_of(of.operation).section;
    return {
        {"by", of.by},
        {"operation", of.operation},
        {"name", section.empty() || may_read(call, section) ? of.subject : std::string()},
        {"at", iso_time(of.at)}};
}

json::array items_of(const revision::section& of) {
    json::array items;
    for (const auto& [name, text] : of.items)
        items.push_back(json::object{{"name", name}, {"item", item_json(&text)}});
    return items;
}

}  // namespace

result<void> revisions_api::declare(registry& to) {
    CHECK_OK(to.add(
        {.name = "revisions.list",
         .summary = "The published revisions of common data, the newest first",
         .path = all,
         .takes =
             {in_query("after", integer(1).with_about("the number of the last one seen")),
              in_query("limit", integer(1, page_max))},
         .gives = page_of(record_of(revision_members())),
         .needed = right::fleet_read,
         .within = scope::filtered},
        done_by(this, &revisions_api::list)));
    CHECK_OK(to.add(
        {.name = "revisions.nodes",
         .summary = "Which server holds which revision, and who has drifted",
         .path = "/api/v1/revisions/nodes",
         .gives = page_of(node_shape()),
         .needed = right::topology_read,
         .within = scope::filtered},
        done_by(this, &revisions_api::nodes)));
    CHECK_OK(to.add(
        {.name = "revisions.show",
         .summary = "A revision with what it was made of and what it holds",
         .path = single,
         .takes = {number_in_path()},
         .gives = whole_shape(),
         .needed = right::fleet_read},
        done_by(this, &revisions_api::show)));
    return to.add(
        {.name = "revisions.diff",
         .summary = "What differs between two revisions",
         .path = "/api/v1/revisions/{number}/diff",
         .takes =
             {number_in_path(),
              in_query("from", integer(0).with_about("the one before if not given; 0: nothing"))},
         .gives = record_of(
             {required("items", list_of(difference_shape())),
              required("next", text().or_nothing()),
              required("from", integer(0)),
              required("to", integer(1)),
              required("hidden", list_of(name()).with_about("sections the caller may not read"))}),
         .needed = right::fleet_read},
        done_by(this, &revisions_api::diff));
}

async<reply> revisions_api::list(call call) {
    const auto limit = call.optional_integer("limit").value_or(page_usual);
    const auto below =
        call.optional_integer("after").value_or(std::numeric_limits<std::int64_t>::max());
    auto reading = deps_.revisions.list(below, static_cast<std::size_t>(limit) + 1);
    CO_TRY(auto match, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    json::value next;
    if (match.size() > static_cast<std::size_t>(limit)) {
        match.pop_back();
        next = std::to_string(match.back().number);
    }
    // One that is written and not yet named by the head is none.
    const auto head = deps_.edit_state.read()->head;
    json::array items;
    for (const auto& each : match)
        if (head && each.number <= head->number) items.push_back(revision_json(each));
    co_return reply{json::object{{"items", std::move(items)}, {"next", std::move(next)}}};
}

async<revision::sections> revisions_api::content_of(revision::revision_record of) {
    revision::sections read;
    for (const auto& [name, digest] : of.sections) {
        auto content = co_await deps_.revisions.content(digest);
        const bool too_large = !content && content.error().code() == errc::not_found;
        if (!content && !too_large) co_return fail(content.error());
        if (content) read.emplace(name, *std::move(content));
    }
    co_return read;
}

async<reply> revisions_api::show(call call) {
    CO_TRY(const auto number, read_number(call.text("number")));
    auto finding = deps_.revisions.find(number);
    CO_TRY(const auto match, co_await within(deps_.clock, engine_timeout, std::move(finding)));
    auto reading = content_of(match.what);
    CO_TRY(const auto content, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    auto response = revision_json(match.what);
    json::array entries;
    for (const auto& entry : match.entries) entries.push_back(entry_json(call, entry));
    json::array sections;
    for (const auto& [name, digest] : match.what.sections) {
        const auto it = content.find(name);
        const bool there = it != content.end();
        const bool shown = there && may_read(call, name);
        json::object section{
            {"name", name},
            {"digest", digest},
            {"kept", there},
            {"items", shown ? items_of(it->second) : json::array()}};
        if (there && !shown) section["needs"] = access::to_string(revision::right_to_read(name));
        sections.push_back(std::move(section));
    }
    response["entries"] = std::move(entries);
    response["sections"] = std::move(sections);
    co_return reply{std::move(response)};
}

async<reply> revisions_api::diff(call call) {
    CO_TRY(const auto to, read_number(call.text("number")));
    const auto from = call.optional_integer("from").value_or(to - 1);
    auto finding = deps_.revisions.find(to);
    CO_TRY(const auto after, co_await within(deps_.clock, engine_timeout, std::move(finding)));
    revision::sections old;
    if (from > 0) {
        auto looking = deps_.revisions.find(from);
        CO_TRY(const auto before, co_await within(deps_.clock, engine_timeout, std::move(looking)));
        CO_TRY(old, co_await within(deps_.clock, engine_timeout, content_of(before.what)));
    }
    CO_TRY(auto next, co_await within(deps_.clock, engine_timeout, content_of(after.what)));
    std::set<std::string> names;
    for (const auto& [name, each] : old) names.insert(name);
    for (const auto& [name, each] : next) names.insert(name);
    json::array items;
    json::array hidden;
    for (const auto& name : names) {
        if (!may_read(call, name)) {
            hidden.emplace_back(name);
            continue;
        }
        for (const auto& each : revision::diff(old[name], next[name]))
            items.push_back(json::object{
                {"section", name},
                {"name", each.name},
                {"what", revision::to_string(each.what())},
                {"before", item_json(each.before)},
                {"after", item_json(each.after)}});
    }
    co_return reply{json::object{
        {"items", std::move(items)},
        {"next", nullptr},
        {"from", from},
        {"to", to},
        {"hidden", std::move(hidden)}}};
}

std::string revisions_api::standing_of(const std::string& server, bool there) const {
    const auto view = deps_.edit_state.read();
    if (!view->head) return "unknown";
    const auto held = view->owned_systems.find(server);
    return std::string(revision::to_string(revision::judge(
        view->head->sections,
        held == view->owned_systems.end() ? std::nullopt : std::optional(held->second),
        {.published = view->head->made,
         .now = deps_.clock.wall(),
         .grace = deps_.grace,
         .there = there})));
}

async<reply> revisions_api::nodes(call call) {
    const auto view = deps_.edit_state.read();
    const auto topology = call.context().topology.read();
    std::set<std::string> names;
    for (const auto& [name, node] : topology->nodes) names.insert(name);
    for (const auto& [name, server] : topology->servers) names.insert(name);
    json::array items;
    for (const auto& name : names) {
        const auto zone = zone_of(*topology, name);
        if (!zone.empty() && !call.may_in(zone)) continue;
        const bool there = topology->servers.contains(name);
        const auto held = view->owned_systems.find(name);
        const bool told = held != view->owned_systems.end();
        const auto state = standing_of(name, there);
        json::object one{
            {"node", name},
            {"zone", zone},
            {"there", there},
            {"state", state},
            {"revision", nullptr},
            {"digest", ""},
            {"since", nullptr},
            {"sections", json::array()}};
        if (told) {
            const auto published = view->head ? view->head->sections : revision::digests();
            one["sections"] = runtime::stored_list(revision::differing(published, held->second.of));
            one["since"] = iso_time(held->second.since);
        }
        if (told && view->head
            && revision::differing(view->head->sections, held->second.of).empty()) {
            one["revision"] = view->head->number;
            one["digest"] = view->head->digest;
        }
        items.push_back(std::move(one));
    }
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

}  // namespace muster::api
