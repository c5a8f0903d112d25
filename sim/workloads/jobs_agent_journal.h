#pragma once

#include "core/session/agent_tasks.h"
#include "ports/async.h"
#include "sim/engines/journal.h"

#include <cstddef>
#include <map>
#include <vector>

namespace muster::sim {

// An agent's journal on its simulated disk: what must be durable is synced, the rest goes with the
// next that must, or is lost with the machine.
class agent_journal {
public:
    enum class injected_bug { none, late_sync };

    agent_journal(sim::simulation& simulation, disk& storage, injected_bug injected_bug)
        : disk_(simulation, storage), injected_bug_(injected_bug) {}

    async<std::vector<session::journaled_task>> open();

    // errc::unavailable: none of them was written. Any other failure: only a restart finds out.
    async<void> store(std::vector<session::store_tasks> batch);

private:
    static constexpr std::size_t bytes_max = std::size_t{1} << 14;  // then a checkpoint
    static constexpr std::size_t unsynced_max = 40;
    static constexpr std::size_t unsynced_of_forgetful_max = 400;

    void apply(const std::vector<session::store_tasks>& batch);
    std::vector<session::journaled_task> tasks() const;

    journal disk_;
    injected_bug injected_bug_;
    std::map<session::task_name, session::journaled_task> tasks_;  // as they are on the disk
    std::vector<session::store_tasks> unsynced_;
};

}  // namespace muster::sim
