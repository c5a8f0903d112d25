#include "services/fleet/system_number_allocator.h"

#include "services/cluster/keys.h"
#include "services/cluster/number_range.h"

#include <algorithm>
#include <string>

namespace muster::fleet {

std::vector<system_number> system_number_allocator::pop_reserved(std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (reserved_.size() < count) return {};
    const auto end = reserved_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<system_number> numbers(reserved_.begin(), end);
    reserved_.erase(reserved_.begin(), end);
    return numbers;
}

void system_number_allocator::return_unused(std::vector<system_number> unused) {
    const std::lock_guard lock(mutex_);
    reserved_.insert(reserved_.begin(), unused.begin(), unused.end());
}

async<void> system_number_allocator::reserve(std::int64_t count) {
    cluster::number_request request{
        .key = std::string(cluster::keys::last_system_number), .subject = "systems"};
    request.count = count;
    request.number_max = number_max;
    CO_TRY(const auto first, co_await cluster::reserve_numbers(metastore_, std::move(request)));
    const std::lock_guard lock(mutex_);
    for (auto number = first; number < first + count; ++number) reserved_.emplace_back(number);
    co_return result<void>();
}

async<std::vector<system_number>> system_number_allocator::allocate(std::size_t count) {
    if (count == 0) co_return std::vector<system_number>();
    while (true) {
        auto numbers = pop_reserved(count);
        if (!numbers.empty()) co_return numbers;
        const auto range = std::max(static_cast<std::int64_t>(count), range_);
        CO_CHECK_OK(co_await reserve(range));
    }
}

}  // namespace muster::fleet
