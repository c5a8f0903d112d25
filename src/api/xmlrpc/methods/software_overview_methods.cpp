#include "api/xmlrpc/methods/software_overview_methods.h"

#include "api/xmlrpc/methods/quartz.h"
#include "core/packages/available_packages.h"
#include "services/fleet/let_others_run.h"

#include <map>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::size_t piece_items = 500;
constexpr const char* only_public =
    "Channels are there for all organizations; what somebody may do is said by roles and zones";

shape outdated_shape() {
    return record_of(
        {required("id", system_id()),
         required("name", text()),
         optional("last_checkin", api::time()),
         required("created", api::time()),
         required("outdated_pkg_count", integer(1))});
}

// Those that are behind, in the making. What many systems have in common is counted once.
struct outdated_listing {
    const content_query& view;
    fleet::system_set systems;
    std::map<std::pair<std::string, std::vector<std::string>>, std::int64_t> counts = {};
    system_number next = system_number(1);
    bool over = false;
};

async<std::int64_t> outdated_on(std::shared_ptr<outdated_listing> among, system_record system) {
    const auto& view = among->view;
    auto digest = view.digest_of(system);
    if (digest.empty()) co_return 0;
    const std::pair standing{std::move(digest), view.labels_of(system)};
    const auto it = among->counts.find(standing);
    if (it != among->counts.end()) co_return it->second;
    CO_TRY(const auto installed, co_await view.installed_on(system));
    const auto behind = packages::upgrades_of(*installed, *view.shelf_of(system));
    const auto count = static_cast<std::int64_t>(behind.size());
    among->counts.emplace(standing, count);
    co_await fleet::let_others_run();
    co_return count;
}

async<value::list> next_piece(std::shared_ptr<outdated_listing> of) {
    value::list list;
    for (; list.empty() && !of->over; co_await fleet::let_others_run()) {
        const auto numbers = of->systems.page(of->next, piece_items);
        of->over = numbers.size() < piece_items;
        if (!of->over) of->next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = of->view.fleet().around().systems.find(number);
            if (!record || record->stage != enrolment::accepted) continue;
            CO_TRY(const auto behind, co_await outdated_on(of, *record));
            if (behind == 0) continue;
            auto item = of->view.fleet().overview(*record);
            item.get<value::record>()->push_back({"outdated_pkg_count", behind});
            list.push_back(std::move(item));
        }
    }
    co_return list;
}

}  // namespace

result<void> software_overview_methods::declare(method_registry& to) {
    using self = software_overview_methods;
    CHECK_OK(to.add(
        {asking(
             "system.listOutOfDateSystems",
             "Systems of whose packages their channels have newer ones",
             {},
             list_of(outdated_shape())),
         done_by(this, &self::list_outdated)}));
    CHECK_OK(to.add(
        {asking(
             "taskomatic.org.listActiveSchedules",
             "When channels are brought up by themselves",
             {},
             list_of(anything())),
         done_by(this, &self::list_schedules)}));
    return declare_sharing(to);
}

result<void> software_overview_methods::declare_sharing(method_registry& to) {
    using self = software_overview_methods;
    const method_defaults family{.prefix = "channel.", .changes = right::common_edit};
    const auto add = [&](operation operation, async<answer> (self::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), content_faults()});
    };
    const auto label = argument("label", text());
    const auto organisation = argument("orgId", integer(1, INT32_MAX));
    CHECK_OK(add(
        family.reading(
            "access.getOrgSharing", "Who may use a channel: everybody", {channel_label()}, text()),
        &self::get_sharing));
    CHECK_OK(
        add(family.changing(
                "access.setOrgSharing",
                "Says that everybody may use a channel, and nothing else",
                {channel_label(),
                 argument("access", text().with_choices({"public", "private", "protected"}))}),
            &self::set_sharing));
    auto listing = asking_by_post(family.reading(
        "org.list",
        "The organizations, all of which have a channel",
        {label},
        list_of(anything())));
    listing.needed = right::people_read;
    listing.within = scope::cluster;
    CHECK_OK(add(std::move(listing), &self::list_organisations));
    CHECK_OK(
        add(family.changing(
                "org.enableAccess",
                "Says that an organization has a channel, which it has",
                {label, organisation}),
            &self::enable));
    return add(
        family.changing(
            "org.disableAccess",
            "Is refused: a channel is there for all organizations",
            {label, organisation}),
        &self::disable);
}

async<answer> software_overview_methods::list_outdated(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(auto systems, view_.fleet().meant(call));
    auto result = std::make_shared<outdated_listing>(
        outdated_listing{.view = view_, .systems = std::move(systems)});
    co_return answer{.content = {}, .items = [result] {
                         return next_piece(result);
                     }};
}

async<answer> software_overview_methods::list_schedules(call /*asked*/) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list list;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (each->schedule.empty()) continue;
        const std::int64_t number = each->number();
        list.push_back(value::record{
            {"id", number},
            {"job_label", "repo-sync-1-" + std::to_string(number)},
            {"bunch", "repo-sync-bunch"},
            {"active_from", each->schedule_set ? value(*each->schedule_set) : value()},
            {"cron_expr", quartz_of_cron(each->schedule)},
            {"data_map", value::record{{"channel_id", std::to_string(number)}}}});
    }
    co_return answer{std::move(list)};
}

async<answer> software_overview_methods::get_sharing(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_CHECK_OK(view_.channel(call.text("channelLabel")));
    co_return answer{"public"};
}

async<answer> software_overview_methods::set_sharing(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_CHECK_OK(view_.channel(call.text("channelLabel")));
    if (call.text("access") != "public") co_return fail(errc::conflict, only_public);
    co_return answer{1};
}

async<answer> software_overview_methods::list_organisations(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_CHECK_OK(view_.channel(call.text("label")));
    CO_TRY(const auto all, co_await known_.all());
    value::list list;
    for (const auto& each : all)
        list.push_back(value::record{
            {"org_id", each.number}, {"org_name", each.name}, {"access_enabled", true}});
    co_return answer{std::move(list)};
}

async<answer> software_overview_methods::enable(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_CHECK_OK(view_.channel(call.text("label")));
    CO_CHECK_OK(co_await known_.find(call.integer("orgId")));
    co_return answer{1};
}

async<answer> software_overview_methods::disable(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_CHECK_OK(view_.channel(call.text("label")));
    co_return fail(errc::conflict, only_public);
}

}  // namespace muster::xmlrpc_api
