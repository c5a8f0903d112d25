#pragma once

#include "core/rollout/task_scheduler.h"

#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

// A node with one job: collects the effects of the scheduler and the tasks it started.
namespace muster::rollout {

using started = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // system, attempt

struct node_under_test {
    explicit node_under_test(scheduler_options options = {.self = node_id("node1")})
        : machine(std::move(options)) {}

    started take(effects effects) {
        started newly_started;
        for (effect& effect : effects) {
            if (const auto* match = std::get_if<start>(&effect))
                newly_started.emplace_back(match->task.system.value(), match->task.attempt);
            asked_for.push_back(std::move(effect));
        }
        return newly_started;
    }

    void attach(std::int64_t first, std::int64_t last) {
        for (std::int64_t number = first; number <= last; ++number)
            take(machine.on_attached(system_number(number), now));
    }

    job_terms terms(rollout_options rollout, std::uint64_t count) const {
        return {
            .job = job,
            .rollout = rollout,
            .period = {.opens = now, .expires = now + std::chrono::hours(24)},
            .targets = count};
    }

    static share targets(std::int64_t first, std::int64_t last) {
        return {
            .targets = fleet::system_set::range(system_number(first), system_number(last)),
            .completed = {},
            .failed = {},
            .running = {},
            .waiting = {}};
    }

    // The job for all these systems, with the whole of its limits allowed to this node.
    started open(
        rollout_options rollout,
        std::int64_t first,
        std::int64_t last,
        permission permission = start_all{}) {
        const auto count = static_cast<std::uint64_t>(last - first + 1);
        take(machine.open(terms(rollout, count), targets(first, last), now).value());
        const allowance full_allowance{
            .concurrency = concurrency_of(rollout, count).value_or(0),
            .starts_milli = starts_milli_of(rollout).value_or(0)};
        take(machine.set_allowance(job, full_allowance, {}, now));
        return take(machine.set_permission(job, std::move(permission), now));
    }

    started completes(std::int64_t system, std::uint32_t attempt = 1) {
        return take(machine.on_returned(
            {job, system_number(system), attempt}, outcome::completed, "", now));
    }
    started fails(std::int64_t system, std::uint32_t attempt = 1) {
        return take(machine.on_returned(
            {job, system_number(system), attempt}, outcome::failed, "exit code 1", now));
    }

    started at(monotonic::duration later) {
        now += later;
        return take(machine.expire(now));
    }

    share_report report() const { return machine.report(job, now).value(); }
    std::uint64_t running() const { return machine.limited_in_flight(); }

    template <class Effect>
    std::vector<Effect> seen() const {
        std::vector<Effect> effects;
        for (const effect& effect : asked_for)
            if (const auto* match = std::get_if<Effect>(&effect)) effects.push_back(*match);
        return effects;
    }

    job_id job = job_id_at(wall_time(std::chrono::seconds(1)));
    instant now = instant(std::chrono::hours(1000));
    task_scheduler machine;
    effects asked_for;
};

}  // namespace muster::rollout
