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

std::vector<std::uint32_t> numbers_in(const call& asked, std::string_view name) {
    std::vector<std::uint32_t> made;
    for (const auto& each : *asked.arguments().find(name)->get<value::list>())
        made.push_back(static_cast<std::uint32_t>(*each.get<std::int64_t>()));
    return made;
}

operation editing(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    auto made = changing(
        "channel.software." + std::move(name),
        std::move(summary),
        std::move(takes),
        right::common_edit,
        std::move(gives));
    made.body_bytes_max = std::int64_t{4} * 1024 * 1024;
    return made;
}

operation editing(std::string name, std::string summary, std::vector<parameter> takes) {
    return editing(std::move(name), std::move(summary), std::move(takes), integer(1, 1));
}

// Clients send it as they got it, or as a word.
bool is_true(const value* given) {
    if (given == nullptr) return false;
    if (const auto* flag = given->get<bool>()) return *flag;
    const auto* word = given->get<std::string>();
    return word != nullptr && (*word == "True" || *word == "true" || *word == "1");
}

// What is told of a channel is taken over; what is not stays.
result<void> take_over(const call& asked, std::string_view details, content::channel& into) {
    struct_reader from(asked, details);
    const auto put = [&](std::string_view name, std::string& where) {
        if (auto told = from.text(name)) where = *std::move(told);
    };
    put("name", into.name);
    put("summary", into.summary);
    put("description", into.description);
    put("checksum_label", into.checksum);
    put("checksum", into.checksum);
    put("gpg_key_url", into.gpg_url);
    put("gpg_key_id", into.gpg_id);
    put("gpg_key_fp", into.gpg_print);
    const auto* const check = asked.arguments().find(details)->find("gpg_check");
    if (check != nullptr) into.gpg_check = is_true(check);
    return from.finish();
}

}  // namespace

result<void> channel_methods::declare_making(method_book& to) {
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

result<void> channel_methods::declare_changes(method_book& to) {
    const fault_codes codes{.not_found = package_unknown};
    const auto add = [&](operation what, async<answer> (channel_methods::*does)(call)) {
        return to.add({std::move(what), done_by(this, does), codes});
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

async<answer> channel_methods::create(call asked) {
    content::channel wanted;
    wanted.row.name = asked.text("label");
    wanted.name = asked.text("name");
    wanted.summary = asked.text("summary");
    wanted.arch = asked.text("archLabel");
    wanted.parent = asked.text("parentLabel");
    const auto count = asked.operation().takes.size();
    if (count > 5 && !asked.text("checksumType").empty())
        wanted.checksum = asked.text("checksumType");
    if (count > 6) {
        struct_reader key(asked, "gpgKey");
        wanted.gpg_url = key.text("url").value_or("");
        wanted.gpg_id = key.text("id").value_or("");
        wanted.gpg_print = key.text("fingerprint").value_or("");
        CO_CHECK_OK(key.finish());
    }
    if (count > 7) wanted.gpg_check = asked.flag("gpgCheck");
    asked.set_subject(wanted.label());
    CO_CHECK_OK(co_await view_.desk().create(std::move(wanted), asked.who().user));
    co_return answer{1};
}

async<answer> channel_methods::clone(call asked) {
    content::channel wanted;
    struct_reader from(asked, "channelDetails");
    wanted.row.name = from.text("label").value_or("");
    wanted.parent = from.text("parent_label").value_or("");
    wanted.arch = from.text("arch_label").value_or("");
    CO_CHECK_OK(take_over(asked, "channelDetails", wanted));
    asked.set_subject(asked.text("originalLabel") + " to " + wanted.label());
    auto work = view_.desk().clone(
        asked.text("originalLabel"),
        std::move(wanted),
        asked.flag("originalState"),
        asked.who().user);
    CO_TRY(const auto made, co_await std::move(work));
    co_return answer{std::int64_t{made->number()}};
}

async<answer> channel_methods::remove(call asked) {
    asked.set_subject(asked.text("channelLabel"));
    CO_CHECK_OK(co_await view_.desk().remove(asked.text("channelLabel"), asked.who().user));
    co_return answer{1};
}

async<answer> channel_methods::set_details(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    const bool by_number = asked.arguments().find("channelId") != nullptr;
    CO_TRY(const auto which, view_.channel_in(asked, by_number ? "channelId" : "channelLabel"));
    asked.set_subject(which->label());
    auto work = view_.desk().change(
        which->label(), asked.who().user, [asked](content::channel& into) -> result<void> {
            return take_over(asked, "details", into);
        });
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::add_packages(call asked) {
    asked.set_subject(asked.text("channelLabel"));
    auto work = view_.desk().add_packages(
        asked.text("channelLabel"), numbers_in(asked, "packageIds"), asked.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::remove_packages(call asked) {
    asked.set_subject(asked.text("channelLabel"));
    auto work = view_.desk().remove_packages(
        asked.text("channelLabel"), numbers_in(asked, "packageIds"), asked.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::merge_packages(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto from, view_.channel(asked.text("mergeFromLabel")));
    CO_TRY(const auto into, view_.channel(asked.text("mergeToLabel")));
    asked.set_subject(from->label() + " into " + into->label());
    const auto fresh = packages::without(from->row.packages, into->row.packages);
    CO_CHECK_OK(co_await view_.desk().add_packages(into->label(), fresh, asked.who().user));
    co_return told_one_by_one<package_ref>(
        view_.books().packages_of(fresh),
        [](const package_ref& each) { return package_entry(*each); });
}

async<answer> channel_methods::remove_errata(call asked) {
    asked.set_subject(asked.text("channelLabel"));
    auto work = view_.desk().withdraw(
        labels_in(asked, "errataNames"),
        asked.text("channelLabel"),
        asked.flag("removePackages"),
        asked.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> channel_methods::merge_errata(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto from, view_.channel(asked.text("mergeFromLabel")));
    CO_TRY(const auto into, view_.channel(asked.text("mergeToLabel")));
    asked.set_subject(from->label() + " into " + into->label());
    const bool some = asked.arguments().find("errataNames") != nullptr;
    const auto names = some ? labels_in(asked, "errataNames") : std::vector<std::string>();
    std::vector<std::string> wanted;
    value::list told;
    for (const auto number : packages::without(from->row.errata, into->row.errata)) {
        const auto each = view_.books().find<content::erratum>(number);
        if (!each || (some && std::ranges::count(names, each->name()) == 0)) continue;
        wanted.push_back(each->name());
        told.push_back(erratum_overview(*each));
    }
    CO_CHECK_OK(co_await view_.desk().publish(std::move(wanted), into->label(), asked.who().user));
    co_return answer{std::move(told)};
}

async<answer> channel_methods::up_to_date(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    if (!asked.operation().takes.empty()) {
        CO_CHECK_OK(view_.channel(asked.text("channelLabel")));
    }
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
