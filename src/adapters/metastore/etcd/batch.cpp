#include "adapters/metastore/etcd/batch.h"

#include "base/assert.h"
#include "core/kv/validate.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <variant>

namespace muster::etcd {
namespace {

// Beside keys and values a condition or operation has tags, lengths and numbers, and the key of a
// condition comes twice: refused transactions read it.
constexpr std::size_t overhead_bytes = 64;

std::string_view key_of(const kv::condition& condition) {
    return std::visit([](const auto& item) -> std::string_view { return item.key; }, condition);
}

}  // namespace

bool key_conflicts::is_erased(std::string_view key) const {
    return std::ranges::any_of(
        erased_prefixes_, [key](std::string_view prefix) { return key.starts_with(prefix); });
}

bool key_conflicts::is_written(std::string_view key) const {
    const auto it = keys_.find(key);
    return (it != keys_.end() && it->second == use::written) || is_erased(key);
}

bool key_conflicts::is_used(std::string_view key) const {
    return keys_.contains(key) || is_erased(key);
}

bool key_conflicts::is_prefix_used(std::string_view prefix) const {
    const auto is_under = [prefix](std::string_view key) {
        return key.starts_with(prefix);
    };
    return std::ranges::any_of(std::views::keys(keys_), is_under)
           || std::ranges::any_of(erased_prefixes_, is_under) || is_erased(prefix);
}

bool key_conflicts::conflicts_with(const kv::transaction& change) const {
    const bool reads_written = std::ranges::any_of(
        change.when,
        [this](const kv::condition& condition) { return is_written(key_of(condition)); });
    if (reads_written) return true;
    return std::ranges::any_of(change.then, [this](const kv::operation& operation) {
        if (const auto* const put = std::get_if<kv::put>(&operation)) return is_used(put->key);
        if (const auto* const erase = std::get_if<kv::erase>(&operation))
            return is_used(erase->key);
        return is_prefix_used(std::get<kv::erase_prefix>(operation).prefix);
    });
}

void key_conflicts::add(const kv::transaction& change) {
    for (const auto& condition : change.when) keys_.try_emplace(key_of(condition), use::read);
    for (const auto& operation : change.then) {
        if (const auto* const put = std::get_if<kv::put>(&operation))
            keys_[put->key] = use::written;
        if (const auto* const erase = std::get_if<kv::erase>(&operation))
            keys_[erase->key] = use::written;
        if (const auto* const erase_prefix = std::get_if<kv::erase_prefix>(&operation))
            erased_prefixes_.insert(erase_prefix->prefix);
    }
}

std::size_t transaction_width(const kv::transaction& change) {
    return std::max({std::size_t{1}, change.when.size(), change.then.size()});
}

std::size_t encoded_size(const kv::transaction& change) {
    std::size_t bytes = kv::bytes_of(change);
    for (const auto& condition : change.when) bytes += key_of(condition).size();
    return bytes + overhead_bytes * (1 + 2 * change.when.size() + change.then.size());
}

std::list<waiting_commit> pop_batch(std::list<waiting_commit>& queue, const batch_limits& limits) {
    MUSTER_ASSERT(!queue.empty());
    std::list<waiting_commit> batch;
    key_conflicts conflicts;
    std::size_t widest = 0;
    std::size_t bytes = 0;
    std::size_t examined = 0;
    for (auto next = queue.begin(); next != queue.end() && examined < limits.examined_max;
         ++examined) {
        const auto commit = next++;
        const bool independent = !conflicts.conflicts_with(commit->change());
        const auto width = std::max(widest, transaction_width(commit->change()));
        const bool fits = batch.empty()
                          || (batch.size() + 1 + width <= limits.operations_max
                              && bytes + commit->bytes() <= limits.bytes_max);
        if (independent && !fits) break;
        conflicts.add(commit->change());
        if (!independent) {
            commit->mark_skipped();
            continue;
        }
        widest = width;
        bytes += commit->bytes();
        batch.splice(batch.end(), queue, commit);
    }
    return batch;
}

std::size_t joined_width(const std::list<waiting_commit>& batch) {
    std::size_t conditions = 0;
    std::size_t operations = 0;
    for (const auto& commit : batch) {
        conditions += commit.change().when.size();
        operations += commit.change().then.size();
    }
    return std::max(conditions, operations);
}

}  // namespace muster::etcd
