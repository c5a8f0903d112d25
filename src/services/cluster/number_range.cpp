#include "services/cluster/number_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::cluster {
namespace {

constexpr int attempts_max = 50;

result<std::int64_t> last_given(const std::optional<kv::entry>& stored, const std::string& of) {
    if (!stored) return 0;
    std::int64_t last = 0;
    const auto* const end = stored->value.data() + stored->value.size();
    const auto [stopped, failure] = std::from_chars(stored->value.data(), end, last);
    if (failure != std::errc() || stopped != end || last < 0)
        return fail(errc::corrupt, "the counter of numbers for " + of + " is not a number");
    return last;
}

}  // namespace

// A commit whose outcome is unknown costs a gap at most: the counter is read again.
async<std::int64_t> reserve_numbers(muster::metastore& metastore, wanted_numbers wanted_numbers) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto there, co_await metastore.get(wanted_numbers.key));
        CO_TRY(const auto counted, last_given(there.found, wanted_numbers.of));
        const auto last = std::max(counted, wanted_numbers.above);
        if (last > wanted_numbers.number_max - wanted_numbers.count)
            co_return fail(errc::conflict, "all numbers for " + wanted_numbers.of + " are used up");
        kv::transaction change;
        if (there.found) {
            change.when.push_back(
                kv::unchanged{.key = wanted_numbers.key, .modified = there.found->modified});
        } else {
            change.when.push_back(kv::absent{wanted_numbers.key});
        }
        change.then.push_back(kv::put{
            .key = wanted_numbers.key, .value = std::to_string(last + wanted_numbers.count)});
        const auto verdict = co_await metastore.commit(std::move(change));
        if (!verdict && verdict.error().code() != errc::timed_out) co_return fail(verdict.error());
        if (verdict && verdict->committed) co_return last + 1;
    }
    co_return fail(errc::unavailable, "too many servers take numbers at the same time");
}

}  // namespace muster::cluster
