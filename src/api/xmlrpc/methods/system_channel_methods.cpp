#include "api/xmlrpc/methods/system_channel_methods.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using content::channel_ref;

namespace {

fault_codes codes() {
    constexpr std::int64_t invalid_subscription_fault = 1230;
    auto result = content_faults();
    result.invalid = invalid_subscription_fault;
    result.conflict = invalid_subscription_fault;
    return result;
}

value channel_summary(const content::channel& channel) {
    return value::record{
        {"id", std::int64_t{channel.number()}},
        {"name", channel.name},
        {"label", channel.label()},
        {"summary", channel.summary},
        {"has_license", ""},
        {"gpg_key_url", channel.gpg_url},
        {"parent_label", channel.parent}};
}

}  // namespace

result<void> system_channel_methods::declare(method_registry& registry) {
    const auto add = [&](operation operation,
                         async<method_response> (system_channel_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes()});
    };
    const auto list = list_of(anything());
    CHECK_OK(
        add(read_method(
                "system.getSubscribedBaseChannel",
                "Get the base channel of a system",
                {system_parameter()},
                anything()),
            &system_channel_methods::get_base));
    CHECK_OK(
        add(read_method(
                "system.listSubscribedChildChannels",
                "List the child channels of a system",
                {system_parameter()},
                list),
            &system_channel_methods::list_children));
    CHECK_OK(
        add(read_method(
                "system.listSubscribableBaseChannels",
                "List the base channels a system can subscribe to",
                {system_parameter()},
                list),
            &system_channel_methods::list_possible_bases));
    CHECK_OK(
        add(read_method(
                "system.listSubscribableChildChannels",
                "List the child channels a system can subscribe to",
                {system_parameter()},
                list),
            &system_channel_methods::list_possible_children));
    CHECK_OK(
        add(systems_change_method(
                "system.setBaseChannel",
                "Set the base channel of a system; removes its child channels",
                {system_parameter(), argument("channelLabel", text())}),
            &system_channel_methods::set_base));
    return add(
        systems_change_method(
            "system.setChildChannels",
            "Set the child channels of a system",
            {system_parameter(), argument("channelIdsOrLabels", list_of(anything(), labels_max))}),
        &system_channel_methods::set_children);
}

async<method_response> system_channel_methods::get_base(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    const auto subscription = content_.store().subscription_of(system.number);
    const auto base =
        subscription ? content_.store().find<content::channel>(subscription->base) : nullptr;
    co_return method_response{base ? content_.details(*base) : value(value::record())};
}

async<method_response> system_channel_methods::list_children(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    const auto subscription = content_.store().subscription_of(system.number);
    value::list list;
    for (const auto& label : subscription ? subscription->children : std::vector<std::string>())
        if (const auto child = content_.store().find<content::channel>(label))
            list.push_back(content_.details(*child));
    co_return method_response{std::move(list)};
}

async<method_response> system_channel_methods::list_possible_bases(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    const auto subscription = content_.store().subscription_of(system.number);
    value::list list;
    for (const auto& channel : content_.store().all<content::channel>()) {
        if (!channel->parent.empty()) continue;
        list.push_back(value::record{
            {"id", std::int64_t{channel->number()}},
            {"name", channel->name},
            {"label", channel->label()},
            {"current_base", subscription && subscription->base == channel->label() ? 1 : 0}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> system_channel_methods::list_possible_children(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    const auto subscription = content_.store().subscription_of(system.number);
    value::list list;
    for (const auto& channel : content_.store().all<content::channel>()) {
        if (!subscription || subscription->base.empty() || channel->parent != subscription->base)
            continue;
        if (std::ranges::count(subscription->children, channel->label()) == 0)
            list.push_back(channel_summary(*channel));
    }
    co_return method_response{std::move(list)};
}

result<std::vector<std::string>> system_channel_methods::read_channel_labels(
    const call& call, std::string_view argument) const {
    std::vector<std::string> result;
    for (const auto& item : *call.arguments().find(argument)->get<value::list>()) {
        if (const auto* label = item.get<std::string>()) {
            result.push_back(*label);
        } else if (const auto* number = item.get<std::int64_t>()) {
            TRY(const auto channel, content_.channel(*number));
            result.push_back(channel->label());
        } else {
            return fail(errc::invalid, "channel must be given by label or number");
        }
    }
    return result;
}

async<method_response> system_channel_methods::set_base(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    const auto label = call.text("channelLabel");
    call.set_subject(system.name + ": " + label);
    const auto subscription = content_.store().subscription_of(system.number);
    if (subscription && subscription->base == label) co_return method_response{1};
    CO_CHECK_OK(
        co_await content_.service().subscribe(system.number, label, {}, call.caller().user));
    co_return method_response{1};
}

async<method_response> system_channel_methods::set_children(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    CO_TRY(auto labels, read_channel_labels(call, "channelIdsOrLabels"));
    call.set_subject(system.name);
    const auto subscription = content_.store().subscription_of(system.number);
    const auto base = subscription ? subscription->base : std::string();
    auto work =
        content_.service().subscribe(system.number, base, std::move(labels), call.caller().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api
