#include "api/xmlrpc/methods/software_overview_methods.h"

#include "api/xmlrpc/methods/quartz.h"
#include "core/packages/available_packages.h"
#include "services/fleet/yield_to_loop.h"

#include <map>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::size_t page_max = 500;
constexpr const char* only_public =
    "channels are visible to all organizations; restrict access with roles and zones";

shape outdated_shape() {
    return record_of(
        {required("id", system_id()),
         required("name", text()),
         optional("last_checkin", api::time()),
         required("created", api::time()),
         required("outdated_pkg_count", integer(1))});
}

// Outdated systems that are being listed. Systems with the same packages and channels count once.
struct outdated_listing {
    const content_query& content;
    fleet::system_set systems;
    std::map<std::pair<std::string, std::vector<std::string>>, std::int64_t> counts = {};
    system_number next = system_number(1);
    bool finished = false;
};

async<std::int64_t> count_outdated(
    std::shared_ptr<outdated_listing> listing, system_record system) {
    const auto& content = listing->content;
    auto digest = content.digest_of(system);
    if (digest.empty()) co_return 0;
    const std::pair content_key{std::move(digest), content.labels_of(system)};
    const auto it = listing->counts.find(content_key);
    if (it != listing->counts.end()) co_return it->second;
    CO_TRY(const auto installed, co_await content.installed_on(system));
    const auto upgrades = packages::upgrades_of(*installed, *content.available_to(system));
    const auto count = static_cast<std::int64_t>(upgrades.size());
    listing->counts.emplace(content_key, count);
    co_await fleet::yield_to_loop();
    co_return count;
}

async<value::list> next_page(std::shared_ptr<outdated_listing> listing) {
    value::list list;
    for (; list.empty() && !listing->finished; co_await fleet::yield_to_loop()) {
        const auto numbers = listing->systems.page(listing->next, page_max);
        listing->finished = numbers.size() < page_max;
        if (!listing->finished) listing->next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = listing->content.fleet().deps().systems.find(number);
            if (!record || record->stage != enrolment::accepted) continue;
            CO_TRY(const auto outdated, co_await count_outdated(listing, *record));
            if (outdated == 0) continue;
            auto item = listing->content.fleet().overview(*record);
            item.get<value::record>()->push_back({"outdated_pkg_count", outdated});
            list.push_back(std::move(item));
        }
    }
    co_return list;
}

}  // namespace

result<void> software_overview_methods::declare(method_registry& registry) {
    using self = software_overview_methods;
    CHECK_OK(registry.add(
        {read_method(
             "system.listOutOfDateSystems",
             "List systems with upgradable packages",
             {},
             list_of(outdated_shape())),
         handler(this, &self::list_outdated)}));
    CHECK_OK(registry.add(
        {read_method(
             "taskomatic.org.listActiveSchedules",
             "List the synchronization schedules of channels",
             {},
             list_of(anything())),
         handler(this, &self::list_schedules)}));
    return declare_sharing(registry);
}

result<void> software_overview_methods::declare_sharing(method_registry& registry) {
    using self = software_overview_methods;
    const method_defaults family{.prefix = "channel.", .change_right = right::common_edit};
    const auto add = [&](operation operation, async<method_response> (self::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), content_faults()});
    };
    const auto label = argument("label", text());
    const auto organisation = argument("orgId", integer(1, INT32_MAX));
    CHECK_OK(
        add(family.read_method(
                "access.getOrgSharing",
                "Get the sharing of a channel (always public)",
                {channel_label()},
                text()),
            &self::get_sharing));
    CHECK_OK(
        add(family.change_method(
                "access.setOrgSharing",
                "Set the sharing of a channel to public; other values are refused",
                {channel_label(),
                 argument("access", text().with_choices({"public", "private", "protected"}))}),
            &self::set_sharing));
    auto list = read_by_post(family.read_method(
        "org.list",
        "List the organizations with access to a channel (all)",
        {label},
        list_of(anything())));
    list.needed = right::people_read;
    list.within = scope::cluster;
    CHECK_OK(add(std::move(list), &self::list_organisations));
    CHECK_OK(
        add(family.change_method(
                "org.enableAccess",
                "Enable access of an organization to a channel (no effect)",
                {label, organisation}),
            &self::enable));
    return add(
        family.change_method(
            "org.disableAccess",
            "Refused: channels are visible to all organizations",
            {label, organisation}),
        &self::disable);
}

async<method_response> software_overview_methods::list_outdated(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(auto systems, content_.fleet().find_systems(call));
    auto listing = std::make_shared<outdated_listing>(
        outdated_listing{.content = content_, .systems = std::move(systems)});
    co_return method_response{.content = {}, .items = [listing] {
                                  return next_page(listing);
                              }};
}

async<method_response> software_overview_methods::list_schedules(call /*call*/) {
    CO_CHECK_OK(co_await content_.refresh());
    value::list list;
    for (const auto& channel : content_.store().all<content::channel>()) {
        if (channel->schedule.empty()) continue;
        const std::int64_t number = channel->number();
        list.push_back(value::record{
            {"id", number},
            {"job_label", "repo-sync-1-" + std::to_string(number)},
            {"bunch", "repo-sync-bunch"},
            {"active_from", channel->schedule_set ? value(*channel->schedule_set) : value()},
            {"cron_expr", cron_to_quartz(channel->schedule)},
            {"data_map", value::record{{"channel_id", std::to_string(number)}}}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> software_overview_methods::get_sharing(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(content_.channel(call.text("channelLabel")));
    co_return method_response{"public"};
}

async<method_response> software_overview_methods::set_sharing(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(content_.channel(call.text("channelLabel")));
    if (call.text("access") != "public") co_return fail(errc::conflict, only_public);
    co_return method_response{1};
}

async<method_response> software_overview_methods::list_organisations(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(content_.channel(call.text("label")));
    CO_TRY(const auto organisations, co_await organisations_.all());
    value::list list;
    for (const auto& organisation : organisations)
        list.push_back(value::record{
            {"org_id", organisation.number},
            {"org_name", organisation.name},
            {"access_enabled", true}});
    co_return method_response{std::move(list)};
}

async<method_response> software_overview_methods::enable(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(content_.channel(call.text("label")));
    CO_CHECK_OK(co_await organisations_.find(call.integer("orgId")));
    co_return method_response{1};
}

async<method_response> software_overview_methods::disable(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(content_.channel(call.text("label")));
    co_return fail(errc::conflict, only_public);
}

}  // namespace muster::xmlrpc_api
