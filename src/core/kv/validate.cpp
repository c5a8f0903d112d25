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
            [](const auto& alternative) { return alternative.key.size(); },
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
        "value of " + printable(key) + " has " + std::to_string(value.size())
            + " bytes, the limit is " + std::to_string(limits::value_bytes_max));
}

result<void> check_condition(const condition& condition) {
    CHECK_OK(
        std::visit([](const auto& alternative) { return check_key(alternative.key); }, condition));
    const auto* const comparison = std::get_if<value_is>(&condition);
    return comparison == nullptr ? result<void>() : check_value(comparison->key, comparison->value);
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

result<void> duplicate_key(std::string_view key) {
    return fail(errc::invalid, "transaction has two operations on " + printable(key));
}

// `prefixes` is sorted and free of overlaps. So only the last prefix not after a key can contain
// it.
result<void> check_keys_outside(
    const std::vector<std::string_view>& prefixes, const std::vector<std::string_view>& keys) {
    for (const auto key : keys) {
        const auto it = std::ranges::upper_bound(prefixes, key);
        if (it != prefixes.begin() && key.starts_with(*(it - 1))) return duplicate_key(key);
    }
    return {};
}

result<void> check_unique_keys(const std::vector<operation>& operations) {
    if (operations.size() < 2) return {};
    std::vector<std::string_view> keys;
    std::vector<std::string_view> prefixes;
    for (const kv::operation& operation : operations) {
        if (const auto* const write = std::get_if<put>(&operation)) keys.push_back(write->key);
        if (const auto* const erasure = std::get_if<erase>(&operation))
            keys.push_back(erasure->key);
        if (const auto* const prefix_erase = std::get_if<erase_prefix>(&operation))
            prefixes.push_back(prefix_erase->prefix);
    }
    std::ranges::sort(keys);
    std::ranges::sort(prefixes);
    const auto duplicate = std::ranges::adjacent_find(keys);
    if (duplicate != keys.end()) return duplicate_key(*duplicate);
    const auto nested = std::ranges::adjacent_find(
        prefixes,
        [](std::string_view outer, std::string_view inner) { return inner.starts_with(outer); });
    if (nested != prefixes.end()) return duplicate_key(*(nested + 1));
    return check_keys_outside(prefixes, keys);
}

result<void> check_count(std::string_view text, std::size_t count, std::size_t count_max) {
    if (count <= count_max) return {};
    return fail(
        errc::invalid,
        "transaction has " + std::to_string(count) + " " + std::string(text) + ", the limit is "
            + std::to_string(count_max));
}

}  // namespace

std::string printable(std::string_view key) {
    constexpr std::size_t length_max = 64;
    std::string text = "\"";
    for (const char letter : key.substr(0, length_max)) {
        const bool plain = letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
        if (plain) {
            text += letter;
        } else {
            text += "\\x" + to_hex(std::string_view(&letter, 1));
        }
    }
    return text + (key.size() > length_max ? "\"..." : "\"");
}

std::size_t bytes_of(const kv::transaction& transaction) {
    std::size_t bytes = 0;
    for (const condition& condition : transaction.when) bytes += bytes_of(condition);
    for (const kv::operation& operation : transaction.then) bytes += bytes_of(operation);
    return bytes;
}

result<void> check_key(std::string_view key) {
    if (key.empty()) return fail(errc::invalid, "key or prefix is empty");
    if (key.size() <= limits::key_bytes_max) return {};
    return fail(
        errc::invalid,
        "key " + printable(key) + " has " + std::to_string(key.size()) + " bytes, the limit is "
            + std::to_string(limits::key_bytes_max));
}

result<void> check_range(const range_request& request) {
    if (request.limit == 0) return fail(errc::invalid, "range limit must be at least 1");
    if (request.limit > limits::page_entries_max) {
        return fail(
            errc::invalid,
            "requested page has " + std::to_string(request.limit) + " entries, the limit is "
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
        "lease TTL of " + std::to_string(ttl.count())
            + " s is out of range: " + std::to_string(limits::lease_ttl_min.count()) + " s to "
            + std::to_string(limits::lease_ttl_max.count()) + " s");
}

result<void> check_transaction(const kv::transaction& transaction) {
    CHECK_OK(check_count("conditions", transaction.when.size(), limits::conditions_max));
    CHECK_OK(check_count("operations", transaction.then.size(), limits::operations_max));
    CHECK_OK(check_count("bytes", bytes_of(transaction), limits::transaction_bytes_max));
    for (const condition& condition : transaction.when) {
        CHECK_OK(check_condition(condition));
    }
    for (const kv::operation& operation : transaction.then) {
        CHECK_OK(check_operation(operation));
    }
    return check_unique_keys(transaction.then);
}

}  // namespace muster::kv
