// Programs that run, as the journal knows them: should the agent be killed, its next start ends
// what they left behind.
#include "apps/agent/process/leftovers.h"
#include "apps/agent/tasks/keeper.h"

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
void keeper::note_process(task_name task, pid_t leader) {
    const auto mark = mark_of(leader, boot_, fmt::format("MUSTER_JOB={}", task.job));
    if (!mark) return;
    const auto kept = around_.kept.apply(
        {{.id = record_of(task), .value = encode(*mark)}}, journal::durability::written);
    if (!kept) around_.warn(fmt::format("the journal failed: {}", kept.error().detail()));
}

void keeper::forget_process(task_name task) {
    const auto id = record_of(task);
    if (!around_.kept.records().contains(id)) return;
    const auto kept =
        around_.kept.apply({{.id = id, .value = std::nullopt}}, journal::durability::written);
    if (!kept) around_.warn(fmt::format("the journal failed: {}", kept.error().detail()));
}

// Nothing else of the agent's tasks happens before this is through.
void keeper::end_leftovers() {
    std::vector<journal::change> over;
    for (const auto& [id, value] : around_.kept.records()) {
        if (!id.starts_with(record_prefix)) continue;
        over.push_back({.id = id, .value = std::nullopt});
        const auto mark = decode_mark(value);
        if (!mark) continue;
        std::size_t most = 0;
        int looks = 0;
        while (looks++ < looks_max) {
            const auto found = kill_leftovers(*mark, boot_);
            if (found == 0) break;
            most = std::max(most, found);
        }
        if (most > 0)
            around_.warn(fmt::format(
                "{} processes of {} outlived the agent; they were killed",
                most,
                id.substr(record_prefix.size())));
    }
    if (over.empty()) return;
    const auto kept = around_.kept.apply(over, journal::durability::written);
    if (!kept) around_.warn(fmt::format("the journal failed: {}", kept.error().detail()));
}

}  // namespace muster::agent
