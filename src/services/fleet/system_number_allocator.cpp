#include "services/fleet/system_number_allocator.h"

#include "services/cluster/keys.h"
#include "services/cluster/number_range.h"

#include <algorithm>
#include <string>

namespace muster::fleet {

std::vector<system_number> system_number_allocator::take_held(std::size_t count) {
    const std::lock_guard lock(guard_);
    if (held_.size() < count) return {};
    const auto end = held_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<system_number> system_numbers(held_.begin(), end);
    held_.erase(held_.begin(), end);
    return system_numbers;
}

void system_number_allocator::release_memory(std::vector<system_number> unused) {
    const std::lock_guard lock(guard_);
    held_.insert(held_.begin(), unused.begin(), unused.end());
}

async<void> system_number_allocator::reserve(std::int64_t count) {
    cluster::wanted_numbers wanted_numbers{
        .key = std::string(cluster::keys::last_system_number), .of = "systems"};
    wanted_numbers.count = count;
    wanted_numbers.number_max = number_max;
    CO_TRY(
        const auto first, co_await cluster::reserve_numbers(metastore_, std::move(wanted_numbers)));
    const std::lock_guard lock(guard_);
    for (auto each = first; each < first + count; ++each) held_.emplace_back(each);
    co_return result<void>();
}

async<std::vector<system_number>> system_number_allocator::take(std::size_t count) {
    if (count == 0) co_return std::vector<system_number>();
    while (true) {
        auto held = take_held(count);
        if (!held.empty()) co_return held;
        const auto desired = std::max(static_cast<std::int64_t>(count), range_);
        CO_CHECK_OK(co_await reserve(desired));
    }
}

}  // namespace muster::fleet
