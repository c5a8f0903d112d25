// What admins decide about systems: the other half of systems_api.h.

#include "core/lifecycle/words.h"
#include "ports/deadline.h"
#include "api/rest/systems_api.h"

#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

using fleet::progress;
using fleet::registrar;

// `systems.…` means systems of the fleet, as they are counted and listed; `keys.…` whoever has
// shown a key, accepted or not.
std::set<enrolment> stages_meant(const call& asked) {
    if (asked.operation().name.starts_with("systems.")) return {enrolment::accepted};
    return {enrolment::pooled, enrolment::rejected, enrolment::accepted};
}

result<std::vector<std::string>> words_of(const call& asked, const char* what, const char* name) {
    auto words = asked.optional_texts(name);
    if (!words) return std::vector<std::string>();
    CHECK_OK(lifecycle::check_words(what, *words));
    return *std::move(words);
}

result<lifecycle::label_change> read_labels(const call& asked) {
    lifecycle::label_change wanted;
    TRY(wanted.tags_added, words_of(asked, "tag", "tags"));
    TRY(wanted.tags_removed, words_of(asked, "tag", "tags_removed"));
    TRY(wanted.groups_added, words_of(asked, "group", "groups"));
    TRY(wanted.groups_removed, words_of(asked, "group", "groups_removed"));
    return wanted;
}

bool names_one(const call& asked) {
    return asked.arguments().find("system") != nullptr;
}

}  // namespace

async<target_list> systems_api::target_named(std::string one) const {
    target_list which;
    if (const auto print = fingerprint::parse(one)) {
        which.prints.push_back(*print);  // also one that is not known: it can be banned
        co_return which;
    }
    CO_TRY(const auto record, co_await find(std::move(one)));
    which.prints.push_back(record.print);
    co_return which;
}

result<std::string> systems_api::zone_for(const call& asked) const {
    const auto wanted = asked.optional_text("zone");
    const auto places = around_.places.read();
    if (!wanted && places->zones.size() != 1)
        return fail(errc::invalid, "there are several zones: say which one with `zone`");
    auto zone = wanted ? *wanted : places->zones.begin()->first;
    if (!places->zones.contains(zone))
        return fail(errc::invalid, fmt::format("Zone {} was not found", zone));
    if (!asked.may_in(zone))
        return fail(
            errc::denied,
            fmt::format(
                "{} needs the right {} in zone {}",
                asked.operation().name,
                to_string(asked.operation().needed),
                zone));
    return zone;
}

async<reply> systems_api::change(call asked, planner plan) {
    target_list which;
    if (names_one(asked)) {
        CO_TRY(which, co_await target_named(asked.text("system")));
    } else {
        CO_TRY(which, bulk_desk::read_targets(asked));
    }
    CO_TRY(auto what, (this->*plan)(asked));
    const bool labels = asked.arguments().find("groups") != nullptr;
    if (labels && around_.guard != nullptr) {
        auto checking = around_.guard->check(
            asked, asked.optional_texts("groups").value_or(std::vector<std::string>()));
        CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(checking)));
    }
    co_return co_await bulk_.carry_out(std::move(asked), std::move(which), std::move(what));
}

result<bulk_desk::change> systems_api::accept(const call& asked) const {
    lifecycle::terms given{.by = asked.who().user};
    TRY(given.tags, words_of(asked, "tag", "tags"));
    TRY(given.groups, words_of(asked, "group", "groups"));
    TRY(given.zone, zone_for(asked));
    // Whose place a known machine's new key takes is only its own word: nobody of one zone gets
    // another zone's system by it.
    const bool as_new = asked.flag("as_new") || asked.zones();
    const auto how = as_new ? registrar::newcomers::add : registrar::newcomers::replace;
    return bulk_desk::change{
        .stages = {enrolment::pooled},
        .detail = "zone " + given.zone,
        .perform = [this, given, how](registrar::targets which, progress* seen) {
            return around_.keys.accept(std::move(which), given, how, seen);
        }};
}

result<bulk_desk::change> systems_api::reject(const call& asked) const {
    return bulk_desk::change{
        .stages = {enrolment::pooled},
        .detail = {},
        .perform = [this, by = asked.decider()](registrar::targets which, progress* seen) {
            return around_.keys.reject(std::move(which), by, seen);
        }};
}

result<bulk_desk::change> systems_api::remove(const call& asked) const {
    return bulk_desk::change{
        .stages = stages_meant(asked),
        .detail = {},
        .perform = [this, by = asked.decider()](registrar::targets which, progress* seen) {
            return around_.keys.remove(std::move(which), by, seen);
        }};
}

result<bulk_desk::change> systems_api::label(const call& asked) const {
    TRY(const auto wanted, read_labels(asked));
    return bulk_desk::change{
        .stages = stages_meant(asked),
        .detail = {},
        .perform = [this, wanted, by = asked.decider()](registrar::targets which, progress* seen) {
            return around_.keys.relabel(std::move(which), wanted, by, seen);
        }};
}

result<bulk_desk::change> systems_api::unregister(const call& asked) const {
    return bulk_desk::change{
        .stages = {enrolment::accepted},
        .detail = {},
        .perform = [this, by = asked.decider()](registrar::targets which, progress* seen) {
            return around_.keys.unregister(std::move(which), by, seen);
        }};
}

result<bulk_desk::change> systems_api::move(const call& asked) const {
    TRY(const auto zone, zone_for(asked));
    return bulk_desk::change{
        .stages = {enrolment::accepted},
        .detail = "to zone " + zone,
        .perform = [this, zone, by = asked.decider()](registrar::targets which, progress* seen) {
            return around_.keys.move(std::move(which), zone, by, seen);
        }};
}

}  // namespace muster::api
