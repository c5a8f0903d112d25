#include "api/xmlrpc/methods/channel_methods.h"

#include "services/content/architectures.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::channel_ref;
using content::erratum_ref;
using content::package_ref;

namespace {

constexpr std::size_t orphans_page = 100;

bool is_in_period(wall_time time, const call& call) {
    const auto* const start = call.arguments().find("startDate");
    const auto* const end = call.arguments().find("endDate");
    if (start != nullptr && time < *start->get<wall_time>()) return false;
    return end == nullptr || time <= *end->get<wall_time>();
}

parameter start_date() {
    return argument("startDate", api::time());
}
parameter end_date() {
    return argument("endDate", api::time());
}

// Packages without a channel. Their details are read from the ledger.
struct orphan_listing {
    const content::content_store& store;
    std::vector<package_ref> packages;
    std::size_t next = 0;
};

async<value::list> next_orphans(std::shared_ptr<orphan_listing> listing) {
    value::list list;
    while (listing->next < listing->packages.size() && list.size() < orphans_page) {
        const auto package = listing->packages[listing->next++];
        const auto row = co_await listing->store.read_package(package->number);
        if (!row && row.error().code() == errc::not_found) continue;
        if (!row) co_return fail(row.error());
        auto entry = package_entry(*package);
        auto& members = *entry.get<value::record>();
        std::erase_if(members, [](const member& member) { return member.name == "last_modified"; });
        members.push_back({"last_modified", package->changed});
        members.push_back({"path", row->details.path});
        members.push_back({"part_of_retracted_patch", false});
        members.push_back({"provider", ""});
        list.push_back(std::move(entry));
    }
    co_return list;
}

}  // namespace

result<void> channel_methods::declare(method_registry& registry) {
    CHECK_OK(declare_lists(registry));
    CHECK_OK(declare_queries(registry));
    CHECK_OK(declare_creation(registry));
    return declare_changes(registry);
}

result<void> channel_methods::declare_lists(method_registry& registry) {
    const auto list = list_of(anything());
    CHECK_OK(registry.add(
        {read_method("channel.listSoftwareChannels", "List all software channels", {}, list),
         handler(this, &channel_methods::list_software)}));
    for (const char* const name :
         {"channel.listAllChannels",
          "channel.listManageableChannels",
          "channel.listMyChannels",
          "channel.listPopularChannels"}) {
        auto method =
            read_method(name, "List software channels with package and system counts", {}, list);
        if (std::string_view(name) == "channel.listPopularChannels")
            method.takes = {argument("popularityCount", integer(0, UINT32_MAX))};
        CHECK_OK(registry.add({std::move(method), handler(this, &channel_methods::list_all)}));
    }
    CHECK_OK(registry.add(
        {read_method("channel.listVendorChannels", "List vendor channels (always empty)", {}, list),
         handler(this, &channel_methods::list_vendors)}));
    CHECK_OK(registry.add(
        {read_method("channel.software.listArches", "List channel architectures", {}, list),
         handler(this, &channel_methods::list_arches)}));
    CHECK_OK(registry.add(
        {read_by_post(read_method(
             "kickstart.tree.list",
             "List kickstart trees (always empty)",
             {channel_label()},
             list)),
         handler(this, &channel_methods::list_trees),
         content_faults()}));
    return registry.add(
        {read_method("proxy.listProxies", "List proxies (always empty)", {}, list),
         handler(this, &channel_methods::list_proxies)});
}

result<void> channel_methods::declare_queries(method_registry& registry) {
    const auto add = [&](operation operation,
                         async<method_response> (channel_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), content_faults()});
    };
    const auto list = list_of(anything());
    auto details =
        read_method("channel.software.getDetails", "Get a channel", {channel_label()}, anything());
    CHECK_OK(add(details, &channel_methods::get_details));
    details.takes = {argument("id", content_number())};
    CHECK_OK(add(std::move(details), &channel_methods::get_details));
    CHECK_OK(
        add(read_method(
                "channel.software.listChildren",
                "List the child channels of a channel",
                {channel_label()},
                list),
            &channel_methods::list_children));
    CHECK_OK(
        add(read_method(
                "channel.software.listSubscribedSystems",
                "List the systems subscribed to a channel",
                {channel_label()},
                list),
            &channel_methods::list_systems));
    auto packages = read_method(
        "channel.software.listAllPackages",
        "List the packages of a channel",
        {channel_label()},
        list);
    auto errata = read_method(
        "channel.software.listErrata", "List the errata of a channel", {channel_label()}, list);
    for (const auto& extra : {std::vector<parameter>(), {start_date()}, {end_date()}}) {
        packages.takes.insert(packages.takes.end(), extra.begin(), extra.end());
        errata.takes.insert(errata.takes.end(), extra.begin(), extra.end());
        CHECK_OK(add(packages, &channel_methods::list_packages));
        CHECK_OK(add(errata, &channel_methods::list_errata));
    }
    errata.takes.push_back(argument("lastModified", flag()));
    CHECK_OK(add(std::move(errata), &channel_methods::list_errata));
    CHECK_OK(
        add(read_method(
                "channel.software.listLatestPackages",
                "List the latest packages of a channel",
                {channel_label()},
                list),
            &channel_methods::list_latest));
    return add(
        read_method(
            "channel.software.listPackagesWithoutChannel",
            "List packages without a channel",
            {},
            list),
        &channel_methods::list_orphans);
}

