#include "api/xmlrpc/methods/system_channel_methods.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using content::channel_ref;

namespace {

fault_codes codes() {
    constexpr std::int64_t wrong_subscription = 1230;
    auto result = content_faults();
    result.invalid = wrong_subscription;
    result.conflict = wrong_subscription;
    return result;
}

value short_entry(const content::channel& of) {
    return value::record{
        {"id", std::int64_t{of.number()}},
        {"name", of.name},
        {"label", of.label()},
        {"summary", of.summary},
        {"has_license", ""},
        {"gpg_key_url", of.gpg_url},
        {"parent_label", of.parent}};
}

}  // namespace

result<void> system_channel_methods::declare(method_registry& to) {
    const auto add = [&](operation operation, async<answer> (system_channel_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes()});
    };
    const auto some = list_of(anything());
    CHECK_OK(
        add(asking(
                "system.getSubscribedBaseChannel",
                "A system's base channel",
                {one_system()},
                anything()),
            &system_channel_methods::get_base));
    CHECK_OK(
        add(asking(
                "system.listSubscribedChildChannels",
                "A system's child channels",
                {one_system()},
                some),
            &system_channel_methods::list_children));
    CHECK_OK(
        add(asking(
                "system.listSubscribableBaseChannels",
                "Base channels that a system can have",
                {one_system()},
                some),
            &system_channel_methods::list_possible_bases));
    CHECK_OK(
        add(asking(
                "system.listSubscribableChildChannels",
                "Child channels that a system can have besides",
                {one_system()},
                some),
            &system_channel_methods::list_possible_children));
    CHECK_OK(
        add(changing_systems(
                "system.setBaseChannel",
                "Gives a system another base channel, and takes its child channels",
                {one_system(), argument("channelLabel", text())}),
            &system_channel_methods::set_base));
    return add(
        changing_systems(
            "system.setChildChannels",
            "Gives a system other child channels",
            {one_system(), argument("channelIdsOrLabels", list_of(anything(), labels_max))}),
        &system_channel_methods::set_children);
}

async<answer> system_channel_methods::get_base(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    const auto has = view_.books().subscription_of(system.number);
    const auto base = has ? view_.books().find<content::channel>(has->base) : nullptr;
    co_return answer{base ? view_.details(*base) : value(value::record())};
}

async<answer> system_channel_methods::list_children(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    const auto has = view_.books().subscription_of(system.number);
    value::list list;
    for (const auto& each : has ? has->children : std::vector<std::string>())
        if (const auto child = view_.books().find<content::channel>(each))
            list.push_back(view_.details(*child));
    co_return answer{std::move(list)};
}

async<answer> system_channel_methods::list_possible_bases(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    const auto has = view_.books().subscription_of(system.number);
    value::list list;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (!each->parent.empty()) continue;
        list.push_back(value::record{
            {"id", std::int64_t{each->number()}},
            {"name", each->name},
            {"label", each->label()},
            {"current_base", has && has->base == each->label() ? 1 : 0}});
    }
    co_return answer{std::move(list)};
}

async<answer> system_channel_methods::list_possible_children(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    const auto has = view_.books().subscription_of(system.number);
    value::list list;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (!has || has->base.empty() || each->parent != has->base) continue;
        if (std::ranges::count(has->children, each->label()) == 0)
            list.push_back(short_entry(*each));
    }
    co_return answer{std::move(list)};
}

result<std::vector<std::string>> system_channel_methods::labels_of_argument(
    const call& call, std::string_view argument) const {
    std::vector<std::string> result;
    for (const auto& each : *call.arguments().find(argument)->get<value::list>()) {
        if (const auto* label = each.get<std::string>()) {
            result.push_back(*label);
        } else if (const auto* number = each.get<std::int64_t>()) {
            TRY(const auto existing, view_.channel(*number));
            result.push_back(existing->label());
        } else {
            return fail(errc::invalid, "a channel is named by its label or its number");
        }
    }
    return result;
}

async<answer> system_channel_methods::set_base(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    const auto label = call.text("channelLabel");
    call.set_subject(system.name + ": " + label);
    const auto has = view_.books().subscription_of(system.number);
    if (has && has->base == label) co_return answer{1};
    CO_CHECK_OK(co_await view_.service().subscribe(system.number, label, {}, call.who().user));
    co_return answer{1};
}

async<answer> system_channel_methods::set_children(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    CO_TRY(auto labels, labels_of_argument(call, "channelIdsOrLabels"));
    call.set_subject(system.name);
    const auto has = view_.books().subscription_of(system.number);
    const auto base = has ? has->base : std::string();
    auto work = view_.service().subscribe(system.number, base, std::move(labels), call.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
