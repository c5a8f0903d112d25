#include "services/fleet/number_supply.h"

#include "services/cluster/keys.h"
#include "services/cluster/number_range.h"

#include <algorithm>
#include <string>

namespace muster::fleet {

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

async<void> number_supply::reserve(std::int64_t count) {
    cluster::wanted_numbers wanted{
        .key = std::string(cluster::keys::last_system_number), .of = "systems"};
    wanted.count = count;
    wanted.number_max = number_max;
    CO_TRY(const auto first, co_await cluster::take_numbers(store_, std::move(wanted)));
    const std::lock_guard lock(guard_);
    for (auto each = first; each < first + count; ++each) held_.emplace_back(each);
    co_return result<void>();
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