async<method_response> channel_methods::list_software(call /*call*/) {
    CO_CHECK_OK(co_await content_.refresh());
    co_return paged_list<channel_ref>(
        content_.store().all<content::channel>(), [](const channel_ref& channel) -> value {
            return value::record{
                {"label", channel->label()},
                {"name", channel->name},
                {"parent_label", channel->parent},
                {"end_of_life", ""},
                {"arch", content::package_arch_of(channel->arch)}};
        });
}

async<method_response> channel_methods::list_all(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto systems, content_.fleet().find_systems(call));
    std::map<std::string, std::int64_t> system_counts;
    for (const auto& subscription : content_.store().all<content::subscription>()) {
        if (!systems.contains(system_number(subscription->row.number))) continue;
        for (const auto& label : subscription->labels()) ++system_counts[label];
    }
    const auto count_min =
        call.arguments().find("popularityCount") == nullptr ? 0 : call.integer("popularityCount");
    co_return paged_list<channel_ref>(
        content_.store().all<content::channel>(),
        [system_counts = std::move(system_counts), count_min](const channel_ref& channel) -> value {
            const auto it = system_counts.find(channel->label());
            const auto count = it == system_counts.end() ? 0 : it->second;
            if (count < count_min) return {};
            const auto* const arch = content::find_arch(channel->arch);
            return value::record{
                {"id", std::int64_t{channel->number()}},
                {"label", channel->label()},
                {"name", channel->name},
                {"provider_name", ""},
                {"packages", static_cast<std::int64_t>(channel->row.packages.size())},
                {"systems", count},
                {"arch_name", std::string(arch == nullptr ? "" : arch->name)}};
        });
}

async<method_response> channel_methods::list_vendors(call /*call*/) {
    co_return method_response{value::list()};
}

async<method_response> channel_methods::list_proxies(call /*call*/) {
    co_return method_response{value::list()};
}

async<method_response> channel_methods::list_trees(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(content_.channel(call.text("channelLabel")));
    co_return method_response{value::list()};
}

async<method_response> channel_methods::list_arches(call /*call*/) {
    value::list list;
    for (const auto& channel_arch : content::channel_arches())
        list.push_back(value::record{
            {"name", std::string(channel_arch.name)}, {"label", std::string(channel_arch.label)}});
    co_return method_response{std::move(list)};
}

async<method_response> channel_methods::get_details(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto match, content_.find_channel(call, by_number ? "id" : "channelLabel"));
    co_return method_response{content_.details(*match)};
}

async<method_response> channel_methods::list_children(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto parent, content_.channel(call.text("channelLabel")));
    value::list list;
    for (const auto& child : content_.store().all<content::channel>())
        if (child->parent == parent->label()) list.push_back(content_.details(*child));
    co_return method_response{std::move(list)};
}

async<method_response> channel_methods::list_systems(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.channel(call.text("channelLabel")));
    CO_TRY(const auto systems, content_.fleet().find_systems(call));
    co_return content_.fleet().list(content_.filter_subscribed(systems, match->label()));
}

async<method_response> channel_methods::list_packages(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.channel(call.text("channelLabel")));
    co_return paged_list<package_ref>(
        content_.store().packages_of(match->row.packages), [call](const package_ref& package) {
            return is_in_period(package->changed, call) ? package_entry(*package) : value();
        });
}

async<method_response> channel_methods::list_latest(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.channel(call.text("channelLabel")));
    const auto available = content_.store().shelf_of({match->label()});
    co_return paged_list<packages::offer_ref>(
        available->newest_of_all(), [&store = content_.store()](const packages::offer_ref& offer) {
            const auto package = store.find_package(offer->number);
            return package ? package_entry(*package) : value();
        });
}

async<method_response> channel_methods::list_orphans(call /*call*/) {
    CO_CHECK_OK(co_await content_.refresh());
    auto listing = std::make_shared<orphan_listing>(orphan_listing{
        .store = content_.store(), .packages = content_.service().packages_without_channel()});
    co_return method_response{.content = {}, .items = [listing] {
                                  return next_orphans(listing);
                              }};
}

async<method_response> channel_methods::list_errata(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.channel(call.text("channelLabel")));
    const bool by_change = call.operation().takes.size() == 4 && call.flag("lastModified");
    std::vector<erratum_ref> errata;
    for (const auto number : match->row.errata)
        if (auto erratum = content_.store().find<content::erratum>(number))
            errata.push_back(std::move(erratum));
    co_return paged_list<erratum_ref>(
        std::move(errata), [call, by_change](const erratum_ref& erratum) {
            const auto time =
                by_change ? erratum->row.changed : erratum->issued.value_or(wall_time());
            return is_in_period(time, call) ? erratum_overview(*erratum) : value();
        });
}

}  // namespace muster::xmlrpc_api
