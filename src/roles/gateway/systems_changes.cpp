// What admins decide about systems: the other half of systems_api.h.

#include "core/lifecycle/words.h"
#include "roles/gateway/systems_api.h"

#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
using fleet::progress;
using fleet::registrar;

std::set<enrolment> stages_up_to(enrolment last) {
    std::set<enrolment> stages{enrolment::pooled, enrolment::rejected};
    stages.insert(last);
    return stages;
}

result<std::vector<std::string>> words_of(json_body& body, const char* what, const char* name) {
    TRY(auto words, body.optional_list(name));
    if (!words) return std::vector<std::string>();
    CHECK_OK(lifecycle::check_words(what, *words));
    return *std::move(words);
}

result<lifecycle::label_change> read_labels(json_body& body) {
    lifecycle::label_change wanted;
    TRY(wanted.tags_added, words_of(body, "tag", "tags"));
    TRY(wanted.tags_removed, words_of(body, "tag", "tags_removed"));
    TRY(wanted.groups_added, words_of(body, "group", "groups"));
    TRY(wanted.groups_removed, words_of(body, "group", "groups_removed"));
    return wanted;
}

}  // namespace

async<systems_api::order> systems_api::read_order(
    async<visitor> admitted, async<std::string> body, named one) const {
    CO_TRY(auto who, co_await std::move(admitted));
    CO_TRY(const auto text, co_await std::move(body));
    CO_TRY(auto members, json_body::parse(text));
    target_list which;
    if (one) {
        CO_TRY(which, co_await target_named(std::move(*one)));
    } else {
        CO_TRY(which, bulk_desk::read_targets(members));
    }
    co_return order{.who = std::move(who), .which = std::move(which), .body = std::move(members)};
}

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

result<std::string> systems_api::zone_for(const std::optional<std::string>& wanted) const {
    const auto places = around_.places.read();
    if (wanted) {
        if (places->zones.contains(*wanted)) return *wanted;
        return fail(errc::invalid, fmt::format("Zone {} was not found", *wanted));
    }
    if (places->zones.size() == 1) return places->zones.begin()->first;
    return fail(errc::invalid, "there are several zones: say which one with `zone`");
}

systems_api::answer systems_api::change(http::request asked, named one, planner plan) {
    CO_TRY(
        auto order, co_await read_order(around_.desk.admit(asked), asked.body(), std::move(one)));
    CO_TRY(auto what, plan(order.body, order.who.user));
    co_return co_await bulk_.carry_out(
        std::move(asked), std::move(order.who), std::move(order.which), std::move(what));
}

systems_api::answer systems_api::accept(http::request asked, named one) {
    const auto plan = [this](json_body& body, const std::string& by) -> result<bulk_desk::change> {
        TRY(const auto zone, body.optional_text("zone"));
        lifecycle::terms given{.by = by};
        TRY(given.tags, words_of(body, "tag", "tags"));
        TRY(given.groups, words_of(body, "group", "groups"));
        TRY(const bool as_new, body.flag("as_new"));
        CHECK_OK(body.finish());
        TRY(given.zone, zone_for(zone));
        const auto how = as_new ? registrar::newcomers::add : registrar::newcomers::replace;
        return bulk_desk::change{
            .what = "key.accept",
            .stages = {enrolment::pooled},
            .detail = "zone " + given.zone,
            .perform = [this, given, how](registrar::targets which, progress* seen) {
                return around_.keys.accept(std::move(which), given, how, seen);
            }};
    };
    return change(std::move(asked), std::move(one), plan);
}

systems_api::answer systems_api::reject(http::request asked, named one) {
    const auto plan = [this](json_body& body, const std::string& by) -> result<bulk_desk::change> {
        CHECK_OK(body.finish());
        return bulk_desk::change{
            .what = "key.reject",
            .stages = {enrolment::pooled},
            .perform = [this, by](registrar::targets which, progress* seen) {
                return around_.keys.reject(std::move(which), by, seen);
            }};
    };
    return change(std::move(asked), std::move(one), plan);
}

systems_api::answer systems_api::remove(http::request asked, named one) {
    const auto plan = [this](json_body& body, const std::string& by) -> result<bulk_desk::change> {
        CHECK_OK(body.finish());
        return bulk_desk::change{
            .what = "key.delete",
            .stages = stages_up_to(enrolment::accepted),
            .perform = [this, by](registrar::targets which, progress* seen) {
                return around_.keys.remove(std::move(which), by, seen);
            }};
    };
    return change(std::move(asked), std::move(one), plan);
}

systems_api::answer systems_api::label(http::request asked, named one) {
    const auto plan = [this](json_body& body, const std::string& by) -> result<bulk_desk::change> {
        TRY(const auto wanted, read_labels(body));
        CHECK_OK(body.finish());
        return bulk_desk::change{
            .what = "key.label",
            .stages = stages_up_to(enrolment::accepted),
            .perform = [this, wanted, by](registrar::targets which, progress* seen) {
                return around_.keys.relabel(std::move(which), wanted, by, seen);
            }};
    };
    return change(std::move(asked), std::move(one), plan);
}

systems_api::answer systems_api::unregister(http::request asked, named one) {
    const auto plan = [this](json_body& body, const std::string& by) -> result<bulk_desk::change> {
        CHECK_OK(body.finish());
        return bulk_desk::change{
            .what = "system.unregister",
            .stages = {enrolment::accepted},
            .perform = [this, by](registrar::targets which, progress* seen) {
                return around_.keys.unregister(std::move(which), by, seen);
            }};
    };
    return change(std::move(asked), std::move(one), plan);
}

systems_api::answer systems_api::move(http::request asked, named one) {
    const auto plan = [this](json_body& body, const std::string& by) -> result<bulk_desk::change> {
        TRY(const auto wanted, body.text("zone"));
        CHECK_OK(body.finish());
        TRY(const auto zone, zone_for(wanted));
        return bulk_desk::change{
            .what = "system.move",
            .stages = {enrolment::accepted},
            .detail = "to zone " + zone,
            .perform = [this, zone, by](registrar::targets which, progress* seen) {
                return around_.keys.move(std::move(which), zone, by, seen);
            }};
    };
    return change(std::move(asked), std::move(one), plan);
}

}  // namespace muster::gateway
