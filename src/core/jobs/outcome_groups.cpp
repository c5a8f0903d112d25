#include "core/jobs/outcome_groups.h"

#include <algorithm>

namespace muster::jobs {

void outcome_groups::add(const task_record& task) {
    if (!is_final(task.state)) return;
    const bool without_output = task.digest.empty() && task.inline_payload.empty();
    const auto& output = task.digest.empty() ? task.inline_payload : task.digest;
    const key group_key{
        task.state, task.exit_code, output, without_output ? task.reason : std::string()};
    auto it = groups_.find(group_key);
    if (it == groups_.end()) {
        if (groups_.size() >= limits_.groups_max) {
            ++ungrouped_;
            return;
        }
        outcome_group group{
            .state = task.state,
            .exit_code = task.exit_code,
            .reason = task.reason,
            .digest = task.digest,
            .inline_payload = task.inline_payload,
            .payload_size = task.payload_size,
            .count = 0,
            .examples = {}};
        it = groups_.emplace(group_key, std::move(group)).first;
    }
    ++it->second.count;
    if (it->second.examples.size() < limits_.examples_max)
        it->second.examples.push_back(task.system);
}

std::vector<outcome_group> outcome_groups::sorted() const {
    std::vector<outcome_group> groups;
    groups.reserve(groups_.size());
    for (const auto& [group_key, group] : groups_) groups.push_back(group);
    std::ranges::sort(groups, [](const outcome_group& left, const outcome_group& right) {
        const bool left_completed = left.state == task_state::completed;
        const bool right_completed = right.state == task_state::completed;
        if (left_completed != right_completed) return right_completed;
        if (left.count != right.count) return left.count > right.count;
        return left.examples < right.examples;
    });
    return groups;
}

}  // namespace muster::jobs
