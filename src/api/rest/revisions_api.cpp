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

constexpr const char* collection_path = "/api/v1/revisions";
constexpr const char* revision_path = "/api/v1/revisions/{number}";
constexpr std::int64_t page_default = 50;
constexpr std::int64_t page_max = 500;

shape section_shape() {
    return record_of(
        {required("name", name()),
         required("digest", text()),
         required("kept", flag().with_about("false if the section was too large to store")),
         optional("needs", name().with_about("right needed to read the items")),
         required(
             "items",
             list_of(record_of({required("name", text()), required("item", anything())})))});
}

shape revision_shape() {
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
         required("sections", list_of(name()).with_about("sections that differ"))});
}

std::string zone_of(const cluster::topology& topology, const std::string& server) {
    const auto it = topology.nodes.find(server);
    return it == topology.nodes.end() ? std::string() : it->second.zone;
}

bool may_read(const call& call, std::string_view section) {
    return call.caller().may.everywhere(revision::right_to_read(section));
}

json::object entry_json(const call& call, const revision::direct_change& change) {
    const auto section = revision::item_of(change.operation).section;
    return {
        {"by", change.by},
        {"operation", change.operation},
        {"name", section.empty() || may_read(call, section) ? change.subject : std::string()},
        {"at", iso_time(change.at)}};
}

json::array items_json(const revision::section& section) {
    json::array items;
    for (const auto& [name, text] : section.items)
        items.push_back(json::object{{"name", name}, {"item", item_json(&text)}});
    return items;
}

}  // namespace

result<void> revisions_api::declare(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "revisions.list",
         .summary = "List published revisions of common data, newest first",
         .path = collection_path,
         .takes =
             {in_query(
                  "after",
                  integer(1).with_about("number of the last revision on the previous page")),
              in_query("limit", integer(1, page_max))},
         .gives = page_of(record_of(revision_members())),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &revisions_api::list)));
    CHECK_OK(operations.add(
        {.name = "revisions.nodes",
         .summary = "List servers with their revision and drift state",
         .path = "/api/v1/revisions/nodes",
         .gives = page_of(node_shape()),
         .needed = right::topology_read,
         .within = scope::filtered},
        handler(this, &revisions_api::nodes)));
    CHECK_OK(operations.add(
        {.name = "revisions.show",
         .summary = "Get a revision with its changes and content",
         .path = revision_path,
         .takes = {number_in_path()},
         .gives = revision_shape(),
         .needed = right::fleet_read},
        handler(this, &revisions_api::show)));
    return operations.add(
        {.name = "revisions.diff",
         .summary = "Compare two revisions",
         .path = "/api/v1/revisions/{number}/diff",
         .takes =
             {number_in_path(),
              in_query(
                  "from",
                  integer(0).with_about(
                      "base revision; 0 for an empty base (default: previous revision)"))},
         .gives = record_of(
             {required("items", list_of(difference_shape())),
              required("next", text().or_nothing()),
              required("from", integer(0)),
              required("to", integer(1)),
              required(
                  "hidden", list_of(name()).with_about("sections that the caller may not read"))}),
         .needed = right::fleet_read},
        handler(this, &revisions_api::diff));
}

