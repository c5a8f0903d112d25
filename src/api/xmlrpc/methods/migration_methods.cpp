#include "api/xmlrpc/methods/migration_methods.h"

#include "core/packages/available_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using content::channel_ref;

constexpr auto migration_time = std::chrono::hours(4);

// What clients send back to say which target they mean.
std::string ident_of(const content::channel& base) {
    return fmt::format("[{}]", base.number());
}

shape target_shape() {
    return record_of({required("ident", text()), required("friendly", text())});
}

}  // namespace

result<void> migration_methods::declare(method_registry& to) {
    const method_defaults system{
        .prefix = "system.", .changes = right::jobs_run, .changes_within = scope::filtered};
    for (const bool excluding : {false, true}) {
        auto listing = system.reading(
            "listMigrationTargets",
            "Base channels that a system could go over to",
            {one_system()},
            list_of(target_shape()));
        if (excluding)
            listing.takes.push_back(argument("excludeTargetWhereMissingSuccessors", flag()));
        CHECK_OK(to.add({std::move(listing), done_by(this, &migration_methods::list_targets)}));
    }
    const auto ident = argument("targetIdent", text());
    const auto vendors = argument("allowVendorChange", flag());
    const auto removing = argument("removeProductsWithNoSuccessorAfterMigration", flag());
    struct form {
        std::vector<parameter> before;
        std::vector<parameter> after;
    };
    for (const auto& each : std::vector<form>{
             {{}, {}},
             {{}, {vendors}},
             {{ident}, {}},
             {{ident}, {vendors}},
             {{ident}, {vendors, removing}}}) {
        std::vector<parameter> takes{one_system()};
        takes.insert(takes.end(), each.before.begin(), each.before.end());
        takes.push_back(argument("baseChannelLabel", text()));
        takes.push_back(labels("optionalChildChannels"));
        takes.push_back(argument("dryRun", flag()));
        takes.insert(takes.end(), each.after.begin(), each.after.end());
        takes.push_back(argument("earliestOccurrence", api::time()));
        CHECK_OK(to.add(
            {system.changing(
                 "scheduleProductMigration",
                 "Takes a system over to another base channel",
                 std::move(takes),
                 action_id()),
             done_by(this, &migration_methods::schedule),
             {.invalid = -1}}));
    }
    return {};
}

// Base channels of the same architecture as the one that it has.
std::vector<channel_ref> migration_methods::targets_of(const system_record& system) const {
    const auto& books = deps_.view.books();
    const auto has = books.subscription_of(system.number);
    const auto now = has ? books.find<content::channel>(has->base) : nullptr;
    std::vector<channel_ref> channel_refs;
    for (const auto& each : books.all<content::channel>()) {
        const bool alike = !now || (each->arch == now->arch && each->label() != now->label());
        if (each->parent.empty() && alike) channel_refs.push_back(each);
    }
    return channel_refs;
}

async<answer> migration_methods::list_targets(call call) {
    CO_CHECK_OK(co_await deps_.view.catch_up());
    CO_TRY(const auto system, deps_.view.fleet().find(call, call.integer("sid")));
    value::list list;
    for (const auto& target : targets_of(system))
        list.push_back(value::record{{"ident", ident_of(*target)}, {"friendly", target->name}});
    co_return answer{std::move(list)};
}

result<migration_methods::target> migration_methods::target_in(
    const call& call, const system_record& system) const {
    target target;
    TRY(target.base, deps_.view.channel(call.text("baseChannelLabel")));
    if (!target.base->parent.empty())
        return fail(errc::conflict, "No base channel given for dist upgrade");
    target.children = labels_in(call, "optionalChildChannels");
    for (const auto& each : target.children) {
        TRY(const auto child, deps_.view.channel(each));
        if (child->parent != target.base->label())
            return fail(errc::conflict, "Channel has incompatible base channel: " + each);
    }
    const auto targets = targets_of(system);
    const bool existing = std::ranges::any_of(targets, [&](const channel_ref& channel_ref) {
        return channel_ref->label() == target.base->label();
    });
    const auto* const ident = call.arguments().find("targetIdent");
    const auto named = ident == nullptr ? std::string() : *ident->get<std::string>();
    if (!existing || (!named.empty() && named != ident_of(*target.base)))
        return fail(
            errc::conflict,
            "No target found for Product migration; system.listMigrationTargets tells which "
            "there are");
    return target;
}

async<std::string> migration_methods::name_of(system_record system, target target, bool dry) const {
    auto name = fmt::format("Product Migration of {} to {}", system.name, target.base->label());
    if (!dry) co_return name;
    CO_TRY(const auto installed, co_await deps_.view.installed_on(system));
    auto labels = target.children;
    labels.push_back(target.base->label());
    const auto shelf = deps_.view.books().shelf_of(labels);
    const auto newer = packages::upgrades_of(*installed, *shelf);
    co_return fmt::format("{} (dry run): {} packages are newer there", name, newer.size());
}

// The job first: what it refuses leaves the channels as they were.
async<answer> migration_methods::schedule(call call) {
    CO_CHECK_OK(co_await deps_.view.catch_up());
    CO_TRY(const auto system, deps_.view.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto desired, target_in(call, system));
    const bool dry = call.flag("dryRun");
    const auto zones = call.zones_with(right::systems_change);
    if (!dry && zones && !zones->contains(system.zone))
        co_return fail(errc::denied, "changing channels needs the right systems.change, too");
    action_request wish{
        .function = "packages.change",
        .arguments = {{"action", "distribution"}},
        .systems = {system.number.value()},
        .earliest = *call.arguments().find("earliestOccurrence")->get<wall_time>(),
        .timeout = migration_time};
    if (dry) wish.arguments["test"] = true;
    const auto* const vendors = call.arguments().find("allowVendorChange");
    if (vendors != nullptr && *vendors->get<bool>()) wish.arguments["change_vendors"] = true;
    CO_TRY(wish.name, co_await name_of(system, desired, dry));
    CO_TRY(const auto number, co_await deps_.actions.make(call, std::move(wish)));
    if (dry) co_return answer{number};
    call.set_partly_done();
    auto change = deps_.view.service().subscribe(
        system.number, desired.base->label(), desired.children, call.who().user);
    const auto changed = co_await std::move(change);
    if (!changed)
        co_return fail(changed.error().within(
            fmt::format("action {} is made, but the channels are not changed", number)));
    co_return answer{number};
}

}  // namespace muster::xmlrpc_api
