// What changes channels: a part of channel_methods.h.
#include "api/xmlrpc/methods/channel_methods.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t label_invalid = 1201;
constexpr std::int64_t parent_unknown = 1202;
constexpr std::int64_t label_taken = 1206;
constexpr std::int64_t package_unknown = 2300;
constexpr std::int64_t packages_of_call_max = 100'000;

fault_codes making_faults() {
    return {.not_found = parent_unknown, .conflict = label_taken, .invalid = label_invalid};
}

parameter package_ids() {
    return argument("packageIds", list_of(content_number(), packages_of_call_max));
}

std::vector<std::uint32_t> numbers_in(const call& call, std::string_view name) {
    std::vector<std::uint32_t> result;
    for (const auto& each : *call.arguments().find(name)->get<value::list>())
        result.push_back(static_cast<std::uint32_t>(*each.get<std::int64_t>()));
    return result;
}

operation editing(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    auto result = changing(
        "channel.software." + std::move(name),
        std::move(summary),
        std::move(takes),
        right::common_edit,
        std::move(gives));
    result.body_bytes_max = std::int64_t{4} * 1024 * 1024;
    return result;
}

operation editing(std::string name, std::string summary, std::vector<parameter> takes) {
    return editing(std::move(name), std::move(summary), std::move(takes), integer(1, 1));
}

// Clients send it as they got it, or as a word.
bool is_true(const value* input) {
    if (input == nullptr) return false;
    if (const auto* flag = input->get<bool>()) return *flag;
    const auto* word = input->get<std::string>();
    return word != nullptr && (*word == "True" || *word == "true" || *word == "1");
}

// What is told of a channel is taken over; what is not stays.
result<void> take_over(const call& call, std::string_view details, content::channel& into) {
    struct_reader from(call, details);
    const auto put = [&](std::string_view name, std::string& where) {
        if (auto response = from.text(name)) where = *std::move(response);
    };
    put("name", into.name);
    put("summary", into.summary);
    put("description", into.description);
    put("checksum_label", into.checksum);
    put("checksum", into.checksum);
    put("gpg_key_url", into.gpg_url);
    put("gpg_key_id", into.gpg_id);
    put("gpg_key_fp", into.gpg_print);
    const auto* const check = call.arguments().find(details)->find("gpg_check");
    if (check != nullptr) into.gpg_check = is_true(check);
    return from.finish();
}

}  // namespace

result<void> channel_methods::declare_making(method_registry& to) {
    auto create = editing(
        "create",
        "Makes a channel",
        {channel_label("label"),
         argument("name", api::name()),
         argument("summary", text()),
         argument("archLabel", text()),
         argument("parentLabel", text())});
    for (const auto& further : std::vector<std::vector<parameter>>{
             {},
             {argument("checksumType", text())},
             {argument("gpgKey", some_struct())},
             {argument("gpgCheck", flag())}}) {
        create.takes.insert(create.takes.end(), further.begin(), further.end());
        CHECK_OK(to.add({create, done_by(this, &channel_methods::create), making_faults()}));
    }
    CHECK_OK(to.add(
        {editing(
             "clone",
             "Makes a channel with what another one holds",
             {channel_label("originalLabel"),
              argument("channelDetails", some_struct()),
              argument("originalState", flag())},
             content_number()),
         done_by(this, &channel_methods::clone),
         making_faults()}));
    CHECK_OK(to.add(
        {editing("delete", "Removes a channel that no system has", {channel_label()}),
         done_by(this, &channel_methods::remove),
         content_faults()}));
    auto details = editing(
        "setDetails",
        "Describes a channel anew",
        {channel_label(), argument("details", some_struct())});
    CHECK_OK(to.add({details, done_by(this, &channel_methods::set_details), content_faults()}));
    details.takes.front() = argument("channelId", content_number());
    return to.add(
        {std::move(details), done_by(this, &channel_methods::set_details), content_faults()});
}

result<void> channel_methods::declare_changes(method_registry& to) {
    const fault_codes codes{.not_found = package_unknown};
    const auto add = [&](operation operation, async<answer> (channel_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes});
    };
    CHECK_OK(
        add(editing("addPackages", "Adds packages to a channel", {channel_label(), package_ids()}),
            &channel_methods::add_packages));
    CHECK_OK(add(
        editing(
            "removePackages", "Takes packages out of a channel", {channel_label(), package_ids()}),
        &channel_methods::remove_packages));
    auto merge = editing(
        "mergePackages",
        "Adds what another channel has",
        {channel_label("mergeFromLabel"), channel_label("mergeToLabel")},
        list_of(anything()));
    CHECK_OK(add(merge, &channel_methods::merge_packages));
    merge.takes.push_back(argument("alignModules", flag()));
    CHECK_OK(add(std::move(merge), &channel_methods::merge_packages));
    CHECK_OK(
        add(editing(
                "removeErrata",
                "Takes errata out of a channel",
                {channel_label(), labels("errataNames"), argument("removePackages", flag())}),
            &channel_methods::remove_errata));
    auto errata = editing(
        "mergeErrata",
        "Adds errata that another channel has",
        {channel_label("mergeFromLabel"), channel_label("mergeToLabel")},
        list_of(anything()));
    CHECK_OK(add(errata, &channel_methods::merge_errata));
    errata.takes.push_back(labels("errataNames"));
    CHECK_OK(add(std::move(errata), &channel_methods::merge_errata));
    // What these would make anew is never out of date here.
    CHECK_OK(
        add(editing("regenerateNeededCache", "Does nothing: it is counted when it is asked", {}),
            &channel_methods::up_to_date));
    CHECK_OK(
        add(editing(
                "regenerateNeededCache",
                "Does nothing: it is counted when it is asked",
                {channel_label()}),
            &channel_methods::up_to_date));
    return add(
        editing(
            "regenerateYumCache",
            "Does nothing: no repository is published from here",
            {channel_label(), argument("force", flag())}),
        &channel_methods::up_to_date);
}

