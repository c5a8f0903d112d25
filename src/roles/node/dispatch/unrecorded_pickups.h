#pragma once

#include "base/time.h"
#include "core/model/job.h"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace muster::dispatch {

// Picked-up tasks without a row in the ledger yet: a task that ends soon gets one row instead of
// two. Not thread-safe; call from one strand.
class unrecorded_pickups {
public:
    // The first row of a task counts.
    void add(task_record row, instant now) {
        const task_key key(row.job, row.system);
        if (rows_.try_emplace(key, std::move(row)).second) oldest_first_.emplace_back(now, key);
    }
    // The task's end is being recorded.
    void remove(job_id job, std::int64_t system) { rows_.erase({job, system}); }

    // Submits the rows added no later than `latest`, oldest first, until one is refused (false).
    template <class Submit>
    void write(instant latest, Submit submit) {
        while (!oldest_first_.empty() && oldest_first_.front().first <= latest) {
            const auto row = rows_.find(oldest_first_.front().second);
            if (row != rows_.end()) {
                if (!submit(row->second)) return;
                rows_.erase(row);
            }
            oldest_first_.pop_front();
        }
    }
    void clear() {
        rows_.clear();
        oldest_first_.clear();
    }

private:
    using task_key = std::pair<job_id, std::int64_t>;

    std::map<task_key, task_record> rows_;
    std::deque<std::pair<instant, task_key>> oldest_first_;
};

}  // namespace muster::dispatch
