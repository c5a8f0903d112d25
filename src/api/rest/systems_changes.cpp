// systems_api: changes of systems.

#include "api/rest/systems_api.h"
#include "core/lifecycle/labels.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

using fleet::progress;
using fleet::system_service;

// `systems.…` applies to accepted systems; `keys.…` to all systems that presented a key.
std::set<enrolment> stages_of(const call& call) {
    if (call.operation().name.starts_with("systems.")) return {enrolment::accepted};
    return {enrolment::pooled, enrolment::rejected, enrolment::accepted};
}

result<std::vector<std::string>> read_labels_of(
    const call& call, const char* kind, const char* name) {
    auto labels = call.optional_texts(name);
    if (!labels) return std::vector<std::string>();
    CHECK_OK(lifecycle::check_labels(kind, *labels));
    return *std::move(labels);
}

result<lifecycle::label_change> read_labels(const call& call) {
    lifecycle::label_change label_change;
    TRY(label_change.tags_added, read_labels_of(call, "tag", "tags"));
    TRY(label_change.tags_removed, read_labels_of(call, "tag", "tags_removed"));
    TRY(label_change.groups_added, read_labels_of(call, "group", "groups"));
    TRY(label_change.groups_removed, read_labels_of(call, "group", "groups_removed"));
    return label_change;
}

bool names_system(const call& call) {
    return call.arguments().find("system") != nullptr;
}

}  // namespace

async<target_list> systems_api::find_target(std::string name) const {
    target_list target;
    if (const auto print = fingerprint::parse(name)) {
        target.fingerprints.push_back(*print);  // may be unknown: it can be banned
        co_return target;
    }
    CO_TRY(const auto record, co_await find(std::move(name)));
    target.fingerprints.push_back(record.print);
    co_return target;
}

result<std::string> systems_api::read_zone(const call& call) const {
    const auto requested = call.optional_text("zone");
    const auto topology = deps_.topology.read();
    if (!requested && topology->zones.size() != 1)
        return fail(errc::invalid, "cluster has several zones; set `zone`");
    auto zone = requested ? *requested : topology->zones.begin()->first;
    if (!topology->zones.contains(zone))
        return fail(errc::invalid, fmt::format("zone \"{}\" not found", zone));
    if (!call.may_in(zone))
        return fail(
            errc::denied,
            fmt::format(
                "{} needs the right {} in zone \"{}\"",
                call.operation().name,
                to_string(call.operation().needed),
                zone));
    return zone;
}

async<reply> systems_api::change(call call, planner planner_method) {
    target_list target_list;
    if (names_system(call)) {
        CO_TRY(target_list, co_await find_target(call.text("system")));
    } else {
        CO_TRY(target_list, bulk_change_service::read_targets(call));
    }
    CO_TRY(auto requested_change, (this->*planner_method)(call));
    const bool has_groups = call.arguments().find("groups") != nullptr;
    if (has_groups && deps_.label_policy != nullptr) {
        auto pending_check = deps_.label_policy->check(
            call, call.optional_texts("groups").value_or(std::vector<std::string>()));
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(pending_check)));
    }
    co_return co_await bulk_.apply(
        std::move(call), std::move(target_list), std::move(requested_change));
}

result<bulk_change_service::change> systems_api::accept(const call& call) const {
    lifecycle::acceptance_options terms{.accepted_by = call.caller().user};
    TRY(terms.tags, read_labels_of(call, "tag", "tags"));
    TRY(terms.groups, read_labels_of(call, "group", "groups"));
    TRY(terms.zone, read_zone(call));
    // Which machine a new key belongs to is only the agent's claim. So a caller restricted to zones
    // cannot replace a system of another zone by it.
    const bool as_new = call.flag("as_new") || call.zones();
    const auto duplicate_policy = as_new ? system_service::duplicate_machine_policy::add
                                         : system_service::duplicate_machine_policy::replace;
    return bulk_change_service::change{
        .stages = {enrolment::pooled},
        .detail = "zone " + terms.zone,
        .apply = [this, terms, duplicate_policy](
                     system_service::targets targets, progress* progress) {
            return deps_.keys.accept(std::move(targets), terms, duplicate_policy, progress);
        }};
}

result<bulk_change_service::change> systems_api::reject(const call& call) const {
    return bulk_change_service::change{
        .stages = {enrolment::pooled},
        .detail = {},
        .apply = [this, by = call.decider()](system_service::targets targets, progress* progress) {
            return deps_.keys.reject(std::move(targets), by, progress);
        }};
}

result<bulk_change_service::change> systems_api::remove(const call& call) const {
    return bulk_change_service::change{
        .stages = stages_of(call),
        .detail = {},
        .apply = [this, by = call.decider()](system_service::targets targets, progress* progress) {
            return deps_.keys.remove(std::move(targets), by, progress);
        }};
}

result<bulk_change_service::change> systems_api::label(const call& call) const {
    TRY(const auto labels, read_labels(call));
    return bulk_change_service::change{
        .stages = stages_of(call),
        .detail = {},
        .apply = [this, labels, by = call.decider()](
                     system_service::targets targets, progress* progress) {
            return deps_.keys.relabel(std::move(targets), labels, by, progress);
        }};
}

result<bulk_change_service::change> systems_api::unregister(const call& call) const {
    return bulk_change_service::change{
        .stages = {enrolment::accepted},
        .detail = {},
        .apply = [this, by = call.decider()](system_service::targets targets, progress* progress) {
            return deps_.keys.unregister(std::move(targets), by, progress);
        }};
}

result<bulk_change_service::change> systems_api::move(const call& call) const {
    TRY(const auto zone, read_zone(call));
    return bulk_change_service::change{
        .stages = {enrolment::accepted},
        .detail = "to zone " + zone,
        .apply = [this, zone, by = call.decider()](
                     system_service::targets targets, progress* progress) {
            return deps_.keys.move(std::move(targets), zone, by, progress);
        }};
}

}  // namespace muster::api
