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

constexpr std::size_t orphans_at_once = 100;

bool lies_between(wall_time when, const call& call) {
    const auto* const from = call.arguments().find("startDate");
    const auto* const until = call.arguments().find("endDate");
    if (from != nullptr && when < *from->get<wall_time>()) return false;
    return until == nullptr || when <= *until->get<wall_time>();
}

parameter start_date() {
    return argument("startDate", api::time());
}
parameter end_date() {
    return argument("endDate", api::time());
}

// Packages of no channel, of which more is read than lists have in memory.
struct orphan_listing {
    const content::content_store& books;
    std::vector<package_ref> all;
    std::size_t next = 0;
};

async<value::list> next_orphans(std::shared_ptr<orphan_listing> of) {
    value::list list;
    while (of->next < of->all.size() && list.size() < orphans_at_once) {
        const auto each = of->all[of->next++];
        const auto row = co_await of->books.read_package(each->number);
        if (!row && row.error().code() == errc::not_found) continue;
        if (!row) co_return fail(row.error());
        auto entry = package_entry(*each);
        auto& members = *entry.get<value::record>();
        std::erase_if(members, [](const member& member) { return member.name == "last_modified"; });
        members.push_back({"last_modified", each->changed});
        members.push_back({"path", row->details.path});
        members.push_back({"part_of_retracted_patch", false});
        members.push_back({"provider", ""});
        list.push_back(std::move(entry));
    }
    co_return list;
}

}  // namespace

result<void> channel_methods::declare(method_registry& to) {
    CHECK_OK(declare_lists(to));
    CHECK_OK(declare_questions(to));
    CHECK_OK(declare_making(to));
    return declare_changes(to);
}

result<void> channel_methods::declare_lists(method_registry& to) {
    const auto some = list_of(anything());
    CHECK_OK(to.add(
        {asking("channel.listSoftwareChannels", "All software channels", {}, some),
         done_by(this, &channel_methods::list_software)}));
    for (const char* const name :
         {"channel.listAllChannels",
          "channel.listManageableChannels",
          "channel.listMyChannels",
          "channel.listPopularChannels"}) {
        auto listing = asking(name, "Software channels, with how much they hold", {}, some);
        if (std::string_view(name) == "channel.listPopularChannels")
            listing.takes = {argument("popularityCount", integer(0, UINT32_MAX))};
        CHECK_OK(to.add({std::move(listing), done_by(this, &channel_methods::list_all)}));
    }
    CHECK_OK(to.add(
        {asking("channel.listVendorChannels", "Channels of a vendor: there are none", {}, some),
         done_by(this, &channel_methods::list_vendors)}));
    CHECK_OK(to.add(
        {asking("channel.software.listArches", "What channels can be made for", {}, some),
         done_by(this, &channel_methods::list_arches)}));
    CHECK_OK(to.add(
        {asking_by_post(asking(
             "kickstart.tree.list",
             "What systems can be installed from: nothing is kept for that",
             {channel_label()},
             some)),
         done_by(this, &channel_methods::list_trees),
         content_faults()}));
    return to.add(
        {asking("proxy.listProxies", "Systems that are proxies: none is", {}, some),
         done_by(this, &channel_methods::list_proxies)});
}

result<void> channel_methods::declare_questions(method_registry& to) {
    const auto add = [&](operation operation, async<answer> (channel_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), content_faults()});
    };
    const auto some = list_of(anything());
    auto details =
        asking("channel.software.getDetails", "A channel", {channel_label()}, anything());
    CHECK_OK(add(details, &channel_methods::get_details));
    details.takes = {argument("id", content_number())};
    CHECK_OK(add(std::move(details), &channel_methods::get_details));
    CHECK_OK(add(
        asking("channel.software.listChildren", "The channels below one", {channel_label()}, some),
        &channel_methods::list_children));
    CHECK_OK(
        add(asking(
                "channel.software.listSubscribedSystems",
                "The systems that have a channel",
                {channel_label()},
                some),
            &channel_methods::list_systems));
    auto packages = asking(
        "channel.software.listAllPackages", "The packages of a channel", {channel_label()}, some);
    auto errata =
        asking("channel.software.listErrata", "The errata of a channel", {channel_label()}, some);
    for (const auto& further : {std::vector<parameter>(), {start_date()}, {end_date()}}) {
        packages.takes.insert(packages.takes.end(), further.begin(), further.end());
        errata.takes.insert(errata.takes.end(), further.begin(), further.end());
        CHECK_OK(add(packages, &channel_methods::list_packages));
        CHECK_OK(add(errata, &channel_methods::list_errata));
    }
    errata.takes.push_back(argument("lastModified", flag()));
    CHECK_OK(add(std::move(errata), &channel_methods::list_errata));
    CHECK_OK(
        add(asking(
                "channel.software.listLatestPackages",
                "The newest packages of a channel",
                {channel_label()},
                some),
            &channel_methods::list_latest));
    return add(
        asking(
            "channel.software.listPackagesWithoutChannel",
            "Packages that no channel has",
            {},
            some),
        &channel_methods::list_orphans);
}

