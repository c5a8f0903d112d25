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

constexpr std::int64_t invalid_address_fault = 1;
constexpr std::int64_t channels_of_call_max = 64;

operation edit_method(
    std::string name,
    std::string summary,
    std::vector<parameter> parameters,
    shape response = integer(1, 1)) {
    return change_method(
        "channel.software." + std::move(name),
        std::move(summary),
        std::move(parameters),
        right::common_edit,
        std::move(response));
}

value to_value(const content_repository& repository) {
    return value::record{
        {"id", std::int64_t{repository.row.number}},
        {"label", repository.label()},
        {"sourceUrl", repository.url},
        {"type", repository.kind},
        {"hasSignedMetadata", false},
        {"sslContentSources", value::list()}};
}

// Reads `params`. Its other members may only ask for the default: all packages of a repository, and
// no change of a channel whose repository cannot be read.
result<bool> wants_errata(const call& call) {
    if (call.arguments().find("params") == nullptr) return true;
    struct_reader reader(call, "params");
    const bool skip_errata = reader.flag("no-errata").value_or(false);
    reader.flag("fail");
    for (const char* const name : {"latest", "sync-kickstart"}) {
        if (reader.flag(name).value_or(false))
            return fail(
                errc::invalid, fmt::format("`{}` is not supported and must be false", name));
    }
    CHECK_OK(reader.finish());
    return !skip_errata;
}

}  // namespace

result<void> repository_methods::declare(method_registry& registry) {
    const fault_codes codes{.conflict = invalid_address_fault, .invalid = invalid_address_fault};
    const auto add = [&](operation operation,
                         async<method_response> (repository_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes});
    };
    const auto list = list_of(anything());
    CHECK_OK(
        add(read_method("channel.software.listUserRepos", "List repositories", {}, list),
            &repository_methods::list));
    CHECK_OK(
        add(read_method(
                "channel.software.listChannelRepos",
                "List the repositories of a channel",
                {channel_label()},
                list),
            &repository_methods::list_of_channel));
    CHECK_OK(
        add(read_method(
                "channel.software.getRepoDetails",
                "Get a repository",
                {channel_label("repoLabel")},
                anything()),
            &repository_methods::get_details));
    CHECK_OK(
        add(read_method(
                "channel.software.getRepoDetails",
                "Get a repository",
                {argument("id", content_number())},
                anything()),
            &repository_methods::get_details));
    auto create = edit_method(
        "createRepo",
        "Create a repository",
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
    for (const auto& selector : {channel_label("label"), argument("id", content_number())}) {
        CHECK_OK(
            add(edit_method("removeRepo", "Delete an unused repository", {selector}),
                &repository_methods::remove));
        CHECK_OK(
            add(edit_method(
                    "updateRepoUrl",
                    "Update the URL of a repository",
                    {selector, argument("url", text())},
                    anything()),
                &repository_methods::set_url));
    }
    const std::vector<parameter> parameters{channel_label(), channel_label("repoLabel")};
    CHECK_OK(
        add(edit_method(
                "associateRepo", "Associate a repository with a channel", parameters, anything()),
            &repository_methods::associate));
    CHECK_OK(
        add(edit_method(
                "disassociateRepo", "Remove a repository from a channel", parameters, anything()),
            &repository_methods::disassociate));
    return declare_syncs(registry);
}

result<void> repository_methods::declare_syncs(method_registry& registry) {
    const auto add = [&](std::vector<parameter> parameters, bool by_schedule) {
        const char* const summary =
            by_schedule ? "Schedule repository synchronization of a channel"
                        : "Synchronize a channel with its repositories in the background";
        return registry.add(
            {edit_method("syncRepo", summary, std::move(parameters)),
             handler(
                 this, by_schedule ? &repository_methods::set_schedule : &repository_methods::sync),
             content_faults()});
    };
    const auto channel = channel_label();
    const auto schedule = argument("cronExpr", text());
    const auto sync_options = argument("params", struct_shape());
    CHECK_OK(add({argument("channelLabels", list_of(api::name(), channels_of_call_max))}, false));
    CHECK_OK(add({channel}, false));
    CHECK_OK(add({channel, sync_options}, false));
    CHECK_OK(add({channel, schedule}, true));
    CHECK_OK(add({channel, schedule, sync_options}, true));
    return registry.add(
        {read_method(
             "channel.software.getRepoSyncCronExpression",
             "Get the synchronization schedule of a channel; empty: none",
             {channel},
             text()),
         handler(this, &repository_methods::get_schedule),
         content_faults()});
}

result<repository_ref> repository_methods::find(const call& call, std::string_view argument) const {
    const auto* const value = call.arguments().find(argument);
    const auto* const number = value->get<std::int64_t>();
    auto match =
        number == nullptr
            ? content_.store().find<content_repository>(call.text(argument))
            : content_.store().find<content_repository>(static_cast<std::uint32_t>(*number));
    if (!match) return fail(errc::not_found, "repository not found");
    return match;
}

