#include "services/configuration/config_channel_store.h"

#include "runtime/json/record_reader.h"
#include "services/cluster/number_range.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::configuration {
namespace {

namespace json = boost::json;

constexpr const char* counter = "counters/configuration";

std::unexpected<error> no_channel(std::string_view label) {
    return fail(errc::not_found, fmt::format("There is no configuration channel {}", label));
}

std::string encode_labels(const std::vector<std::string>& labels) {
    return json::serialize(json::object{{"channels", runtime::stored_list(labels)}});
}

std::vector<std::string> labels_in(std::string_view document) {
    auto all = runtime::json_record_reader::of("group's channels", document);
    return all ? all->list("channels") : std::vector<std::string>();
}

}  // namespace

async<std::int64_t> next_number(metastore& from, std::string name) {
    cluster::wanted_numbers wanted_numbers{.key = name, .of = "configuration"};
    return cluster::reserve_numbers(from, std::move(wanted_numbers));
}

std::vector<channel> config_channel_store::all() const {
    std::vector<channel> channels;
    const auto existing = deps_.records.of(kinds::channel);
    for (const auto& [label, each] : *existing) {
        auto one = decode_channel(each.document);
        if (one) channels.push_back(*std::move(one));
    }
    return channels;
}

result<channel> config_channel_store::find(std::string_view label) const {
    const auto match = deps_.records.find(kinds::channel, label);
    if (!match) return no_channel(label);
    return decode_channel(match->document);
}

result<channel> config_channel_store::find_number(std::int64_t number) const {
    for (auto& each : all())
        if (each.number == number) return std::move(each);
    return no_channel(std::to_string(number));
}

result<std::vector<channel>> config_channel_store::find_all(
    const std::vector<std::string>& labels) const {
    std::vector<channel> channels;
    for (const auto& label : labels) {
        TRY(auto one, find(label));
        channels.push_back(std::move(one));
    }
    return channels;
}

async<channel> config_channel_store::add(channel channel, std::string by) {
    CO_CHECK_OK(check(channel));
    CO_TRY(channel.number, co_await next_number(deps_.numbers, counter));
    channel.made = deps_.clock.wall();
    const auto document = encode(channel);
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(kinds::channel), .name = channel.label, .by = std::move(by)},
        [document](const std::string* now) -> result<std::optional<std::string>> {
            if (now != nullptr)
                return fail(errc::conflict, "there is a configuration channel of this label");
            return document;
        }));
    co_return channel;
}

// Of what stands there then: whoever gives it another type or number meanwhile is not overruled.
async<channel> config_channel_store::describe(
    std::string label, description description, std::string by) {
    const auto anew = [label,
                       description](const std::string* now) -> result<std::optional<std::string>> {
        if (now == nullptr) return no_channel(label);
        TRY(auto next, decode_channel(*now));
        next.name = description.name;
        next.description = description.text;
        CHECK_OK(check(next));
        return encode(next);
    };
    CO_TRY(
        const auto written,
        co_await deps_.records.alter(
            {.kind = std::string(kinds::channel), .name = label, .by = std::move(by)}, anew));
    co_return decode_channel(written.document);
}

// The channel first: from then on nobody is given its files any more.
async<void> config_channel_store::remove(std::string label, std::string by) {
    CO_TRY(const auto gone, find(label));
    const auto erase = [label](const std::string* now) -> result<std::optional<std::string>> {
        if (now == nullptr) return no_channel(label);
        return std::string();
    };
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(kinds::channel), .name = label, .by = by}, erase));
    CO_CHECK_OK(co_await deps_.files.remove_all(held_by_channel(gone.number)));
    const std::vector<std::string> alone{label};
    const auto without = [alone](std::vector<std::string> now) {
        return without_channels(std::move(now), alone);
    };
    for (const auto& each : groups_with(label)) {
        CO_CHECK_OK(co_await change_group(each, without, by));
    }
    const auto members = deps_.profiles.with_channel(label);
    const auto drop = [alone](fleet::system_profile& system_profile) -> result<void> {
        system_profile.config_channels =
            without_channels(std::move(system_profile.config_channels), alone);
        return {};
    };
    for (auto from = system_number(0);;) {
        const auto some = members.page(from, fleet::system_profile_store::systems_max);
        if (some.empty()) break;
        CO_CHECK_OK(co_await deps_.profiles.change(some, drop, by));
        from = some.back().next();
    }
    co_return result<void>();
}

std::vector<std::string> config_channel_store::of_group(std::string_view group) const {
    const auto match = deps_.records.find(kinds::group, group);
    return match ? labels_in(match->document) : std::vector<std::string>();
}

std::map<std::string, std::vector<std::string>> config_channel_store::by_group() const {
    std::map<std::string, std::vector<std::string>> result;
    const auto existing = deps_.records.of(kinds::group);
    for (const auto& [group, each] : *existing) {
        auto labels = labels_in(each.document);
        if (!labels.empty()) result.emplace(group, std::move(labels));
    }
    return result;
}

async<bool> config_channel_store::has_any(std::string group) const {
    CO_TRY(const auto now, co_await deps_.records.read(std::string(kinds::group), group));
    co_return !now.document.empty() && !labels_in(now.document).empty();
}

async<void> config_channel_store::change_group(
    std::string group, list_change list_change, std::string by) {
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(kinds::group), .name = std::move(group), .by = std::move(by)},
        [list_change =
             std::move(list_change)](const std::string* now) -> result<std::optional<std::string>> {
            const auto labels =
                list_change(now == nullptr ? std::vector<std::string>() : labels_in(*now));
            return labels.empty() ? std::string() : encode_labels(labels);
        }));
    co_return result<void>();
}

std::vector<std::string> config_channel_store::groups_with(std::string_view label) const {
    std::vector<std::string> result;
    const auto existing = deps_.records.of(kinds::group);
    for (const auto& [group, each] : *existing) {
        const auto labels = labels_in(each.document);
        if (std::ranges::find(labels, label) != labels.end()) result.push_back(group);
    }
    return result;
}

std::vector<std::string> without_channels(
    std::vector<std::string> now, const std::vector<std::string>& removed) {
    std::erase_if(now, [&](const std::string& each) {
        return std::ranges::find(removed, each) != removed.end();
    });
    return now;
}

std::vector<std::string> with_channels(
    std::vector<std::string> now, const std::vector<std::string>& added, where to) {
    std::vector<std::string> result;
    const auto rest = without_channels(std::move(now), added);
    const auto& first = to == where::front ? added : rest;
    const auto& second = to == where::front ? rest : added;
    for (const auto* part : {&first, &second}) {
        for (const auto& each : *part)
            if (std::ranges::find(result, each) == result.end()) result.push_back(each);
    }
    return result;
}

}  // namespace muster::configuration
