#include "services/configuration/channel_book.h"

#include "services/cluster/number_range.h"
#include "runtime/json/record_reader.h"

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
    cluster::wanted_numbers wanted{.key = name, .of = "configuration"};
    return cluster::take_numbers(from, std::move(wanted));
}

std::vector<channel> channel_book::all() const {
    std::vector<channel> made;
    const auto known = around_.records.of(kinds::channel);
    for (const auto& [label, each] : *known) {
        auto one = decode_channel(each.document);
        if (one) made.push_back(*std::move(one));
    }
    return made;
}

result<channel> channel_book::find(std::string_view label) const {
    const auto found = around_.records.find(kinds::channel, label);
    if (!found) return no_channel(label);
    return decode_channel(found->document);
}

result<channel> channel_book::find_number(std::int64_t number) const {
    for (auto& each : all())
        if (each.number == number) return std::move(each);
    return no_channel(std::to_string(number));
}

result<std::vector<channel>> channel_book::find_all(const std::vector<std::string>& labels) const {
    std::vector<channel> made;
    for (const auto& each : labels) {
        TRY(auto one, find(each));
        made.push_back(std::move(one));
    }
    return made;
}

async<channel> channel_book::add(channel wanted, std::string by) {
    CO_CHECK_OK(check(wanted));
    CO_TRY(wanted.number, co_await next_number(around_.numbers, counter));
    wanted.made = around_.time.wall();
    const auto document = encode(wanted);
    CO_CHECK_OK(co_await around_.records.alter(
        {.kind = std::string(kinds::channel), .name = wanted.label, .by = std::move(by)},
        [document](const std::string* now) -> result<std::optional<std::string>> {
            if (now != nullptr)
                return fail(errc::conflict, "there is a configuration channel of this label");
            return document;
        }));
    co_return wanted;
}

// Of what stands there then: whoever gives it another type or number meanwhile is not overruled.
async<channel> channel_book::describe(std::string label, description wanted, std::string by) {
    const auto anew = [label,
                       wanted](const std::string* now) -> result<std::optional<std::string>> {
        if (now == nullptr) return no_channel(label);
        TRY(auto next, decode_channel(*now));
        next.name = wanted.name;
        next.description = wanted.text;
        CHECK_OK(check(next));
        return encode(next);
    };
    CO_TRY(
        const auto written,
        co_await around_.records.alter(
            {.kind = std::string(kinds::channel), .name = label, .by = std::move(by)}, anew));
    co_return decode_channel(written.document);
}

// The channel first: from then on nobody is given its files any more.
async<void> channel_book::remove(std::string label, std::string by) {
    CO_TRY(const auto gone, find(label));
    const auto erase = [label](const std::string* now) -> result<std::optional<std::string>> {
        if (now == nullptr) return no_channel(label);
        return std::string();
    };
    CO_CHECK_OK(co_await around_.records.alter(
        {.kind = std::string(kinds::channel), .name = label, .by = by}, erase));
    CO_CHECK_OK(co_await around_.files.remove_all(held_by_channel(gone.number)));
    const std::vector<std::string> alone{label};
    const auto without = [alone](std::vector<std::string> now) {
        return without_channels(std::move(now), alone);
    };
    for (const auto& each : groups_with(label)) {
        CO_CHECK_OK(co_await change_group(each, without, by));
    }
    const auto members = around_.profiles.with_channel(label);
    const auto drop = [alone](fleet::system_profile& one) -> result<void> {
        one.config_channels = without_channels(std::move(one.config_channels), alone);
        return {};
    };
    for (auto from = system_number(0);;) {
        const auto some = members.page(from, fleet::profile_book::systems_max);
        if (some.empty()) break;
        CO_CHECK_OK(co_await around_.profiles.change(some, drop, by));
        from = some.back().next();
    }
    co_return result<void>();
}

std::vector<std::string> channel_book::of_group(std::string_view group) const {
    const auto found = around_.records.find(kinds::group, group);
    return found ? labels_in(found->document) : std::vector<std::string>();
}

std::map<std::string, std::vector<std::string>> channel_book::by_group() const {
    std::map<std::string, std::vector<std::string>> made;
    const auto known = around_.records.of(kinds::group);
    for (const auto& [group, each] : *known) {
        auto labels = labels_in(each.document);
        if (!labels.empty()) made.emplace(group, std::move(labels));
    }
    return made;
}

async<bool> channel_book::has_any(std::string group) const {
    CO_TRY(const auto now, co_await around_.records.read(std::string(kinds::group), group));
    co_return !now.document.empty() && !labels_in(now.document).empty();
}

async<void> channel_book::change_group(std::string group, list_change how, std::string by) {
    CO_CHECK_OK(co_await around_.records.alter(
        {.kind = std::string(kinds::group), .name = std::move(group), .by = std::move(by)},
        [how = std::move(how)](const std::string* now) -> result<std::optional<std::string>> {
            const auto labels = how(now == nullptr ? std::vector<std::string>() : labels_in(*now));
            return labels.empty() ? std::string() : encode_labels(labels);
        }));
    co_return result<void>();
}

std::vector<std::string> channel_book::groups_with(std::string_view label) const {
    std::vector<std::string> made;
    const auto known = around_.records.of(kinds::group);
    for (const auto& [group, each] : *known) {
        const auto labels = labels_in(each.document);
        if (std::ranges::find(labels, label) != labels.end()) made.push_back(group);
    }
    return made;
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
    std::vector<std::string> made;
    const auto rest = without_channels(std::move(now), added);
    const auto& first = to == where::front ? added : rest;
    const auto& second = to == where::front ? rest : added;
    for (const auto* part : {&first, &second}) {
        for (const auto& each : *part)
            if (std::ranges::find(made, each) == made.end()) made.push_back(each);
    }
    return made;
}

}  // namespace muster::configuration