async<method_response> repository_methods::list(call /*call*/) {
    CO_CHECK_OK(co_await content_.refresh());
    co_return paged_list<repository_ref>(
        content_.store().all<content_repository>(), [](const repository_ref& repository) -> value {
            return value::record{
                {"id", std::int64_t{repository->row.number}},
                {"label", repository->label()},
                {"sourceUrl", repository->url}};
        });
}

async<method_response> repository_methods::list_of_channel(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto channel, content_.channel(call.text("channelLabel")));
    value::list list;
    for (const auto& repository : channel->repositories)
        if (const auto match = content_.store().find<content_repository>(repository))
            list.push_back(to_value(*match));
    co_return method_response{std::move(list)};
}

async<method_response> repository_methods::get_details(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto match, find(call, by_number ? "id" : "repoLabel"));
    co_return method_response{to_value(*match)};
}

async<method_response> repository_methods::create(call call) {
    call.set_subject(call.text("label"));
    for (const char* const name : {"sslCaCert", "sslCliCert", "sslCliKey"}) {
        const auto* const given = call.arguments().find(name);
        if (given != nullptr && !call.text(name).empty())
            co_return fail(
                errc::invalid,
                "repository certificates are not supported; add the CA to the trust store of the "
                "server's machine");
    }
    auto work = content_.service().create_repository(
        call.text("label"), call.text("type"), call.text("url"), call.caller().user);
    CO_TRY(const auto result, co_await std::move(work));
    co_return method_response{to_value(*result)};
}

async<method_response> repository_methods::remove(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto repository, find(call, by_number ? "id" : "label"));
    call.set_subject(repository->label());
    CO_CHECK_OK(
        co_await content_.service().remove_repository(repository->label(), call.caller().user));
    co_return method_response{1};
}

async<method_response> repository_methods::set_url(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const bool by_number = call.arguments().find("id") != nullptr;
    CO_TRY(const auto repository, find(call, by_number ? "id" : "label"));
    call.set_subject(repository->label());
    auto work = content_.service().change_repository(
        repository->label(),
        call.caller().user,
        [url = call.text("url")](content_repository& changed) -> result<void> {
            changed.url = url;
            return {};
        });
    CO_TRY(const auto result, co_await std::move(work));
    co_return method_response{to_value(*result)};
}

async<method_response> repository_methods::associate(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto repository, find(call, "repoLabel"));
    call.set_subject(call.text("channelLabel") + ": " + repository->label());
    auto work = content_.service().change(
        call.text("channelLabel"),
        call.caller().user,
        [label = repository->label()](content::channel& channel) -> result<void> {
            if (std::ranges::count(channel.repositories, label) == 0)
                channel.repositories.push_back(label);
            return {};
        });
    CO_TRY(const auto result, co_await std::move(work));
    co_return method_response{content_.details(*result)};
}

async<method_response> repository_methods::disassociate(call call) {
    call.set_subject(call.text("channelLabel") + ": " + call.text("repoLabel"));
    auto work = content_.service().change(
        call.text("channelLabel"),
        call.caller().user,
        [label = call.text("repoLabel")](content::channel& channel) -> result<void> {
            std::erase(channel.repositories, label);
            return {};
        });
    CO_TRY(const auto result, co_await std::move(work));
    co_return method_response{content_.details(*result)};
}

async<method_response> repository_methods::sync(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const bool errata, wants_errata(call));
    std::vector<std::string> labels;
    if (call.arguments().find("channelLabels") != nullptr)
        labels = read_labels(call, "channelLabels");
    else
        labels.push_back(call.text("channelLabel"));
    for (const auto& label : labels) {
        CO_TRY(const auto channel, content_.channel(label));
        if (channel->repositories.empty())
            co_return fail(
                errc::invalid,
                fmt::format("channel \"{}\" has no repository; add one with associateRepo", label));
    }
    for (const auto& label : labels) {
        auto work = content_.deps().syncs.request(
            {.channel = label, .by = call.caller().user, .with_errata = errata});
        CO_CHECK_OK(co_await within(content_.deps().clock, engine_timeout, std::move(work)));
        call.set_partly_done();
    }
    co_return method_response{1};
}

async<method_response> repository_methods::set_schedule(call call) {
    call.set_subject(call.text("channelLabel"));
    CO_TRY(const bool errata, wants_errata(call));
    if (!errata)
        co_return fail(
            errc::invalid, "`no-errata` is not supported in a schedule; use it for one time only");
    std::string schedule;
    if (!call.text("cronExpr").empty()) {
        CO_TRY(schedule, quartz_to_cron(call.text("cronExpr")));
        CO_CHECK_OK(content::check_schedule(schedule));
    }
    auto work = content_.service().change(
        call.text("channelLabel"),
        call.caller().user,
        [schedule, now = content_.deps().clock.wall()](content::channel& channel) -> result<void> {
            channel.schedule = schedule;
            channel.schedule_set = now;
            return {};
        });
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

async<method_response> repository_methods::get_schedule(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto channel, content_.channel(call.text("channelLabel")));
    co_return method_response{channel->schedule.empty() ? "" : cron_to_quartz(channel->schedule)};
}

}  // namespace muster::xmlrpc_api