async<answer> channel_methods::create(call call) {
    content::channel channel;
    channel.row.name = call.text("label");
    channel.name = call.text("name");
    channel.summary = call.text("summary");
    channel.arch = call.text("archLabel");
    channel.parent = call.text("parentLabel");
    const auto count = call.operation().takes.size();
    if (count > 5 && !call.text("checksumType").empty())
        channel.checksum = call.text("checksumType");
    if (count > 6) {
        struct_reader key(call, "gpgKey");
        channel.gpg_url = key.text("url").value_or("");
        channel.gpg_id = key.text("id").value_or("");
        channel.gpg_print = key.text("fingerprint").value_or("");
        CO_CHECK_OK(key.finish());
    }
    if (count > 7) channel.gpg_check = call.flag("gpgCheck");
    call.set_subject(channel.label());
    CO_CHECK_OK(co_await view_.service().create(std::move(channel), call.who().user));
    co_return answer{1};
}

async<answer> channel_methods::clone(call call) {
    content::channel channel;
    struct_reader from(call, "channelDetails");
    channel.row.name = from.text("label").value_or("");
    channel.parent = from.text("parent_label").value_or("");
    channel.arch = from.text("arch_label").value_or("");
    CO_CHECK_OK(take_over(call, "channelDetails", channel));
    call.set_subject(call.text("originalLabel") + " to " + channel.label());
    auto work = view_.service().clone(
        call.text("originalLabel"),
        std::move(channel),
        call.flag("originalState"),
        call.who().user);
    CO_TRY(const auto result, co_await std::move(work));
    co_return answer{std::int64_t{result->number()}};
}

async<answer> channel_methods::remove(call call) {
    call.set_subject(call.text("channelLabel"));
    CO_CHECK_OK(co_await view_.service().remove(call.text("channelLabel"), call.who().user));
    co_return answer{1};
}

async<answer> channel_methods::set_details(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const bool by_number = call.arguments().find("channelId") != nullptr;
    CO_TRY(const auto which, view_.channel_in(call, by_number ? "channelId" : "channelLabel"));
    call.set_subject(which->label());
    auto work = view_.service().change(
        which->label(), call.who().user, [call](content::channel& into) -> result<void> {
            return take_over(call, "details", into);
        });
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::add_packages(call call) {
    call.set_subject(call.text("channelLabel"));
    auto work = view_.service().add_packages(
        call.text("channelLabel"), numbers_in(call, "packageIds"), call.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::remove_packages(call call) {
    call.set_subject(call.text("channelLabel"));
    auto work = view_.service().remove_packages(
        call.text("channelLabel"), numbers_in(call, "packageIds"), call.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::merge_packages(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto from, view_.channel(call.text("mergeFromLabel")));
    CO_TRY(const auto into, view_.channel(call.text("mergeToLabel")));
    call.set_subject(from->label() + " into " + into->label());
    const auto fresh = packages::without(from->row.packages, into->row.packages);
    CO_CHECK_OK(co_await view_.service().add_packages(into->label(), fresh, call.who().user));
    co_return told_one_by_one<package_ref>(
        view_.books().packages_of(fresh),
        [](const package_ref& package_ref) { return package_entry(*package_ref); });
}

async<answer> channel_methods::remove_errata(call call) {
    call.set_subject(call.text("channelLabel"));
    auto work = view_.service().withdraw(
        labels_in(call, "errataNames"),
        call.text("channelLabel"),
        call.flag("removePackages"),
        call.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::merge_errata(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto from, view_.channel(call.text("mergeFromLabel")));
    CO_TRY(const auto into, view_.channel(call.text("mergeToLabel")));
    call.set_subject(from->label() + " into " + into->label());
    const bool some = call.arguments().find("errataNames") != nullptr;
    const auto names = some ? labels_in(call, "errataNames") : std::vector<std::string>();
    std::vector<std::string> desired;
    value::list list;
    for (const auto number : packages::without(from->row.errata, into->row.errata)) {
        const auto each = view_.books().find<content::erratum>(number);
        if (!each || (some && std::ranges::count(names, each->name()) == 0)) continue;
        desired.push_back(each->name());
        list.push_back(erratum_overview(*each));
    }
    CO_CHECK_OK(
        co_await view_.service().publish(std::move(desired), into->label(), call.who().user));
    co_return answer{std::move(list)};
}

async<answer> channel_methods::up_to_date(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    if (!call.operation().takes.empty()) {
        CO_CHECK_OK(view_.channel(call.text("channelLabel")));
    }
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
