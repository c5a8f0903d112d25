#include "core/kv/validate.h"

#include "base/hex.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace muster::kv {
namespace {

template <class... Cases>
struct overloaded : Cases... {
    using Cases::operator()...;
};

std::size_t bytes_of(const condition& condition) {
    return std::visit(
        overloaded{
            [](const value_is& value_is) { return value_is.key.size() + value_is.value.size(); },
            [](const auto& one) { return one.key.size(); },
        },
        condition);
}

std::size_t bytes_of(const operation& operation) {
    return std::visit(
        overloaded{
            [](const put& put) { return put.key.size() + put.value.size(); },
            [](const erase& erase) { return erase.key.size(); },
            [](const erase_prefix& erase_prefix) { return erase_prefix.prefix.size(); },
        },
        operation);
}

result<void> check_value(std::string_view key, std::string_view value) {
    if (value.size() <= limits::value_bytes_max) return {};
    return fail(
        errc::invalid,
        "the value of " + printable(key) + " has " + std::to_string(value.size())
            + " bytes, the limit is " + std::to_string(limits::value_bytes_max));
}

result<void> check_condition(const condition& condition) {
    CHECK_OK(std::visit([](const auto& one) { return check_key(one.key); }, condition));
    const auto* const compared = std::get_if<value_is>(&condition);
    return compared == nullptr ? result<void>() : check_value(compared->key, compared->value);
}

result<void> check_operation(const operation& operation) {
    return std::visit(
        overloaded{
            [](const put& put) -> result<void> {
                CHECK_OK(check_key(put.key));
                return check_value(put.key, put.value);
            },
            [](const erase& erase) { return check_key(erase.key); },
            [](const erase_prefix& erase_prefix) { return check_key(erase_prefix.prefix); },
        },
        operation);
}

result<void> touched_twice(std::string_view key) {
    return fail(errc::invalid, "two operations of the transaction touch " + printable(key));
}

// Sorted and found free of overlaps, prefixes leave one candidate for each key: the last one that
// does not come after it.
result<void> check_keys_outside(
    const std::vector<std::string_view>& prefixes, const std::vector<std::string_view>& keys) {
    for (const auto key : keys) {
        const auto after = std::ranges::upper_bound(prefixes, key);
        if (after != prefixes.begin() && key.starts_with(*(after - 1))) return touched_twice(key);
    }
    return {};
}

result<void> check_touched_once(const std::vector<operation>& operations) {
    if (operations.size() < 2) return {};
    std::vector<std::string_view> keys;
    std::vector<std::string_view> prefixes;
    for (const operation& one : operations) {
        if (const auto* const written = std::get_if<put>(&one)) keys.push_back(written->key);
        if (const auto* const gone = std::get_if<erase>(&one)) keys.push_back(gone->key);
        if (const auto* const all = std::get_if<erase_prefix>(&one))
            prefixes.push_back(all->prefix);
    }
    std::ranges::sort(keys);
    std::ranges::sort(prefixes);
    const auto twice = std::ranges::adjacent_find(keys);
    if (twice != keys.end()) return touched_twice(*twice);
    const auto nested = std::ranges::adjacent_find(
        prefixes,
        [](std::string_view outer, std::string_view inner) { return inner.starts_with(outer); });
    if (nested != prefixes.end()) return touched_twice(*(nested + 1));
    return check_keys_outside(prefixes, keys);
}

result<void> check_count(std::string_view text, std::size_t count, std::size_t count_max) {
    if (count <= count_max) return {};
    return fail(
        errc::invalid,
        "the transaction has " + std::to_string(count) + " " + std::string(text) + ", the limit is "
            + std::to_string(count_max));
}

}  // namespace

std::string printable(std::string_view key) {
    constexpr std::size_t shown_max = 64;
    std::string text = "\"";
    for (const char letter : key.substr(0, shown_max)) {
        const bool plain = letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
        if (plain) {
            text += letter;
        } else {
            text += "\\x" + to_hex(std::string_view(&letter, 1));
        }
    }
    return text + (key.size() > shown_max ? "\"..." : "\"");
}

std::size_t bytes_of(const transaction& change) {
    std::size_t bytes = 0;
    for (const condition& condition : change.when) bytes += bytes_of(condition);
    for (const operation& operation : change.then) bytes += bytes_of(operation);
    return bytes;
}

result<void> check_key(std::string_view key) {
    if (key.empty()) return fail(errc::invalid, "a key or prefix must not be empty");
    if (key.size() <= limits::key_bytes_max) return {};
    return fail(
        errc::invalid,
        "the key " + printable(key) + " has " + std::to_string(key.size()) + " bytes, the limit is "
            + std::to_string(limits::key_bytes_max));
}

result<void> check_range(const range_request& request) {
    if (request.limit == 0) return fail(errc::invalid, "a range of no entries was asked for");
    if (request.limit > limits::page_entries_max) {
        return fail(
            errc::invalid,
            "a page of " + std::to_string(request.limit) + " entries was asked for, the limit is "
                + std::to_string(limits::page_entries_max));
    }
    if (!request.prefix.empty()) {
        CHECK_OK(check_key(request.prefix));
    }
    return request.after.empty() ? result<void>() : check_key(request.after);
}

result<void> check_ttl(std::chrono::seconds ttl) {
    if (ttl >= limits::lease_ttl_min && ttl <= limits::lease_ttl_max) return {};
    return fail(
        errc::invalid,
        "a lease of " + std::to_string(ttl.count()) + " s was asked for, possible are "
            + std::to_string(limits::lease_ttl_min.count()) + " s to "
            + std::to_string(limits::lease_ttl_max.count()) + " s");
}

result<void> check_transaction(const transaction& change) {
    CHECK_OK(check_count("conditions", change.when.size(), limits::conditions_max));
    CHECK_OK(check_count("operations", change.then.size(), limits::operations_max));
    CHECK_OK(check_count("bytes", bytes_of(change), limits::transaction_bytes_max));
    for (const condition& condition : change.when) {
        CHECK_OK(check_condition(condition));
    }
    for (const operation& operation : change.then) {
        CHECK_OK(check_operation(operation));
    }
    return check_touched_once(change.then);
}

}  // namespace muster::kv
