// What admins decide about systems: the other half of systems_api.h.

#include "api/rest/systems_api.h"
#include "core/lifecycle/labels.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

using fleet::progress;
using fleet::system_service;

// `systems.…` means systems of the fleet, as they are counted and listed; `keys.…` whoever has
// shown a key, accepted or not.
std::set<enrolment> stages_meant(const call& call) {
    if (call.operation().name.starts_with("systems.")) return {enrolment::accepted};
    return {enrolment::pooled, enrolment::rejected, enrolment::accepted};
}

result<std::vector<std::string>> words_of(const call& call, const char* text, const char* name) {
    auto words = call.optional_texts(name);
    if (!words) return std::vector<std::string>();
    CHECK_OK(lifecycle::check_labels(text, *words));
    return *std::move(words);
}

result<lifecycle::label_change> read_labels(const call& call) {
    lifecycle::label_change label_change;
    TRY(label_change.tags_added, words_of(call, "tag", "tags"));
    TRY(label_change.tags_removed, words_of(call, "tag", "tags_removed"));
    TRY(label_change.groups_added, words_of(call, "group", "groups"));
    TRY(label_change.groups_removed, words_of(call, "group", "groups_removed"));
    return label_change;
}

bool names_one(const call& call) {
    return call.arguments().find("system") != nullptr;
}

}  // namespace

async<target_list> systems_api::target_named(std::string name) const {
    target_list which;
    if (const auto print = fingerprint::parse(name)) {
        which.prints.push_back(*print);  // also one that is not known: it can be banned
        co_return which;
    }
    CO_TRY(const auto record, co_await find(std::move(name)));
    which.prints.push_back(record.print);
    co_return which;
}

result<std::string> systems_api::zone_for(const call& call) const {
    const auto desired = call.optional_text("zone");
    const auto places = deps_.topology.read();
    if (!desired && places->zones.size() != 1)
        return fail(errc::invalid, "there are several zones: say which one with `zone`");
    auto zone = desired ? *desired : places->zones.begin()->first;
    if (!places->zones.contains(zone))
        return fail(errc::invalid, fmt::format("Zone {} was not found", zone));
    if (!call.may_in(zone))
        return fail(
            errc::denied,
            fmt::format(
                "{} needs the right {} in zone {}",
                call.operation().name,
                to_string(call.operation().needed),
                zone));
    return zone;
}

async<reply> systems_api::change(call call, planner plan) {
    target_list target_list;
    if (names_one(call)) {
        CO_TRY(target_list, co_await target_named(call.text("system")));
    } else {
        CO_TRY(target_list, bulk_change_service::read_targets(call));
    }
    CO_TRY(auto what, (this->*plan)(call));
    const bool labels = call.arguments().find("groups") != nullptr;
    if (labels && deps_.guard != nullptr) {
        auto checking = deps_.guard->check(
            call, call.optional_texts("groups").value_or(std::vector<std::string>()));
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(checking)));
    }
    co_return co_await bulk_.carry_out(std::move(call), std::move(target_list), std::move(what));
}

result<bulk_change_service::change> systems_api::accept(const call& call) const {
    lifecycle::terms terms{.by = call.who().user};
    TRY(terms.tags, words_of(call, "tag", "tags"));
    TRY(terms.groups, words_of(call, "group", "groups"));
    TRY(terms.zone, zone_for(call));
    // Whose place a known machine's new key takes is only its own word: nobody of one zone gets
    // another zone's system by it.
    const bool as_new = call.flag("as_new") || call.zones();
    const auto how = as_new ? system_service::duplicate_machine_policy::add
                            : system_service::duplicate_machine_policy::replace;
    return bulk_change_service::change{
        .stages = {enrolment::pooled},
        .detail = "zone " + terms.zone,
        .perform = [this, terms, how](system_service::targets targets, progress* progress) {
            return deps_.keys.accept(std::move(targets), terms, how, progress);
        }};
}

result<bulk_change_service::change> systems_api::reject(const call& call) const {
    return bulk_change_service::change{
        .stages = {enrolment::pooled},
        .detail = {},
        .perform = [this, by = call.decider()](
                       system_service::targets targets, progress* progress) {
            return deps_.keys.reject(std::move(targets), by, progress);
        }};
}

result<bulk_change_service::change> systems_api::remove(const call& call) const {
    return bulk_change_service::change{
        .stages = stages_meant(call),
        .detail = {},
        .perform = [this, by = call.decider()](
                       system_service::targets targets, progress* progress) {
            return deps_.keys.remove(std::move(targets), by, progress);
        }};
}

result<bulk_change_service::change> systems_api::label(const call& call) const {
    TRY(const auto labels, read_labels(call));
    return bulk_change_service::change{
        .stages = stages_meant(call),
        .detail = {},
        .perform = [this, labels, by = call.decider()](
                       system_service::targets targets, progress* progress) {
            return deps_.keys.relabel(std::move(targets), labels, by, progress);
        }};
}

result<bulk_change_service::change> systems_api::unregister(const call& call) const {
    return bulk_change_service::change{
        .stages = {enrolment::accepted},
        .detail = {},
        .perform = [this, by = call.decider()](
                       system_service::targets targets, progress* progress) {
            return deps_.keys.unregister(std::move(targets), by, progress);
        }};
}

result<bulk_change_service::change> systems_api::move(const call& call) const {
    TRY(const auto zone, zone_for(call));
    return bulk_change_service::change{
        .stages = {enrolment::accepted},
        .detail = "to zone " + zone,
        .perform = [this, zone, by = call.decider()](
                       system_service::targets targets, progress* progress) {
            return deps_.keys.move(std::move(targets), zone, by, progress);
        }};
}

}  // namespace muster::api
