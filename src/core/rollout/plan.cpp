#include "core/rollout/plan.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::rollout {
namespace {

// The member with `position` smaller ones before it.
system_number member_at(const fleet::system_set& set, std::uint64_t position) {
    MUSTER_ASSERT(position < set.size());
    std::int64_t low = 0;
    std::int64_t high = UINT32_MAX;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (set.rank(system_number(middle)) > position)
            high = middle;
        else
            low = middle + 1;
    }
    return system_number(low);
}

// `count` members, each drawn from its own stretch of the set.
fleet::system_set spread(const fleet::system_set& from, std::uint64_t count, prng& random) {
    const std::uint64_t size = from.size();
    if (count >= size) return from;
    fleet::system_set chosen;
    for (std::uint64_t each = 0; each < count; ++each) {
        const std::uint64_t begin = each * size / count;
        const std::uint64_t end = (each + 1) * size / count;
        chosen.add(member_at(from, begin + random.below(end - begin)));
    }
    return chosen;
}

}  // namespace

rollout_options with_safe_limit(rollout_options options, std::uint64_t targets, safe_limit limit) {
    const bool off = limit.targets <= 1;
    if (off || options.batch || targets < limit.targets) return options;
    options.batch = amount{.in = amount::unit::count, .value = static_cast<double>(limit.batch)};
    return options;
}

std::optional<std::uint64_t> places_of(const rollout_options& options, std::uint64_t targets) {
    if (!options.batch) return std::nullopt;
    return std::max<std::uint64_t>(1, of(*options.batch, targets));
}

std::optional<std::uint64_t> starts_milli_of(const rollout_options& options) {
    constexpr double rate_max = 1e12;
    if (!options.rate) return std::nullopt;
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::clamp(*options.rate * 1000.0, 0.0, rate_max)));
}

std::optional<std::uint64_t> failures_borne(const rollout_options& options, std::uint64_t targets) {
    if (!options.max_failures) return std::nullopt;
    return of(*options.max_failures, targets);
}

fleet::system_set choose_canaries(
    const fleet::system_set& targets,
    const fleet::system_set& attached,
    std::uint64_t count,
    prng random) {
    const fleet::system_set here = targets & attached;
    fleet::system_set chosen = spread(here, count, random);
    if (chosen.size() < count) chosen |= spread(targets - here, count - chosen.size(), random);
    return chosen;
}

span span_of(const job_spec& spec, job_id job, wall_time wall_now, instant now) {
    const wall_time opens = spec.not_before ? *spec.not_before : made_at(job);
    const auto until = opens - wall_now;
    return {.opens = now + until, .expires = now + until + spec.expires_after};
}

}  // namespace muster::rollout
