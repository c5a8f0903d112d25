#pragma once

#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <deque>
#include <utility>

namespace muster::dispatch {

// Ends of tasks that no agent tells of, on their way to the record: nobody would say again what the
// ledger had no room for. Lives on one strand.
class presumed_results {
public:
    // The same end for each of these systems.
    void add(task_record like, fleet::system_set systems);
    // Another node judges of these from now on.
    void lose(const fleet::system_set& systems);

    // Submits each in turn, until one is refused (false): that one and those behind it stay.
    template <class Submit>
    void write(Submit submit) {
        while (!parts_.empty()) {
            auto& [like, systems] = parts_.front();
            while (const auto next = systems.smallest()) {
                auto row = like;
                row.system = next->value();
                if (!submit(std::move(row))) return;
                systems.remove(*next);
            }
            parts_.pop_front();
        }
    }

    bool empty() const { return parts_.empty(); }

private:
    struct part {
        task_record like;
        fleet::system_set systems;
    };
    std::deque<part> parts_;
};

}  // namespace muster::dispatch
