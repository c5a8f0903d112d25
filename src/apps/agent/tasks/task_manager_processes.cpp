// Programs that run, as the journal knows them: should the agent be killed, its next start ends
// what they left behind.
#include "apps/agent/process/orphan_processes.h"
#include "apps/agent/tasks/task_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::agent {
namespace {

using session::task_name;

constexpr std::string_view record_prefix = "process/";
constexpr int looks_max = 200;

std::string record_of(task_name task) {
    return fmt::format("{}{}-{}", record_prefix, task.job, task.attempt);
}

}  // namespace

// Written, not flushed: what ends the whole machine ends its processes too.
void task_manager::program_started(task_name task, pid_t leader) {
    const auto mark = mark_of(leader, boot_, fmt::format("MUSTER_JOB={}", task.job));
    if (!mark) return;
    const auto stored = deps_.kept.apply(
        {{.id = record_of(task), .value = encode(*mark)}}, journal::durability::written);
    if (!stored) problem(fmt::format("the journal failed: {}", stored.error().detail()));
}

void task_manager::program_ended(task_name task) {
    const auto id = record_of(task);
    if (!deps_.kept.records().contains(id)) return;
    const auto stored =
        deps_.kept.apply({{.id = id, .value = std::nullopt}}, journal::durability::written);
    if (!stored) problem(fmt::format("the journal failed: {}", stored.error().detail()));
}

// Nothing else of the agent's tasks happens before this is through.
void task_manager::end_leftovers() {
    std::vector<journal::change> over;
    for (const auto& [id, value] : deps_.kept.records()) {
        if (!id.starts_with(record_prefix)) continue;
        over.push_back({.id = id, .value = std::nullopt});
        const auto mark = decode_mark(value);
        if (!mark) continue;
        std::size_t most = 0;
        int looks = 0;
        while (looks++ < looks_max) {
            const auto match = kill_leftovers(*mark, boot_);
            if (match == 0) break;
            most = std::max(most, match);
        }
        if (most > 0)
            problem(fmt::format(
                "{} processes of {} outlived the agent; they were killed",
                most,
                id.substr(record_prefix.size())));
    }
    if (over.empty()) return;
    const auto stored = deps_.kept.apply(over, journal::durability::written);
    if (!stored) problem(fmt::format("the journal failed: {}", stored.error().detail()));
}

}  // namespace muster::agent
