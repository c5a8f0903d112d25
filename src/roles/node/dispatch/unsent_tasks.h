#pragma once

#include "core/model/job.h"
#include "core/rollout/effect.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace muster::dispatch {

// Started tasks that were not sent to their agents yet. Some wait until their start is stored;
// others are held while the lease is uncertain, the window is closed or the job is paused. A job
// has one attempt at a time on a system. Not thread-safe; call from one strand.
class unsent_tasks {
public:
    void await_record(const rollout::attempt_key& task) {
        unrecorded_[key_of(task)] = task.attempt;
    }
    // The start is stored: the task may be sent.
    void on_recorded(const rollout::attempt_key& task) {
        const auto it = unrecorded_.find(key_of(task));
        if (it == unrecorded_.end() || it->second != task.attempt) return;
        unrecorded_.erase(it);
        hold(task);
    }
    // To be sent later.
    void hold(const rollout::attempt_key& task) { ready_[key_of(task)] = task.attempt; }
    // The attempt has ended: do not send the task.
    void on_ended(const rollout::attempt_key& task) {
        const auto it = ready_.find(key_of(task));
        if (it != ready_.end() && it->second == task.attempt) ready_.erase(it);
    }
    // Removes the tasks to send, sorted by job and system. Tasks that cannot be sent are held
    // again.
    std::vector<rollout::attempt_key> take_all() {
        std::vector<rollout::attempt_key> tasks;
        tasks.reserve(ready_.size());
        for (const auto& [key, attempt] : std::exchange(ready_, {}))
            tasks.push_back({.job = key.first, .system = key.second, .attempt = attempt});
        return tasks;
    }
    void clear() {
        unrecorded_.clear();
        ready_.clear();
    }

private:
    using task_key = std::pair<job_id, system_number>;
    static task_key key_of(const rollout::attempt_key& task) { return {task.job, task.system}; }

    std::map<task_key, std::uint32_t> unrecorded_;  // attempt; start not stored yet
    std::map<task_key, std::uint32_t> ready_;
};

}  // namespace muster::dispatch
