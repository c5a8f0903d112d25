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

void presumed_results::write(const submit& to) {
    while (!parts_.empty()) {
        auto& [like, systems] = parts_.front();
        while (const auto next = systems.smallest()) {
            auto row = like;
            row.system = next->value();
            if (!to(std::move(row))) return;
            systems.remove(*next);
        }
        parts_.pop_front();
    }
}

}  // namespace muster::dispatch
