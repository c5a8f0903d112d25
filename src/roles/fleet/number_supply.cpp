#include "roles/fleet/number_supply.h"

#include "roles/cluster/keys.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace muster::fleet {
namespace {

constexpr int attempts_max = 50;

result<std::int64_t> last_given(const std::optional<kv::entry>& stored) {
    if (!stored) return 0;
    std::int64_t last = 0;
    const auto* const end = stored->value.data() + stored->value.size();
    const auto [stopped, failure] = std::from_chars(stored->value.data(), end, last);
    if (failure != std::errc() || stopped != end || last < 0)
        return fail(errc::corrupt, "the counter of systems' numbers is not a number");
    return last;
}

}  // namespace

std::vector<system_number> number_supply::take_held(std::size_t count) {
    const std::lock_guard lock(guard_);
    if (held_.size() < count) return {};
    const auto end = held_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<system_number> taken(held_.begin(), end);
    held_.erase(held_.begin(), end);
    return taken;
}

void number_supply::give_back(std::vector<system_number> unused) {
    const std::lock_guard lock(guard_);
    held_.insert(held_.begin(), unused.begin(), unused.end());
}

// A commit whose outcome is unknown costs a gap at most: the counter is read again.
async<void> number_supply::reserve(std::int64_t count) {
    const std::string key(cluster::keys::last_system_number);
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto there, co_await store_.get(key));
        CO_TRY(const auto last, last_given(there.found));
        if (last > number_max - count)
            co_return fail(errc::conflict, "all numbers for systems are used up");
        kv::transaction change;
        if (there.found) {
            change.when.push_back(kv::unchanged{.key = key, .modified = there.found->modified});
        } else {
            change.when.push_back(kv::absent{key});
        }
        change.then.push_back(kv::put{.key = key, .value = std::to_string(last + count)});
        const auto verdict = co_await store_.commit(std::move(change));
        if (!verdict && verdict.error().code() != errc::timed_out) co_return fail(verdict.error());
        if (!verdict || !verdict->committed) continue;
        const std::lock_guard lock(guard_);
        for (auto each = last + 1; each <= last + count; ++each) held_.emplace_back(each);
        co_return result<void>();
    }
    co_return fail(errc::unavailable, "too many servers take numbers at the same time");
}

async<std::vector<system_number>> number_supply::take(std::size_t count) {
    if (count == 0) co_return std::vector<system_number>();
    while (true) {
        auto taken = take_held(count);
        if (!taken.empty()) co_return taken;
        const auto wanted = std::max(static_cast<std::int64_t>(count), range_);
        CO_CHECK_OK(co_await reserve(wanted));
    }
}

}  // namespace muster::fleet
