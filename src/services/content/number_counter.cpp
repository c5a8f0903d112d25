#include "services/content/number_counter.h"

#include "services/cluster/number_range.h"

namespace muster::content {

async<std::uint32_t> number_counter::take(std::size_t count) {
    auto work = cluster::take_numbers(
        store_,
        {.key = "counters/content",
         .of = "packages and channels",
         .count = static_cast<std::int64_t>(count)});
    CO_TRY(const auto first, co_await std::move(work));
    co_return static_cast<std::uint32_t>(first);
}

}  // namespace muster::content
