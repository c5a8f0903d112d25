// systems_api: declarations of the operations.

#include "api/operations/pagination.h"
#include "api/rest/systems_api.h"

#include <utility>

namespace muster::api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t body_bytes_max = std::int64_t{8} * 1024 * 1024;  // 100,000 fingerprints
constexpr std::int64_t query_bytes_max = 32 * std::int64_t{1024};
constexpr std::int64_t names_max = 1'000;

shape name_list() {
    return list_of(name(), names_max);
}

shape system_shape() {
    return record_of(
        {required("fingerprint", name()),
         required("number", integer(0).or_nothing()),
         required("name", text()),
         required("state", name().with_about("new, onboarded, orphan or deleted")),
         required(
             "stage", name().with_about("recorded stage: pooled, rejected, accepted or deleted")),
         required("zone", text()),
         required("tags", name_list()),
         required("groups", name_list()),
         required("machine_id", text()),
         required("origin", text().with_about("address of the enrolment request")),
         required("enrolled", api::time()),
         required("version", integer(0)),
         optional("href", text()),
         optional("accepted", api::time()),
         optional("accepted_by", text()),
         optional("replaces", integer(0)),
         optional("node", text().or_nothing()),
         optional("address", text()),
         optional("last_seen", api::time()),
         optional("reason", text().with_about("reason for the last disconnect"))});
}

shape search_shape(shape_member shape_member) {
    return record_of(
        {std::move(shape_member),
         optional("next", text().or_nothing()),
         optional("total", integer(0)),
         optional("notes", list_of(text())),
         optional("missing", list_of(text()).with_about("requested names that match no system"))});
}

shape operation_shape() {
    return record_of(
        {required("state", name().with_about("finding, running, done or failed")),
         required("changed", integer(0)),
         required("unchanged", integer(0)),
         required("failed", integer(0)),
         required("reasons", list_of(text())),
         optional("id", name()),
         optional("href", text()),
         optional("what", name()),
         optional("by", text()),
         optional("total", integer(0)),
         optional("done", integer(0)),
         optional("made", api::time()),
         optional("ended", api::time()),
         optional("error", text())});
}

parameter query_parameter() {
    return in_query("q", text().with_about("query (default: all systems)"));
}

std::vector<parameter> label_parameters() {
    return {
        optional_in_body("tags", name_list().with_about("tags to add")),
        optional_in_body("tags_removed", name_list()),
        optional_in_body("groups", name_list().with_about("groups to add")),
        optional_in_body("groups_removed", name_list())};
}

operation key_change(
    std::string name, std::string summary, std::vector<parameter> parameters = {}) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .method = verb::post,
        .takes = std::move(parameters),
        .gives = operation_shape(),
        .needed = right::keys_decide,
        .within = scope::filtered,
        .body_bytes_max = body_bytes_max};
}

operation systems_change(
    std::string name, std::string summary, std::vector<parameter> parameters = {}) {
    auto result = key_change(std::move(name), std::move(summary), std::move(parameters));
    result.needed = right::systems_change;
    return result;
}

}  // namespace

result<void> systems_api::declare(registry& operations) {
    CHECK_OK(declare_reading(operations));
    CHECK_OK(declare_details(operations));
    CHECK_OK(declare_keys(operations));
    return declare_systems(operations);
}

