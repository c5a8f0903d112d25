#include "roles/node/dispatch/presumed_results.h"

#include <utility>

namespace muster::dispatch {

void presumed_results::add(task_record like, fleet::system_set systems) {
    if (!systems.empty())
        parts_.push_back({.like = std::move(like), .systems = std::move(systems)});
}

void presumed_results::lose(const fleet::system_set& systems) {
    for (auto& each : parts_) each.systems -= systems;
    std::erase_if(parts_, [](const part& part) { return part.systems.empty(); });
}

}  // namespace muster::dispatch
