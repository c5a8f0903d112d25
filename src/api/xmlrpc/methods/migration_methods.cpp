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

constexpr auto migration_timeout = std::chrono::hours(4);

// The text with which clients refer to a target.
std::string target_ident(const content::channel& base) {
    return fmt::format("[{}]", base.number());
}

shape target_shape() {
    return record_of({required("ident", text()), required("friendly", text())});
}

}  // namespace

result<void> migration_methods::declare(method_registry& registry) {
    const method_defaults system{
        .prefix = "system.", .change_right = right::jobs_run, .change_scope = scope::filtered};
    for (const bool with_exclusion : {false, true}) {
        auto list = system.read_method(
            "listMigrationTargets",
            "List the base channels a system can migrate to",
            {system_parameter()},
            list_of(target_shape()));
        if (with_exclusion)
            list.takes.push_back(argument("excludeTargetWhereMissingSuccessors", flag()));
        CHECK_OK(registry.add({std::move(list), handler(this, &migration_methods::list_targets)}));
    }
    const auto ident = argument("targetIdent", text());
    const auto vendor_change = argument("allowVendorChange", flag());
    const auto product_removal = argument("removeProductsWithNoSuccessorAfterMigration", flag());
    struct overload {
        std::vector<parameter> before;
        std::vector<parameter> after;
    };
    for (const auto& overload_parameters : std::vector<overload>{
             {{}, {}},
             {{}, {vendor_change}},
             {{ident}, {}},
             {{ident}, {vendor_change}},
             {{ident}, {vendor_change, product_removal}}}) {
        std::vector<parameter> parameters{system_parameter()};
        parameters.insert(
            parameters.end(), overload_parameters.before.begin(), overload_parameters.before.end());
        parameters.push_back(argument("baseChannelLabel", text()));
        parameters.push_back(labels_parameter("optionalChildChannels"));
        parameters.push_back(argument("dryRun", flag()));
        parameters.insert(
            parameters.end(), overload_parameters.after.begin(), overload_parameters.after.end());
        parameters.push_back(argument("earliestOccurrence", api::time()));
        CHECK_OK(registry.add(
            {system.change_method(
                 "scheduleProductMigration",
                 "Migrate a system to another base channel",
                 std::move(parameters),
                 action_id()),
             handler(this, &migration_methods::schedule),
             {.invalid = -1}}));
    }
    return {};
}

// Base channels with the architecture of the current one.
std::vector<channel_ref> migration_methods::targets_of(const system_record& system) const {
    const auto& store = deps_.content.store();
    const auto subscription = store.subscription_of(system.number);
    const auto current = subscription ? store.find<content::channel>(subscription->base) : nullptr;
    std::vector<channel_ref> targets;
    for (const auto& channel : store.all<content::channel>()) {
        const bool is_candidate =
            !current || (channel->arch == current->arch && channel->label() != current->label());
        if (channel->parent.empty() && is_candidate) targets.push_back(channel);
    }
    return targets;
}

async<method_response> migration_methods::list_targets(call call) {
    CO_CHECK_OK(co_await deps_.content.refresh());
    CO_TRY(const auto system, deps_.content.fleet().find(call, call.integer("sid")));
    value::list list;
    for (const auto& target : targets_of(system))
        list.push_back(value::record{{"ident", target_ident(*target)}, {"friendly", target->name}});
    co_return method_response{std::move(list)};
}

result<migration_methods::target> migration_methods::read_target(
    const call& call, const system_record& system) const {
    target target;
    TRY(target.base, deps_.content.channel(call.text("baseChannelLabel")));
    if (!target.base->parent.empty())
        return fail(errc::conflict, "No base channel given for dist upgrade");
    target.children = read_labels(call, "optionalChildChannels");
    for (const auto& label : target.children) {
        TRY(const auto child, deps_.content.channel(label));
        if (child->parent != target.base->label())
            return fail(errc::conflict, "Channel has incompatible base channel: " + label);
    }
    const auto targets = targets_of(system);
    const bool is_target = std::ranges::any_of(targets, [&](const channel_ref& candidate) {
        return candidate->label() == target.base->label();
    });
    const auto* const ident = call.arguments().find("targetIdent");
    const auto requested = ident == nullptr ? std::string() : *ident->get<std::string>();
    if (!is_target || (!requested.empty() && requested != target_ident(*target.base)))
        return fail(
            errc::conflict,
            "No target found for Product migration; list targets with system.listMigrationTargets");
    return target;
}

async<std::string> migration_methods::name_of(
    system_record system, target target, bool dry_run) const {
    auto name = fmt::format("Product Migration of {} to {}", system.name, target.base->label());
    if (!dry_run) co_return name;
    CO_TRY(const auto installed, co_await deps_.content.installed_on(system));
    auto labels = target.children;
    labels.push_back(target.base->label());
    const auto available = deps_.content.store().shelf_of(labels);
    const auto newer = packages::upgrades_of(*installed, *available);
    co_return fmt::format("{} (dry run): {} newer packages in the target", name, newer.size());
}

// Creates the job first: if it is refused, the channels stay.
async<method_response> migration_methods::schedule(call call) {
    CO_CHECK_OK(co_await deps_.content.refresh());
    CO_TRY(const auto system, deps_.content.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto target, read_target(call, system));
    const bool dry_run = call.flag("dryRun");
    const auto zones = call.zones_with(right::systems_change);
    if (!dry_run && zones && !zones->contains(system.zone))
        co_return fail(errc::denied, "changing channels also requires the right systems.change");
    action_request request{
        .function = "packages.change",
        .arguments = {{"action", "distribution"}},
        .systems = {system.number.value()},
        .earliest = *call.arguments().find("earliestOccurrence")->get<wall_time>(),
        .timeout = migration_timeout};
    if (dry_run) request.arguments["test"] = true;
    const auto* const vendor_change = call.arguments().find("allowVendorChange");
    if (vendor_change != nullptr && *vendor_change->get<bool>())
        request.arguments["change_vendors"] = true;
    CO_TRY(request.name, co_await name_of(system, target, dry_run));
    CO_TRY(const auto number, co_await deps_.actions.create(call, std::move(request)));
    if (dry_run) co_return method_response{number};
    call.set_partly_done();
    auto change = deps_.content.service().subscribe(
        system.number, target.base->label(), target.children, call.caller().user);
    const auto subscribed = co_await std::move(change);
    if (!subscribed)
        co_return fail(subscribed.error().with_context(
            fmt::format("action {} was created, but the channels were not changed", number)));
    co_return method_response{number};
}

}  // namespace muster::xmlrpc_api
