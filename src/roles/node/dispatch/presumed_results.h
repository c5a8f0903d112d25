#pragma once

#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <deque>
#include <utility>

namespace muster::dispatch {

// Task results that no agent reports, queued for the ledger. They are kept until accepted, because
// nobody would repeat them. Not thread-safe; call from one strand.
class presumed_results {
public:
    // Adds the same result for each of these systems.
    void add(task_record row_template, fleet::system_set systems);
    // Another node decides about these systems now.
    void remove(const fleet::system_set& systems);

    // Submits results in order until one is refused (false); that one and the rest stay.
    template <class Submit>
    void write(Submit submit) {
        while (!groups_.empty()) {
            auto& [row_template, systems] = groups_.front();
            while (const auto next = systems.smallest()) {
                auto row = row_template;
                row.system = next->value();
                if (!submit(std::move(row))) return;
                systems.remove(*next);
            }
            groups_.pop_front();
        }
    }

    bool empty() const { return groups_.empty(); }

private:
    struct result_group {
        task_record row_template;
        fleet::system_set systems;
    };
    std::deque<result_group> groups_;
};

}  // namespace muster::dispatch