async<reply> revisions_api::list(call call) {
    const auto limit = call.optional_integer("limit").value_or(page_default);
    const auto before =
        call.optional_integer("after").value_or(std::numeric_limits<std::int64_t>::max());
    auto pending_read = deps_.revisions.list(before, static_cast<std::size_t>(limit) + 1);
    CO_TRY(auto revisions, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    json::value next;
    if (revisions.size() > static_cast<std::size_t>(limit)) {
        revisions.pop_back();
        next = std::to_string(revisions.back().number);
    }
    // A revision that the head does not name yet is not published.
    const auto head = deps_.edit_state.read()->head;
    json::array items;
    for (const auto& revision : revisions)
        if (head && revision.number <= head->number) items.push_back(revision_json(revision));
    co_return reply{json::object{{"items", std::move(items)}, {"next", std::move(next)}}};
}

async<reply> revisions_api::show(call call) {
    CO_TRY(const auto number, read_number(call.text("number")));
    auto pending_lookup = deps_.revisions.find(number);
    CO_TRY(
        const auto stored, co_await within(deps_.clock, engine_timeout, std::move(pending_lookup)));
    auto pending_read = content_.read(stored.record);
    CO_TRY(
        const auto content, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    auto response = revision_json(stored.record);
    json::array entries;
    for (const auto& entry : stored.entries) entries.push_back(entry_json(call, entry));
    json::array sections;
    for (const auto& [name, digest] : stored.record.sections) {
        const auto it = content.find(name);
        const bool is_stored = it != content.end();
        const bool is_visible = is_stored && may_read(call, name);
        json::object section{
            {"name", name},
            {"digest", digest},
            {"kept", is_stored},
            {"items", is_visible ? items_json(it->second) : json::array()}};
        if (is_stored && !is_visible)
            section["needs"] = access::to_string(revision::right_to_read(name));
        sections.push_back(std::move(section));
    }
    response["entries"] = std::move(entries);
    response["sections"] = std::move(sections);
    co_return reply{std::move(response)};
}

async<reply> revisions_api::diff(call call) {
    CO_TRY(const auto target, read_number(call.text("number")));
    const auto base = call.optional_integer("from").value_or(target - 1);
    CO_TRY(auto change, co_await content_.read_change(base, target));
    auto& [before, after] = change;
    std::set<std::string> names;
    for (const auto& [name, item] : before) names.insert(name);
    for (const auto& [name, item] : after) names.insert(name);
    json::array items;
    json::array hidden;
    for (const auto& name : names) {
        if (!may_read(call, name)) {
            hidden.emplace_back(name);
            continue;
        }
        for (const auto& item : revision::diff(before[name], after[name]))
            items.push_back(json::object{
                {"section", name},
                {"name", item.name},
                {"what", revision::to_string(item.change_kind())},
                {"before", item_json(item.before)},
                {"after", item_json(item.after)}});
    }
    co_return reply{json::object{
        {"items", std::move(items)},
        {"next", nullptr},
        {"from", base},
        {"to", target},
        {"hidden", std::move(hidden)}}};
}

std::string revisions_api::drift_state(const std::string& server, bool is_online) const {
    const auto snapshot = deps_.edit_state.read();
    if (!snapshot->head) return "unknown";
    const auto report = snapshot->server_digests.find(server);
    return std::string(revision::to_string(revision::find_sync_state(
        snapshot->head->sections,
        report == snapshot->server_digests.end() ? std::nullopt : std::optional(report->second),
        {.published = snapshot->head->made,
         .now = deps_.clock.wall(),
         .grace = deps_.grace,
         .online = is_online})));
}

async<reply> revisions_api::nodes(call call) {
    const auto snapshot = deps_.edit_state.read();
    const auto topology = call.context().topology.read();
    std::set<std::string> names;
    for (const auto& [name, node] : topology->nodes) names.insert(name);
    for (const auto& [name, server] : topology->servers) names.insert(name);
    json::array items;
    for (const auto& name : names) {
        const auto zone = zone_of(*topology, name);
        if (!zone.empty() && !call.may_in(zone)) continue;
        const bool is_online = topology->servers.contains(name);
        const auto report = snapshot->server_digests.find(name);
        const bool has_report = report != snapshot->server_digests.end();
        const auto state = drift_state(name, is_online);
        json::object item{
            {"node", name},
            {"zone", zone},
            {"there", is_online},
            {"state", state},
            {"revision", nullptr},
            {"digest", ""},
            {"since", nullptr},
            {"sections", json::array()}};
        if (has_report) {
            const auto published = snapshot->head ? snapshot->head->sections : revision::digests();
            item["sections"] = runtime::stored_list(
                revision::differing_sections(published, report->second.digests));
            item["since"] = iso_time(report->second.since);
        }
        if (has_report && snapshot->head
            && revision::differing_sections(snapshot->head->sections, report->second.digests)
                   .empty()) {
            item["revision"] = snapshot->head->number;
            item["digest"] = snapshot->head->digest;
        }
        items.push_back(std::move(item));
    }
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

}  // namespace muster::api
