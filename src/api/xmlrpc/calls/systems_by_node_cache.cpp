#include "api/xmlrpc/calls/systems_by_node_cache.h"

#include "services/fleet/yield_to_loop.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {

using by_node = std::map<node_number, fleet::system_set>;

// Counts the refreshes in progress, however they end.
class systems_by_node_cache::refresh_guard {
public:
    explicit refresh_guard(systems_by_node_cache& cache) : cache_(cache) {
        const std::lock_guard lock(cache_.mutex_);
        ++cache_.refreshes_;
    }
    refresh_guard(const refresh_guard&) = delete;
    refresh_guard& operator=(const refresh_guard&) = delete;
    ~refresh_guard() {
        const std::lock_guard lock(cache_.mutex_);
        --cache_.refreshes_;
    }

private:
    systems_by_node_cache& cache_;
};

async<by_node> systems_by_node_cache::scan() const {
    CO_TRY(const auto all_systems, deps_.groups.parse("*"));
    CO_TRY(const auto systems, deps_.search.resolve(all_systems, {}));
    std::map<node_number, std::vector<std::uint32_t>> served;
    auto next = system_number(1);
    for (bool finished = false; !finished; co_await fleet::yield_to_loop()) {
        const auto page = systems.page(next, deps_.page_size);
        finished = page.size() < deps_.page_size;
        if (!finished) next = page.back().next();
        for (const auto system : page) {
            const auto observed = deps_.presence.find(system);
            if (observed)
                served[observed->node].push_back(static_cast<std::uint32_t>(system.value()));
        }
    }
    by_node result;
    for (const auto& [node, numbers] : served) result[node] = fleet::system_set::of(numbers);
    co_return result;
}

async<void> systems_by_node_cache::refresh() {
    {
        const std::lock_guard lock(mutex_);
        const auto age_max = refreshes_ > 0 ? stale_period : fresh_period;
        if (newest_ && deps_.clock.now() - newest_->created < age_max) co_return result<void>();
    }
    const refresh_guard guard(*this);
    const auto began = deps_.clock.now();
    CO_TRY(auto by_node, co_await scan());
    auto snapshot = std::make_shared<const systems_by_node_snapshot>(
        systems_by_node_snapshot{.by_node = std::move(by_node), .created = began});
    const std::lock_guard lock(mutex_);
    newest_ = std::move(snapshot);
    co_return result<void>();
}

result<fleet::system_set> systems_by_node_cache::find(node_number node) const {
    std::shared_ptr<const systems_by_node_snapshot> snapshot;
    {
        const std::lock_guard lock(mutex_);
        snapshot = newest_;
    }
    if (!snapshot) return fail(errc::unavailable, "systems of the nodes are not loaded yet; retry");
    const auto it = snapshot->by_node.find(node);
    return it == snapshot->by_node.end() ? fleet::system_set() : it->second;
}

}  // namespace muster::xmlrpc_api