result<void> systems_api::declare_reading(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "systems.list",
         .summary = "List accepted systems that match a query",
         .path = "/api/v1/systems",
         .takes =
             {query_parameter(),
              limit_parameter(),
              after_parameter(),
              in_query(
                  "offset",
                  integer(0).with_about("instead of `after`: number of systems to skip"))},
         .gives = search_shape(required("items", list_of(system_shape()))),
         .needed = right::fleet_read,
         .within = scope::filtered,
         .includes_presence = true},
        handler(this, &systems_api::list_systems)));
    CHECK_OK(operations.add(
        {.name = "systems.count",
         .summary = "Count accepted systems that match a query",
         .path = "/api/v1/systems/count",
         .takes = {query_parameter()},
         .gives = search_shape(required("count", integer(0))),
         .needed = right::fleet_read,
         .within = scope::filtered,
         .includes_presence = true},
        handler(this, &systems_api::count_systems)));
    CHECK_OK(operations.add(
        {.name = "keys.list",
         .summary = "List keys by state",
         .path = "/api/v1/keys",
         .takes =
             {query_parameter(),
              in_query("state", text().with_choices({"pooled", "rejected", "accepted", "deleted"})),
              limit_parameter(),
              after_parameter()},
         .gives = page_of(system_shape()),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &systems_api::list_keys)));
    for (const auto* const noun : {"systems", "keys"}) {
        CHECK_OK(operations.add(
            {.name = noun + std::string(".show"),
             .summary = "Get a system by number, fingerprint or name",
             .path = std::string("/api/v1/") + noun + "/{system}",
             .takes = {in_path("system", name())},
             .gives = system_shape(),
             .needed = right::fleet_read,
             .within = scope::filtered},
            handler(this, &systems_api::show)));
    }
    CHECK_OK(operations.add(
        {.name = "operations.show",
         .summary = "Get the progress of a bulk change",
         .path = "/api/v1/operations/{operation}",
         .takes = {in_path("operation", name())},
         .gives = operation_shape(),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &systems_api::show_operation)));
    return operations.add(
        {.name = "operations.follow",
         .summary = "Follow the progress of a bulk change",
         .path = "/api/v1/operations/{operation}/events",
         .takes = {in_path("operation", name())},
         .needed = right::fleet_read,
         .within = scope::filtered,
         .streams = true},
        handler(this, &systems_api::follow_operation));
}

result<void> systems_api::declare_change(registry& operations, operation operation, planner plan) {
    const auto apply_change = [this, plan](call call) {
        return change(std::move(call), plan);
    };
    auto bulk = operation;
    bulk.takes.push_back(optional_in_body("query", text(query_bytes_max)));
    bulk.takes.push_back(optional_in_body("fingerprints", list_of(name())));
    const auto separator = operation.name.find('.');
    const auto noun = operation.name.substr(0, separator);
    const auto verb_name = operation.name.substr(separator + 1);
    bulk.path = "/api/v1/" + noun + "/" + verb_name;
    operation.name += "-one";
    operation.path = "/api/v1/" + noun + "/{system}";
    if (verb_name == "label") {
        operation.method = verb::patch;
    } else if (verb_name == "delete") {
        operation.method = verb::remove;
    } else {
        operation.path += "/" + verb_name;
    }
    operation.takes.insert(operation.takes.begin(), in_path("system", name()));
    CHECK_OK(operations.add(std::move(bulk), apply_change));
    return operations.add(std::move(operation), apply_change);
}

result<void> systems_api::declare_keys(registry& operations) {
    CHECK_OK(declare_change(
        operations,
        key_change(
            "keys.accept",
            "Accept pooled systems into a zone",
            {optional_in_body("zone", name()),
             optional_in_body("tags", name_list()),
             optional_in_body("groups", name_list()),
             optional_in_body(
                 "as_new", flag().with_about("accept a known machine as a new system"))}),
        &systems_api::accept));
    CHECK_OK(declare_change(
        operations,
        key_change("keys.reject", "Reject pooled systems, which may be accepted later"),
        &systems_api::reject));
    auto label = key_change("keys.label", "Update tags and groups of systems", label_parameters());
    label.needed = right::systems_change;
    CHECK_OK(declare_change(operations, std::move(label), &systems_api::label));
    return declare_change(
        operations,
        key_change("keys.delete", "Delete systems and ban their keys permanently"),
        &systems_api::remove);
}

result<void> systems_api::declare_systems(registry& operations) {
    CHECK_OK(declare_change(
        operations,
        systems_change(
            "systems.unregister", "Detach systems from their nodes so that they attach again"),
        &systems_api::unregister));
    CHECK_OK(declare_change(
        operations,
        systems_change("systems.move", "Move systems to another zone", {in_body("zone", name())}),
        &systems_api::move));
    CHECK_OK(declare_change(
        operations,
        systems_change("systems.label", "Update tags and groups of systems", label_parameters()),
        &systems_api::label));
    return declare_change(
        operations,
        systems_change("systems.delete", "Delete systems and ban their keys permanently"),
        &systems_api::remove);
}

}  // namespace muster::api
