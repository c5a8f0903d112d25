// Records of running programs in the journal. If the agent is killed, its next start kills the
// processes that remain.
#include "apps/agent/process/orphan_processes.h"
#include "apps/agent/tasks/task_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::agent {
namespace {

using session::task_name;

constexpr std::string_view record_prefix = "process/";
constexpr int rounds_max = 200;

std::string to_record_id(task_name task) {
    return fmt::format("{}{}-{}", record_prefix, task.job, task.attempt);
}

}  // namespace

// Not flushed: a crash of the machine ends its processes, too.
void task_manager::program_started(task_name task, pid_t leader) {
    const auto identity =
        find_process_identity(leader, boot_id_, fmt::format("MUSTER_JOB={}", task.job));
    if (!identity) return;
    const auto stored = deps_.journal.apply(
        {{.id = to_record_id(task), .value = encode(*identity)}}, journal::durability::written);
    if (!stored) problem(fmt::format("journal write failed: {}", stored.error().detail()));
}

void task_manager::program_ended(task_name task) {
    const auto id = to_record_id(task);
    if (!deps_.journal.records().contains(id)) return;
    const auto stored =
        deps_.journal.apply({{.id = id, .value = std::nullopt}}, journal::durability::written);
    if (!stored) problem(fmt::format("journal write failed: {}", stored.error().detail()));
}

// Runs before any other work on tasks.
void task_manager::kill_orphans() {
    std::vector<journal::change> erased;
    for (const auto& [id, value] : deps_.journal.records()) {
        if (!id.starts_with(record_prefix)) continue;
        erased.push_back({.id = id, .value = std::nullopt});
        const auto identity = decode_process_identity(value);
        if (!identity) continue;
        std::size_t killed_max = 0;
        int rounds = 0;
        while (rounds++ < rounds_max) {
            const auto killed = agent::kill_orphans(*identity, boot_id_);
            if (killed == 0) break;
            killed_max = std::max(killed_max, killed);
        }
        if (killed_max > 0)
            problem(fmt::format(
                "{} leftover processes of task {} killed",
                killed_max,
                id.substr(record_prefix.size())));
    }
    if (erased.empty()) return;
    const auto stored = deps_.journal.apply(erased, journal::durability::written);
    if (!stored) problem(fmt::format("journal write failed: {}", stored.error().detail()));
}

}  // namespace muster::agent
