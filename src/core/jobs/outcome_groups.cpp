#include "core/jobs/outcome_groups.h"

#include <algorithm>

namespace muster::jobs {

void outcome_groups::add(const task_record& task) {
    if (!is_end(task.state)) return;
    const bool silent = task.digest.empty() && task.inline_payload.empty();
    const auto& output = task.digest.empty() ? task.inline_payload : task.digest;
    const key alike{task.state, task.exit_code, output, silent ? task.reason : std::string()};
    auto it = groups_.find(alike);
    if (it == groups_.end()) {
        if (groups_.size() >= options_.groups_max) {
            ++beyond_;
            return;
        }
        outcome_group first{
            .state = task.state,
            .exit_code = task.exit_code,
            .reason = task.reason,
            .digest = task.digest,
            .inline_payload = task.inline_payload,
            .payload_size = task.payload_size,
            .count = 0,
            .examples = {}};
        it = groups_.emplace(alike, std::move(first)).first;
    }
    ++it->second.count;
    if (it->second.examples.size() < options_.examples_max)
        it->second.examples.push_back(task.system);
}

std::vector<outcome_group> outcome_groups::sorted() const {
    std::vector<outcome_group> all;
    all.reserve(groups_.size());
    for (const auto& [alike, group] : groups_) all.push_back(group);
    std::ranges::sort(all, [](const outcome_group& one, const outcome_group& other) {
        const bool one_well = one.state == task_state::completed;
        const bool other_well = other.state == task_state::completed;
        if (one_well != other_well) return other_well;
        if (one.count != other.count) return one.count > other.count;
        return one.examples < other.examples;
    });
    return all;
}

}  // namespace muster::jobs
