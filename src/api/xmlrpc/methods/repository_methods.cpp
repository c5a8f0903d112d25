#include "api/xmlrpc/methods/repository_methods.h"

#include "api/xmlrpc/methods/quartz.h"
#include "ports/deadline.h"
#include "services/content/sync_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using api::engine_timeout;
using content::content_repository;
using content::repository_ref;

namespace {

constexpr std::int64_t address_invalid = 1;
constexpr std::int64_t channels_of_call_max = 64;

operation editing(
    std::string name,
    std::string summary,
    std::vector<parameter> takes,
    shape gives = integer(1, 1)) {
    return changing(
        "channel.software." + std::move(name),
        std::move(summary),
        std::move(takes),
        right::common_edit,
        std::move(gives));
}

value told(const content_repository& of) {
    return value::record{
        {"id", std::int64_t{of.row.number}},
        {"label", of.label()},
        {"sourceUrl", of.url},
        {"type", of.kind},
        {"hasSignedMetadata", false},
        {"sslContentSources", value::list()}};
}

// From `params`, whose other members may only ask for what is done anyway: all packages of a
// repository, and nothing of a channel whose repository cannot be read.
result<bool> wants_errata(const call& call) {
    if (call.arguments().find("params") == nullptr) return true;
    struct_reader struct_reader(call, "params");
    const bool without = struct_reader.flag("no-errata").value_or(false);
    struct_reader.flag("fail");
    for (const char* const each : {"latest", "sync-kickstart"}) {
        if (struct_reader.flag(each).value_or(false))
            return fail(
                errc::invalid, fmt::format("`{}` is not supported, it must be false", each));
    }
    CHECK_OK(struct_reader.finish());
    return !without;
}

}  // namespace

result<void> repository_methods::declare(method_registry& to) {
    const fault_codes codes{.conflict = address_invalid, .invalid = address_invalid};
    const auto add = [&](operation operation, async<answer> (repository_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes});
    };
    const auto some = list_of(anything());
    CHECK_OK(
        add(asking("channel.software.listUserRepos", "All repositories", {}, some),
            &repository_methods::list));
    CHECK_OK(
        add(asking(
                "channel.software.listChannelRepos",
                "The repositories of a channel",
                {channel_label()},
                some),
            &repository_methods::list_of_channel));
    CHECK_OK(
        add(asking(
                "channel.software.getRepoDetails",
                "A repository",
                {channel_label("repoLabel")},
                anything()),
            &repository_methods::get_details));
    CHECK_OK(
        add(asking(
                "channel.software.getRepoDetails",
                "A repository",
                {argument("id", content_number())},
                anything()),
            &repository_methods::get_details));
    auto create = editing(
        "createRepo",
        "Makes a repository known",
        {channel_label("label"), argument("type", text()), argument("url", text())},
        anything());
    CHECK_OK(add(create, &repository_methods::create));
    for (const char* const name : {"sslCaCert", "sslCliCert", "sslCliKey"}) {
        create.takes.push_back(argument(name, text()));
        create.takes.back().secret = true;
    }
    CHECK_OK(add(create, &repository_methods::create));
    create.takes.push_back(argument("hasSignedMetadata", flag()));
    CHECK_OK(add(std::move(create), &repository_methods::create));
    for (const auto& which : {channel_label("label"), argument("id", content_number())}) {
        CHECK_OK(
            add(editing("removeRepo", "Forgets a repository that no channel has", {which}),
                &repository_methods::remove));
        CHECK_OK(
            add(editing(
                    "updateRepoUrl",
                    "Gives a repository another address",
                    {which, argument("url", text())},
                    anything()),
                &repository_methods::set_url));
    }
    const std::vector<parameter> both{channel_label(), channel_label("repoLabel")};
    CHECK_OK(
        add(editing("associateRepo", "Gives a channel a repository", both, anything()),
            &repository_methods::associate));
    CHECK_OK(
        add(editing("disassociateRepo", "Takes a repository off a channel", both, anything()),
            &repository_methods::disassociate));
    return declare_syncs(to);
}

result<void> repository_methods::declare_syncs(method_registry& to) {
    const auto add = [&](std::vector<parameter> takes, bool by_schedule) {
        const char* const summary =
            by_schedule ? "Sets when a channel is brought up to its repositories by itself"
                        : "Brings a channel up to its repositories, in the background";
        return to.add(
            {editing("syncRepo", summary, std::move(takes)),
             done_by(
                 this, by_schedule ? &repository_methods::set_schedule : &repository_methods::sync),
             content_faults()});
    };
    const auto channel = channel_label();
    const auto schedule = argument("cronExpr", text());
    const auto parameters = argument("params", some_struct());
    CHECK_OK(add({argument("channelLabels", list_of(api::name(), channels_of_call_max))}, false));
    CHECK_OK(add({channel}, false));
    CHECK_OK(add({channel, parameters}, false));
    CHECK_OK(add({channel, schedule}, true));
    CHECK_OK(add({channel, schedule, parameters}, true));
    return to.add(
        {asking(
             "channel.software.getRepoSyncCronExpression",
             "When a channel is brought up by itself; an empty text: never",
             {channel},
             text()),
         done_by(this, &repository_methods::get_schedule),
         content_faults()});
}

