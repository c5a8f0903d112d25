// The methods of channel_methods.h that change channels.
#include "api/xmlrpc/methods/channel_methods.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t invalid_label_fault = 1201;
constexpr std::int64_t unknown_parent_fault = 1202;
constexpr std::int64_t label_taken_fault = 1206;
constexpr std::int64_t unknown_package_fault = 2300;
constexpr std::int64_t packages_of_call_max = 100'000;

fault_codes creation_faults() {
    return {
        .not_found = unknown_parent_fault,
        .conflict = label_taken_fault,
        .invalid = invalid_label_fault};
}

parameter package_ids() {
    return argument("packageIds", list_of(content_number(), packages_of_call_max));
}

std::vector<std::uint32_t> read_numbers(const call& call, std::string_view name) {
    std::vector<std::uint32_t> result;
    for (const auto& item : *call.arguments().find(name)->get<value::list>())
        result.push_back(static_cast<std::uint32_t>(*item.get<std::int64_t>()));
    return result;
}

operation edit_method(
    std::string name, std::string summary, std::vector<parameter> parameters, shape response) {
    auto result = change_method(
        "channel.software." + std::move(name),
        std::move(summary),
        std::move(parameters),
        right::common_edit,
        std::move(response));
    result.body_bytes_max = std::int64_t{4} * 1024 * 1024;
    return result;
}

operation edit_method(std::string name, std::string summary, std::vector<parameter> parameters) {
    return edit_method(std::move(name), std::move(summary), std::move(parameters), integer(1, 1));
}

// Clients send the flag as they received it, or as a text.
bool is_true(const value* input) {
    if (input == nullptr) return false;
    if (const auto* flag = input->get<bool>()) return *flag;
    const auto* word = input->get<std::string>();
    return word != nullptr && (*word == "True" || *word == "true" || *word == "1");
}

// Applies the given members to the channel; the others stay.
result<void> apply_details(const call& call, std::string_view details, content::channel& channel) {
    struct_reader details_reader(call, details);
    const auto apply = [&](std::string_view name, std::string& field) {
        if (auto text = details_reader.text(name)) field = *std::move(text);
    };
    apply("name", channel.name);
    apply("summary", channel.summary);
    apply("description", channel.description);
    apply("checksum_label", channel.checksum);
    apply("checksum", channel.checksum);
    apply("gpg_key_url", channel.gpg_url);
    apply("gpg_key_id", channel.gpg_id);
    apply("gpg_key_fp", channel.gpg_print);
    const auto* const check = call.arguments().find(details)->find("gpg_check");
    if (check != nullptr) channel.gpg_check = is_true(check);
    return details_reader.finish();
}

}  // namespace

result<void> channel_methods::declare_creation(method_registry& registry) {
    auto create = edit_method(
        "create",
        "Create a channel",
        {channel_label("label"),
         argument("name", api::name()),
         argument("summary", text()),
         argument("archLabel", text()),
         argument("parentLabel", text())});
    for (const auto& extra : std::vector<std::vector<parameter>>{
             {},
             {argument("checksumType", text())},
             {argument("gpgKey", struct_shape())},
             {argument("gpgCheck", flag())}}) {
        create.takes.insert(create.takes.end(), extra.begin(), extra.end());
        CHECK_OK(
            registry.add({create, handler(this, &channel_methods::create), creation_faults()}));
    }
    CHECK_OK(registry.add(
        {edit_method(
             "clone",
             "Clone a channel",
             {channel_label("originalLabel"),
              argument("channelDetails", struct_shape()),
              argument("originalState", flag())},
             content_number()),
         handler(this, &channel_methods::clone),
         creation_faults()}));
    CHECK_OK(registry.add(
        {edit_method("delete", "Delete a channel without subscribed systems", {channel_label()}),
         handler(this, &channel_methods::remove),
         content_faults()}));
    auto details = edit_method(
        "setDetails", "Update a channel", {channel_label(), argument("details", struct_shape())});
    CHECK_OK(
        registry.add({details, handler(this, &channel_methods::set_details), content_faults()}));
    details.takes.front() = argument("channelId", content_number());
    return registry.add(
        {std::move(details), handler(this, &channel_methods::set_details), content_faults()});
}

