#pragma once

#include "core/rollout/task_scheduler.h"

#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

// A node with one job, for tests: keeps what the engine asked for, and says what it started.
namespace muster::rollout {

using started = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // system, attempt

struct node_under_test {
    explicit node_under_test(engine_options options = {.self = node_id("node1")})
        : machine(std::move(options)) {}

    started take(effects effects) {
        started now_started;
        for (effect& effect : effects) {
            if (const auto* one = std::get_if<start>(&effect))
                now_started.emplace_back(one->task.system.value(), one->task.attempt);
            asked_for.push_back(std::move(effect));
        }
        return now_started;
    }

    void attach(std::int64_t first, std::int64_t last) {
        for (std::int64_t each = first; each <= last; ++each)
            take(machine.attached(system_number(each), now));
    }

    job_terms terms(rollout_options rollout, std::uint64_t count) const {
        return {
            .job = job,
            .rollout = rollout,
            .when = {.opens = now, .expires = now + std::chrono::hours(24)},
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
        permission permission = everybody{}) {
        const auto count = static_cast<std::uint64_t>(last - first + 1);
        take(machine.open(terms(rollout, count), targets(first, last), now).value());
        const allowance all{
            .places = places_of(rollout, count).value_or(0),
            .starts_milli = starts_milli_of(rollout).value_or(0)};
        take(machine.allow(job, all, {}, now));
        return take(machine.permit(job, std::move(permission), now));
    }

    started completes(std::int64_t system, std::uint32_t attempt = 1) {
        return take(
            machine.returned({job, system_number(system), attempt}, outcome::completed, "", now));
    }
    started fails(std::int64_t system, std::uint32_t attempt = 1) {
        return take(machine.returned(
            {job, system_number(system), attempt}, outcome::failed, "exit code 1", now));
    }

    started at(monotonic::duration later) {
        now += later;
        return take(machine.expire(now));
    }

    share_report report() const { return machine.report(job, now).value(); }
    std::uint64_t running() const { return machine.points_used(); }

    template <class Effect>
    std::vector<Effect> seen() const {
        std::vector<Effect> effects;
        for (const effect& effect : asked_for)
            if (const auto* one = std::get_if<Effect>(&effect)) effects.push_back(*one);
        return effects;
    }

    job_id job = job_made_at(wall_time(std::chrono::seconds(1)));
    instant now = instant(std::chrono::hours(1000));
    task_scheduler machine;
    effects asked_for;
};

}  // namespace muster::rollout
