#include "core/rollout/plan.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::rollout {
namespace {

// The member of the set that has `position` smaller members.
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

// `count` members, one drawn from each of `count` equal parts of the set.
fleet::system_set spread(const fleet::system_set& systems, std::uint64_t count, prng& random) {
    const std::uint64_t size = systems.size();
    if (count >= size) return systems;
    fleet::system_set chosen;
    for (std::uint64_t part = 0; part < count; ++part) {
        const std::uint64_t begin = part * size / count;
        const std::uint64_t end = (part + 1) * size / count;
        chosen.add(member_at(systems, begin + random.below(end - begin)));
    }
    return chosen;
}

}  // namespace

rollout_options apply_default_batch(
    rollout_options options, std::uint64_t targets, default_batch_rule rule) {
    const bool disabled = rule.targets_min <= 1;
    if (disabled || options.batch || targets < rule.targets_min) return options;
    options.batch = amount{.unit = amount::units::count, .value = static_cast<double>(rule.batch)};
    return options;
}

std::optional<std::uint64_t> concurrency_of(const rollout_options& options, std::uint64_t targets) {
    if (!options.batch) return std::nullopt;
    return std::max<std::uint64_t>(1, count_of(*options.batch, targets));
}

std::optional<std::uint64_t> starts_milli_of(const rollout_options& options) {
    constexpr double rate_max = 1e12;
    if (!options.rate) return std::nullopt;
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::clamp(*options.rate * 1000.0, 0.0, rate_max)));
}

std::optional<std::uint64_t> failure_limit(const rollout_options& options, std::uint64_t targets) {
    if (!options.max_failures) return std::nullopt;
    return count_of(*options.max_failures, targets);
}

fleet::system_set choose_canaries(
    const fleet::system_set& targets,
    const fleet::system_set& attached,
    std::uint64_t count,
    prng random) {
    const fleet::system_set attached_targets = targets & attached;
    fleet::system_set chosen = spread(attached_targets, count, random);
    if (chosen.size() < count)
        chosen |= spread(targets - attached_targets, count - chosen.size(), random);
    return chosen;
}

job_period period_of(const job_spec& spec, job_id job, wall_time wall_now, instant now) {
    const wall_time opens = spec.not_before ? *spec.not_before : created_at(job);
    const auto wait = opens - wall_now;
    return {.opens = now + wait, .expires = now + wait + spec.expires_after};
}

}  // namespace muster::rollout
