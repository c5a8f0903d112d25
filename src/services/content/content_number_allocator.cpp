#include "services/content/content_number_allocator.h"

#include "services/cluster/number_range.h"

namespace muster::content {

async<std::uint32_t> content_number_allocator::take(std::size_t count) {
    auto work = cluster::reserve_numbers(
        metastore_,
        {.key = "counters/content",
         .subject = "packages and channels",
         .count = static_cast<std::int64_t>(count)});
    CO_TRY(const auto first, co_await std::move(work));
    co_return static_cast<std::uint32_t>(first);
}

}  // namespace muster::content
