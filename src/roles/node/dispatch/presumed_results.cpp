#include "roles/node/dispatch/presumed_results.h"

#include <utility>

namespace muster::dispatch {

void presumed_results::add(task_record row_template, fleet::system_set systems) {
    if (!systems.empty())
        groups_.push_back({.row_template = std::move(row_template), .systems = std::move(systems)});
}

void presumed_results::remove(const fleet::system_set& systems) {
    for (auto& group : groups_) group.systems -= systems;
    std::erase_if(
        groups_, [](const result_group& result_group) { return result_group.systems.empty(); });
}

}  // namespace muster::dispatch
