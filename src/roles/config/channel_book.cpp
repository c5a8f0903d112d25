#include "roles/config/channel_book.h"

#include "roles/cluster/json_members.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::config {
namespace {

namespace json = boost::json;

constexpr int attempts_max = 50;
constexpr const char* counter = "counters/configuration";

std::unexpected<error> no_channel(std::string_view label) {
    return fail(errc::not_found, fmt::format("There is no configuration channel {}", label));
}

std::string encode_labels(const std::vector<std::string>& labels) {
    return json::serialize(json::object{{"channels", cluster::stored_list(labels)}});
}

std::vector<std::string> labels_in(std::string_view document) {
    auto all = cluster::json_members::of("group's channels", document);
    return all ? all->list("channels") : std::vector<std::string>();
}

}  // namespace

async<std::int64_t> next_number(metastore& from, std::string name) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto there, co_await from.get(name));
        std::int64_t last = 0;
        if (there.found) {
            const auto& text = there.found->value;
            const auto [end, failure] =
                std::from_chars(text.data(), text.data() + text.size(), last);
            if (failure != std::errc() || end != text.data() + text.size() || last < 0)
                co_return fail(errc::corrupt, name + " is not a number");
        }
        if (last >= INT32_MAX) co_return fail(errc::conflict, "all numbers are used up");
        kv::transaction change;
        if (there.found) {
            change.when.push_back(kv::unchanged{.key = name, .modified = there.found->modified});
        } else {
            change.when.push_back(kv::absent{name});
        }
        change.then.push_back(kv::put{.key = name, .value = std::to_string(last + 1)});
        const auto verdict = co_await from.commit(std::move(change));
        // Whether a commit without an answer happened is no matter: a number may be left out.
        if (!verdict && verdict.error().code() != errc::timed_out) co_return fail(verdict.error());
        if (verdict && verdict->committed) co_return last + 1;
    }
    co_return fail(errc::unavailable, "too many take numbers at the same time");
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

async<channel> channel_book::describe(channel wanted, std::string by) {
    CO_CHECK_OK(check(wanted));
    const auto document = encode(wanted);
    CO_CHECK_OK(co_await around_.records.alter(
        {.kind = std::string(kinds::channel), .name = wanted.label, .by = std::move(by)},
        [document,
         label = wanted.label](const std::string* now) -> result<std::optional<std::string>> {
            if (now == nullptr) return no_channel(label);
            return document;
        }));
    co_return wanted;
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
    for (const auto& each : groups_with(label)) {
        CO_CHECK_OK(co_await set_group(each, without_channels(of_group(each), alone), by));
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

async<void> channel_book::set_group(
    std::string group, std::vector<std::string> labels, std::string by) {
    CO_CHECK_OK(co_await around_.records.alter(
        {.kind = std::string(kinds::group), .name = std::move(group), .by = std::move(by)},
        [labels](const std::string*) -> result<std::optional<std::string>> {
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

}  // namespace muster::config