async<answer> channel_methods::list_software(call /*asked*/) {
    CO_CHECK_OK(co_await view_.catch_up());
    co_return told_one_by_one<channel_ref>(
        view_.books().all<content::channel>(), [](const channel_ref& channel_ref) -> value {
            return value::record{
                {"label", channel_ref->label()},
                {"name", channel_ref->name},
                {"parent_label", channel_ref->parent},
                {"end_of_life", ""},
                {"arch", content::package_arch_of(channel_ref->arch)}};
        });
}

async<answer> channel_methods::list_all(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto systems, view_.fleet().meant(call));
    std::map<std::string, std::int64_t> counted;
    for (const auto& each : view_.books().all<content::subscription>()) {
        if (!systems.contains(system_number(each->row.number))) continue;
        for (const auto& label : each->labels()) ++counted[label];
    }
    const auto least =
        call.arguments().find("popularityCount") == nullptr ? 0 : call.integer("popularityCount");
    co_return told_one_by_one<channel_ref>(
        view_.books().all<content::channel>(),
        [counted = std::move(counted), least](const channel_ref& channel_ref) -> value {
            const auto it = counted.find(channel_ref->label());
            const auto has = it == counted.end() ? 0 : it->second;
            if (has < least) return {};
            const auto* const arch = content::find_arch(channel_ref->arch);
            return value::record{
                {"id", std::int64_t{channel_ref->number()}},
                {"label", channel_ref->label()},
                {"name", channel_ref->name},
                {"provider_name", ""},
                {"packages", static_cast<std::int64_t>(channel_ref->row.packages.size())},
                {"systems", has},
                {"arch_name", std::string(arch == nullptr ? "" : arch->name)}};
        });
}

async<answer> channel_methods::list_vendors(call /*asked*/) {
    co_return answer{value::list()};
}

async<answer> channel_methods::list_proxies(call /*asked*/) {
    co_return answer{value::list()};
}

async<answer> channel_methods::list_trees(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_CHECK_OK(view_.channel(call.text("channelLabel")));
    co_return answer{value::list()};
}

async<answer> channel_methods::list_arches(call /*asked*/) {
    value::list list;
    for (const auto& channel_arch : content::channel_arches())
        list.push_back(value::record{
            {"name", std::string(channel_arch.name)}, {"label", std::string(channel_arch.label)}});
    co_return answer{std::move(list)};
}

async<answer> channel_methods::get_details(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto match, view_.channel_in(call, by_number ? "id" : "channelLabel"));
    co_return answer{view_.details(*match)};
}

async<answer> channel_methods::list_children(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto above, view_.channel(call.text("channelLabel")));
    value::list list;
    for (const auto& each : view_.books().all<content::channel>())
        if (each->parent == above->label()) list.push_back(view_.details(*each));
    co_return answer{std::move(list)};
}

async<answer> channel_methods::list_systems(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.channel(call.text("channelLabel")));
    CO_TRY(const auto systems, view_.fleet().meant(call));
    co_return view_.fleet().list(view_.subscribed(systems, match->label()));
}

async<answer> channel_methods::list_packages(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.channel(call.text("channelLabel")));
    co_return told_one_by_one<package_ref>(
        view_.books().packages_of(match->row.packages), [call](const package_ref& package_ref) {
            return lies_between(package_ref->changed, call) ? package_entry(*package_ref) : value();
        });
}

async<answer> channel_methods::list_latest(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.channel(call.text("channelLabel")));
    const auto shelf = view_.books().shelf_of({match->label()});
    co_return told_one_by_one<packages::offer_ref>(
        shelf->newest_of_all(), [&books = view_.books()](const packages::offer_ref& offer_ref) {
            const auto package = books.find_package(offer_ref->number);
            return package ? package_entry(*package) : value();
        });
}

async<answer> channel_methods::list_orphans(call /*asked*/) {
    CO_CHECK_OK(co_await view_.catch_up());
    auto listing = std::make_shared<orphan_listing>(
        orphan_listing{.books = view_.books(), .all = view_.service().packages_without_channel()});
    co_return answer{.content = {}, .items = [listing] {
                         return next_orphans(listing);
                     }};
}

async<answer> channel_methods::list_errata(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.channel(call.text("channelLabel")));
    const bool modified = call.operation().takes.size() == 4 && call.flag("lastModified");
    std::vector<erratum_ref> all;
    for (const auto number : match->row.errata)
        if (auto each = view_.books().find<content::erratum>(number))
            all.push_back(std::move(each));
    co_return told_one_by_one<erratum_ref>(
        std::move(all), [call, modified](const erratum_ref& erratum_ref) {
            const auto when =
                modified ? erratum_ref->row.changed : erratum_ref->issued.value_or(wall_time());
            return lies_between(when, call) ? erratum_overview(*erratum_ref) : value();
        });
}

}  // namespace muster::xmlrpc_api