result<void> channel_methods::declare_changes(method_registry& registry) {
    const fault_codes codes{.not_found = unknown_package_fault};
    const auto add = [&](operation operation,
                         async<method_response> (channel_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes});
    };
    CHECK_OK(add(
        edit_method("addPackages", "Add packages to a channel", {channel_label(), package_ids()}),
        &channel_methods::add_packages));
    CHECK_OK(add(
        edit_method(
            "removePackages", "Remove packages from a channel", {channel_label(), package_ids()}),
        &channel_methods::remove_packages));
    auto merge = edit_method(
        "mergePackages",
        "Merge packages of another channel",
        {channel_label("mergeFromLabel"), channel_label("mergeToLabel")},
        list_of(anything()));
    CHECK_OK(add(merge, &channel_methods::merge_packages));
    merge.takes.push_back(argument("alignModules", flag()));
    CHECK_OK(add(std::move(merge), &channel_methods::merge_packages));
    CHECK_OK(add(
        edit_method(
            "removeErrata",
            "Remove errata from a channel",
            {channel_label(), labels_parameter("errataNames"), argument("removePackages", flag())}),
        &channel_methods::remove_errata));
    auto errata = edit_method(
        "mergeErrata",
        "Merge errata of another channel",
        {channel_label("mergeFromLabel"), channel_label("mergeToLabel")},
        list_of(anything()));
    CHECK_OK(add(errata, &channel_methods::merge_errata));
    errata.takes.push_back(labels_parameter("errataNames"));
    CHECK_OK(add(std::move(errata), &channel_methods::merge_errata));
    // The data that these methods regenerate is always current here.
    CHECK_OK(
        add(edit_method("regenerateNeededCache", "No effect; computed on request", {}),
            &channel_methods::do_nothing));
    CHECK_OK(add(
        edit_method("regenerateNeededCache", "No effect; computed on request", {channel_label()}),
        &channel_methods::do_nothing));
    return add(
        edit_method(
            "regenerateYumCache",
            "No effect; no repository metadata is published",
            {channel_label(), argument("force", flag())}),
        &channel_methods::do_nothing);
}

async<method_response> channel_methods::create(call call) {
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
    CO_CHECK_OK(co_await content_.service().create(std::move(channel), call.caller().user));
    co_return method_response{1};
}

async<method_response> channel_methods::clone(call call) {
    content::channel channel;
    struct_reader details(call, "channelDetails");
    channel.row.name = details.text("label").value_or("");
    channel.parent = details.text("parent_label").value_or("");
    channel.arch = details.text("arch_label").value_or("");
    CO_CHECK_OK(apply_details(call, "channelDetails", channel));
    call.set_subject(call.text("originalLabel") + " to " + channel.label());
    auto work = content_.service().clone(
        call.text("originalLabel"),
        std::move(channel),
        call.flag("originalState"),
        call.caller().user);
    CO_TRY(const auto result, co_await std::move(work));
    co_return method_response{std::int64_t{result->number()}};
}

async<method_response> channel_methods::remove(call call) {
    call.set_subject(call.text("channelLabel"));
    CO_CHECK_OK(co_await content_.service().remove(call.text("channelLabel"), call.caller().user));
    co_return method_response{1};
}

async<method_response> channel_methods::set_details(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const bool by_number = call.arguments().find("channelId") != nullptr;
    CO_TRY(
        const auto channel, content_.find_channel(call, by_number ? "channelId" : "channelLabel"));
    call.set_subject(channel->label());
    auto work = content_.service().change(
        channel->label(), call.caller().user, [call](content::channel& changed) -> result<void> {
            return apply_details(call, "details", changed);
        });
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

async<method_response> channel_methods::add_packages(call call) {
    call.set_subject(call.text("channelLabel"));
    auto work = content_.service().add_packages(
        call.text("channelLabel"), read_numbers(call, "packageIds"), call.caller().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

async<method_response> channel_methods::remove_packages(call call) {
    call.set_subject(call.text("channelLabel"));
    auto work = content_.service().remove_packages(
        call.text("channelLabel"), read_numbers(call, "packageIds"), call.caller().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

async<method_response> channel_methods::merge_packages(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto source, content_.channel(call.text("mergeFromLabel")));
    CO_TRY(const auto target, content_.channel(call.text("mergeToLabel")));
    call.set_subject(source->label() + " into " + target->label());
    const auto added = packages::without(source->row.packages, target->row.packages);
    CO_CHECK_OK(
        co_await content_.service().add_packages(target->label(), added, call.caller().user));
    co_return paged_list<package_ref>(
        content_.store().packages_of(added),
        [](const package_ref& package) { return package_entry(*package); });
}

async<method_response> channel_methods::remove_errata(call call) {
    call.set_subject(call.text("channelLabel"));
    auto work = content_.service().withdraw(
        read_labels(call, "errataNames"),
        call.text("channelLabel"),
        call.flag("removePackages"),
        call.caller().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

async<method_response> channel_methods::merge_errata(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto source, content_.channel(call.text("mergeFromLabel")));
    CO_TRY(const auto target, content_.channel(call.text("mergeToLabel")));
    call.set_subject(source->label() + " into " + target->label());
    const bool by_name = call.arguments().find("errataNames") != nullptr;
    const auto names = by_name ? read_labels(call, "errataNames") : std::vector<std::string>();
    std::vector<std::string> added;
    value::list list;
    for (const auto number : packages::without(source->row.errata, target->row.errata)) {
        const auto erratum = content_.store().find<content::erratum>(number);
        if (!erratum || (by_name && std::ranges::count(names, erratum->name()) == 0)) continue;
        added.push_back(erratum->name());
        list.push_back(erratum_overview(*erratum));
    }
    CO_CHECK_OK(
        co_await content_.service().publish(std::move(added), target->label(), call.caller().user));
    co_return method_response{std::move(list)};
}

async<method_response> channel_methods::do_nothing(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    if (!call.operation().takes.empty()) {
        CO_CHECK_OK(content_.channel(call.text("channelLabel")));
    }
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api
