#include "apps/muster/cli/output_groups.h"

#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace muster::cli {

std::optional<std::string> output_groups::add(const boost::json::object& task) {
    auto key = task_text(task, "");
    const auto it = groups_.find(key);
    if (it == groups_.end() && groups_.size() >= groups_max) return task_text(task);
    auto& group = it == groups_.end() ? groups_[std::move(key)] : it->second;
    if (group.systems++ == 0) group.task = task;
    if (group.names.size() < names_max) group.names.push_back(system_name(task));
    return std::nullopt;
}

std::string output_groups::text() const {
    std::vector<const group*> ordered;
    for (const auto& [key, group] : groups_) ordered.push_back(&group);
    std::ranges::sort(ordered, [](const group* left, const group* right) {
        if (left->systems != right->systems) return left->systems > right->systems;
        return left->names.front() < right->names.front();
    });
    std::string text;
    for (const auto* const group : ordered) {
        auto names = fmt::format("{}", fmt::join(group->names, ", "));
        if (group->systems > group->names.size())
            names += fmt::format(" and {} more", group->systems - group->names.size());
        text += task_text(group->task, names);
    }
    return text;
}

}  // namespace muster::cli
