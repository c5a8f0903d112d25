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
    return std::visit([](const auto& one) -> std::string_view { return one.key; }, condition);
}

}  // namespace

bool claims::erased(std::string_view key) const {
    return std::ranges::any_of(
        erased_prefixes_, [key](std::string_view prefix) { return key.starts_with(prefix); });
}

bool claims::written(std::string_view key) const {
    const auto it = keys_.find(key);
    return (it != keys_.end() && it->second == use::written) || erased(key);
}

bool claims::claimed(std::string_view key) const {
    return keys_.contains(key) || erased(key);
}

bool claims::touched_under(std::string_view prefix) const {
    const auto is_under = [prefix](std::string_view key) {
        return key.starts_with(prefix);
    };
    return std::ranges::any_of(std::views::keys(keys_), is_under)
           || std::ranges::any_of(erased_prefixes_, is_under) || erased(prefix);
}

bool claims::conflicts_with(const kv::transaction& change) const {
    const bool reads_written = std::ranges::any_of(
        change.when, [this](const kv::condition& condition) { return written(key_of(condition)); });
    if (reads_written) return true;
    return std::ranges::any_of(change.then, [this](const kv::operation& operation) {
        if (const auto* const put = std::get_if<kv::put>(&operation)) return claimed(put->key);
        if (const auto* const erase = std::get_if<kv::erase>(&operation))
            return claimed(erase->key);
        return touched_under(std::get<kv::erase_prefix>(operation).prefix);
    });
}

void claims::add(const kv::transaction& change) {
    for (const auto& one : change.when) keys_.try_emplace(key_of(one), use::read);
    for (const auto& one : change.then) {
        if (const auto* const put = std::get_if<kv::put>(&one)) keys_[put->key] = use::written;
        if (const auto* const erase = std::get_if<kv::erase>(&one))
            keys_[erase->key] = use::written;
        if (const auto* const all = std::get_if<kv::erase_prefix>(&one))
            erased_prefixes_.insert(all->prefix);
    }
}

std::size_t width_of(const kv::transaction& change) {
    return std::max({std::size_t{1}, change.when.size(), change.then.size()});
}

std::size_t encoded_bytes_of(const kv::transaction& change) {
    std::size_t bytes = kv::bytes_of(change);
    for (const auto& one : change.when) bytes += key_of(one).size();
    return bytes + overhead_bytes * (1 + 2 * change.when.size() + change.then.size());
}

std::list<waiting_commit> take_batch(std::list<waiting_commit>& queue, const batch_limits& limits) {
    MUSTER_ASSERT(!queue.empty());
    std::list<waiting_commit> batch;
    claims claimed;
    std::size_t widest = 0;
    std::size_t bytes = 0;
    std::size_t looked_at = 0;
    for (auto next = queue.begin(); next != queue.end() && looked_at < limits.looked_at_max;
         ++looked_at) {
        const auto one = next++;
        const bool free = !claimed.conflicts_with(one->change());
        const auto width = std::max(widest, width_of(one->change()));
        const bool fits = batch.empty()
                          || (batch.size() + 1 + width <= limits.operations_max
                              && bytes + one->bytes() <= limits.bytes_max);
        if (free && !fits) break;
        claimed.add(one->change());
        if (!free) {
            one->pass_over();
            continue;
        }
        widest = width;
        bytes += one->bytes();
        batch.splice(batch.end(), queue, one);
    }
    return batch;
}

std::size_t joint_width_of(const std::list<waiting_commit>& batch) {
    std::size_t conditions = 0;
    std::size_t operations = 0;
    for (const auto& one : batch) {
        conditions += one.change().when.size();
        operations += one.change().then.size();
    }
    return std::max(conditions, operations);
}

}  // namespace muster::etcd
