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

std::unexpected<error> channel_not_found(std::string_view label) {
    return fail(errc::not_found, fmt::format("configuration channel \"{}\" not found", label));
}

std::string encode_labels(const std::vector<std::string>& labels) {
    return json::serialize(json::object{{"channels", runtime::stored_list(labels)}});
}

std::vector<std::string> decode_labels(std::string_view document) {
    auto reader = runtime::json_record_reader::parse("group's channels", document);
    return reader ? reader->list("channels") : std::vector<std::string>();
}

}  // namespace

async<std::int64_t> next_number(metastore& metastore, std::string name) {
    cluster::number_request request{.key = name, .subject = "configuration"};
    return cluster::reserve_numbers(metastore, std::move(request));
}

std::vector<channel> config_channel_store::all() const {
    std::vector<channel> channels;
    const auto records = deps_.records.all_of(kinds::channel);
    for (const auto& [label, record] : *records) {
        auto decoded = decode_channel(record.document);
        if (decoded) channels.push_back(*std::move(decoded));
    }
    return channels;
}

result<channel> config_channel_store::find(std::string_view label) const {
    const auto stored = deps_.records.find(kinds::channel, label);
    if (!stored) return channel_not_found(label);
    return decode_channel(stored->document);
}

result<channel> config_channel_store::find_number(std::int64_t number) const {
    for (auto& channel : all())
        if (channel.number == number) return std::move(channel);
    return channel_not_found(std::to_string(number));
}

result<std::vector<channel>> config_channel_store::find_all(
    const std::vector<std::string>& labels) const {
    std::vector<channel> channels;
    for (const auto& label : labels) {
        TRY(auto found, find(label));
        channels.push_back(std::move(found));
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
        [document,
         label = channel.label](const std::string* current) -> result<std::optional<std::string>> {
            if (current != nullptr)
                return fail(
                    errc::conflict,
                    fmt::format("configuration channel \"{}\" already exists", label));
            return document;
        }));
    co_return channel;
}

// Changes the current record, so concurrent changes of other members are kept.
async<channel> config_channel_store::describe(
    std::string label, description description, std::string by) {
    const auto update =
        [label, description](const std::string* current) -> result<std::optional<std::string>> {
        if (current == nullptr) return channel_not_found(label);
        TRY(auto next, decode_channel(*current));
        next.name = description.name;
        next.description = description.text;
        CHECK_OK(check(next));
        return encode(next);
    };
    CO_TRY(
        const auto written,
        co_await deps_.records.alter(
            {.kind = std::string(kinds::channel), .name = label, .by = std::move(by)}, update));
    co_return decode_channel(written.document);
}

// Removes the channel first: from then on its files are not deployed.
async<void> config_channel_store::remove(std::string label, std::string by) {
    CO_TRY(const auto removed, find(label));
    const auto erase = [label](const std::string* current) -> result<std::optional<std::string>> {
        if (current == nullptr) return channel_not_found(label);
        return std::string();
    };
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(kinds::channel), .name = label, .by = by}, erase));
    CO_CHECK_OK(co_await deps_.files.remove_all(held_by_channel(removed.number)));
    const std::vector<std::string> removed_labels{label};
    const auto remove_label = [removed_labels](std::vector<std::string> current) {
        return remove_channels(std::move(current), removed_labels);
    };
    for (const auto& group : groups_with(label)) {
        CO_CHECK_OK(co_await change_group(group, remove_label, by));
    }
    const auto members = deps_.profiles.with_channel(label);
    const auto remove_from_profile =
        [removed_labels](fleet::system_profile& profile) -> result<void> {
        profile.config_channels =
            remove_channels(std::move(profile.config_channels), removed_labels);
        return {};
    };
    for (auto next = system_number(0);;) {
        const auto systems = members.page(next, fleet::system_profile_store::systems_max);
        if (systems.empty()) break;
        CO_CHECK_OK(co_await deps_.profiles.change(systems, remove_from_profile, by));
        next = systems.back().next();
    }
    co_return result<void>();
}

std::vector<std::string> config_channel_store::of_group(std::string_view group) const {
    const auto stored = deps_.records.find(kinds::group, group);
    return stored ? decode_labels(stored->document) : std::vector<std::string>();
}

std::map<std::string, std::vector<std::string>> config_channel_store::by_group() const {
    std::map<std::string, std::vector<std::string>> labels_by_group;
    const auto records = deps_.records.all_of(kinds::group);
    for (const auto& [group, record] : *records) {
        auto labels = decode_labels(record.document);
        if (!labels.empty()) labels_by_group.emplace(group, std::move(labels));
    }
    return labels_by_group;
}

async<bool> config_channel_store::has_any(std::string group) const {
    CO_TRY(const auto stored, co_await deps_.records.read(std::string(kinds::group), group));
    co_return !stored.document.empty() && !decode_labels(stored.document).empty();
}

async<void> config_channel_store::change_group(
    std::string group, list_change change, std::string by) {
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(kinds::group), .name = std::move(group), .by = std::move(by)},
        [change =
             std::move(change)](const std::string* current) -> result<std::optional<std::string>> {
            const auto labels =
                change(current == nullptr ? std::vector<std::string>() : decode_labels(*current));
            return labels.empty() ? std::string() : encode_labels(labels);
        }));
    co_return result<void>();
}

std::vector<std::string> config_channel_store::groups_with(std::string_view label) const {
    std::vector<std::string> groups;
    const auto records = deps_.records.all_of(kinds::group);
    for (const auto& [group, record] : *records) {
        const auto labels = decode_labels(record.document);
        if (std::ranges::find(labels, label) != labels.end()) groups.push_back(group);
    }
    return groups;
}

std::vector<std::string> remove_channels(
    std::vector<std::string> labels, const std::vector<std::string>& removed) {
    std::erase_if(labels, [&](const std::string& label) {
        return std::ranges::find(removed, label) != removed.end();
    });
    return labels;
}

std::vector<std::string> add_channels(
    std::vector<std::string> labels, const std::vector<std::string>& added, list_end position) {
    std::vector<std::string> result;
    const auto rest = remove_channels(std::move(labels), added);
    const auto& first = position == list_end::front ? added : rest;
    const auto& second = position == list_end::front ? rest : added;
    for (const auto* part : {&first, &second}) {
        for (const auto& label : *part)
            if (std::ranges::find(result, label) == result.end()) result.push_back(label);
    }
    return result;
}

}  // namespace muster::configuration