result<repository_ref> repository_methods::find(const call& call, std::string_view argument) const {
    const auto* const given = call.arguments().find(argument);
    const auto* const number = given->get<std::int64_t>();
    auto match = number == nullptr
                     ? view_.books().find<content_repository>(call.text(argument))
                     : view_.books().find<content_repository>(static_cast<std::uint32_t>(*number));
    if (!match) return fail(errc::not_found, "There is no such repository");
    return match;
}

async<answer> repository_methods::list(call /*asked*/) {
    CO_CHECK_OK(co_await view_.catch_up());
    co_return told_one_by_one<repository_ref>(
        view_.books().all<content_repository>(), [](const repository_ref& repository_ref) -> value {
            return value::record{
                {"id", std::int64_t{repository_ref->row.number}},
                {"label", repository_ref->label()},
                {"sourceUrl", repository_ref->url}};
        });
}

async<answer> repository_methods::list_of_channel(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto of, view_.channel(call.text("channelLabel")));
    value::list list;
    for (const auto& repository : of->repositories)
        if (const auto match = view_.books().find<content_repository>(repository))
            list.push_back(told(*match));
    co_return answer{std::move(list)};
}

async<answer> repository_methods::get_details(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto match, find(call, by_number ? "id" : "repoLabel"));
    co_return answer{told(*match)};
}

async<answer> repository_methods::create(call call) {
    call.set_subject(call.text("label"));
    for (const char* const name : {"sslCaCert", "sslCliCert", "sslCliKey"}) {
        const auto* const given = call.arguments().find(name);
        if (given != nullptr && !call.text(name).empty())
            co_return fail(
                errc::invalid,
                "certificates of a repository's own are not supported; the server trusts what its "
                "machine trusts");
    }
    auto work = view_.service().create_repository(
        call.text("label"), call.text("type"), call.text("url"), call.who().user);
    CO_TRY(const auto result, co_await std::move(work));
    co_return answer{told(*result)};
}

async<answer> repository_methods::remove(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto gone, find(call, by_number ? "id" : "label"));
    call.set_subject(gone->label());
    CO_CHECK_OK(co_await view_.service().remove_repository(gone->label(), call.who().user));
    co_return answer{1};
}

async<answer> repository_methods::set_url(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto which, find(call, by_number ? "id" : "label"));
    call.set_subject(which->label());
    auto work = view_.service().change_repository(
        which->label(),
        call.who().user,
        [url = call.text("url")](content_repository& of) -> result<void> {
            of.url = url;
            return {};
        });
    CO_TRY(const auto result, co_await std::move(work));
    co_return answer{told(*result)};
}

async<answer> repository_methods::associate(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto which, find(call, "repoLabel"));
    call.set_subject(call.text("channelLabel") + ": " + which->label());
    auto work = view_.service().change(
        call.text("channelLabel"),
        call.who().user,
        [label = which->label()](content::channel& of) -> result<void> {
            if (std::ranges::count(of.repositories, label) == 0) of.repositories.push_back(label);
            return {};
        });
    CO_TRY(const auto result, co_await std::move(work));
    co_return answer{view_.details(*result)};
}

async<answer> repository_methods::disassociate(call call) {
    call.set_subject(call.text("channelLabel") + ": " + call.text("repoLabel"));
    auto work = view_.service().change(
        call.text("channelLabel"),
        call.who().user,
        [label = call.text("repoLabel")](content::channel& of) -> result<void> {
            std::erase(of.repositories, label);
            return {};
        });
    CO_TRY(const auto result, co_await std::move(work));
    co_return answer{view_.details(*result)};
}

async<answer> repository_methods::sync(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const bool errata, wants_errata(call));
    std::vector<std::string> desired;
    if (call.arguments().find("channelLabels") != nullptr)
        desired = labels_in(call, "channelLabels");
    else
        desired.push_back(call.text("channelLabel"));
    for (const auto& each : desired) {
        CO_TRY(const auto which, view_.channel(each));
        if (which->repositories.empty())
            co_return fail(
                errc::invalid,
                fmt::format("The channel {} has no repository; associateRepo gives it one", each));
    }
    for (const auto& each : desired) {
        auto work = view_.around().syncs.request(
            {.channel = each, .by = call.who().user, .with_errata = errata});
        CO_CHECK_OK(co_await within(view_.around().clock, engine_timeout, std::move(work)));
        call.set_partly_done();
    }
    co_return answer{1};
}

async<answer> repository_methods::set_schedule(call call) {
    call.set_subject(call.text("channelLabel"));
    CO_TRY(const bool errata, wants_errata(call));
    if (!errata)
        co_return fail(
            errc::invalid, "`no-errata` is for one time only: a schedule brings errata too");
    std::string schedule;
    if (!call.text("cronExpr").empty()) {
        CO_TRY(schedule, cron_of_quartz(call.text("cronExpr")));
        CO_CHECK_OK(content::check_schedule(schedule));
    }
    auto work = view_.service().change(
        call.text("channelLabel"),
        call.who().user,
        [schedule, now = view_.around().clock.wall()](content::channel& of) -> result<void> {
            of.schedule = schedule;
            of.schedule_set = now;
            return {};
        });
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> repository_methods::get_schedule(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto which, view_.channel(call.text("channelLabel")));
    co_return answer{which->schedule.empty() ? "" : quartz_of_cron(which->schedule)};
}

}  // namespace muster::xmlrpc_api
