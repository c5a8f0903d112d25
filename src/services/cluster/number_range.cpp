#include "services/cluster/number_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::cluster {
namespace {

constexpr int attempts_max = 50;

result<std::int64_t> decode_counter(
    const std::optional<kv::entry>& stored, const std::string& subject) {
    if (!stored) return 0;
    std::int64_t last = 0;
    const auto* const end = stored->value.data() + stored->value.size();
    const auto [stop, failure] = std::from_chars(stored->value.data(), end, last);
    if (failure != std::errc() || stop != end || last < 0)
        return fail(errc::corrupt, "number counter of " + subject + " is not a number");
    return last;
}

}  // namespace

// A commit with an unknown outcome costs at most a gap, because the counter is read again.
async<std::int64_t> reserve_numbers(muster::metastore& metastore, number_request request) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto counter, co_await metastore.get(request.key));
        CO_TRY(const auto counted, decode_counter(counter.found, request.subject));
        const auto last = std::max(counted, request.above);
        if (last > request.number_max - request.count)
            co_return fail(errc::conflict, "number range of " + request.subject + " is exhausted");
        kv::transaction change;
        if (counter.found) {
            change.when.push_back(
                kv::unchanged{.key = request.key, .modified = counter.found->modified});
        } else {
            change.when.push_back(kv::absent{request.key});
        }
        change.then.push_back(
            kv::put{.key = request.key, .value = std::to_string(last + request.count)});
        const auto outcome = co_await metastore.commit(std::move(change));
        if (!outcome && outcome.error().code() != errc::timed_out) co_return fail(outcome.error());
        if (outcome && outcome->committed) co_return last + 1;
    }
    co_return fail(errc::unavailable, "number counter was modified concurrently; retry");
}

}  // namespace muster::cluster
