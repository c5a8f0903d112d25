#pragma once

#include "core/model/job.h"
#include "core/rollout/effect.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace muster::dispatch {

// Started tasks that were not sent to their agents yet: some wait for their start to come on
// record, others are held back while the lease is unsure, the window closed or the job paused. Of
// a job on a system there is one attempt at a time. Not thread-safe; call from one strand.
class unsent_tasks {
public:
    void await_record(const rollout::attempt_key& task) { recording_[key_of(task)] = task.attempt; }
    // The start is on record: to be sent from now on.
    void recorded(const rollout::attempt_key& task) {
        const auto waiting = recording_.find(key_of(task));
        if (waiting == recording_.end() || waiting->second != task.attempt) return;
        recording_.erase(waiting);
        hold(task);
    }
    // To be sent, but not now.
    void hold(const rollout::attempt_key& task) { held_[key_of(task)] = task.attempt; }
    // The attempt has ended and is not sent any more.
    void ended(const rollout::attempt_key& task) {
        const auto held = held_.find(key_of(task));
        if (held != held_.end() && held->second == task.attempt) held_.erase(held);
    }
    // Those that are to be sent, by job and system; what cannot be sent is held again.
    std::vector<rollout::attempt_key> take() {
        std::vector<rollout::attempt_key> tasks;
        tasks.reserve(held_.size());
        for (const auto& [key, attempt] : std::exchange(held_, {}))
            tasks.push_back({.job = key.first, .system = key.second, .attempt = attempt});
        return tasks;
    }
    void clear() {
        recording_.clear();
        held_.clear();
    }

private:
    using task_key = std::pair<job_id, system_number>;
    static task_key key_of(const rollout::attempt_key& task) { return {task.job, task.system}; }

    std::map<task_key, std::uint32_t> recording_;  // the attempt
    std::map<task_key, std::uint32_t> held_;
};

}  // namespace muster::dispatch
