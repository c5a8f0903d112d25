#include "api/xmlrpc/calls/systems_by_node_cache.h"

#include "services/fleet/let_others_run.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {

using by_node = std::map<node_number, fleet::system_set>;

// Taken by whoever looks over the fleet, for as long as that takes, however it ends.
class systems_by_node_cache::turn {
public:
    explicit turn(systems_by_node_cache& of) : of_(of) {
        const std::lock_guard hold(of_.guard_);
        ++of_.looking_;
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
        const std::lock_guard hold(of_.guard_);
        --of_.looking_;
    }

private:
    systems_by_node_cache& of_;
};

async<by_node> systems_by_node_cache::counted() const {
    CO_TRY(const auto everybody, deps_.groups.parse("*"));
    CO_TRY(const auto systems, deps_.search.resolve(everybody, {}));
    std::map<node_number, std::vector<std::uint32_t>> served;
    auto next = system_number(1);
    for (bool over = false; !over; co_await fleet::let_others_run()) {
        const auto some = systems.page(next, deps_.piece);
        over = some.size() < deps_.piece;
        if (!over) next = some.back().next();
        for (const auto each : some) {
            const auto observed = deps_.presence.find(each);
            if (observed)
                served[observed->node].push_back(static_cast<std::uint32_t>(each.value()));
        }
    }
    by_node result;
    for (const auto& [node, all] : served) result[node] = fleet::system_set::of(all);
    co_return result;
}

async<void> systems_by_node_cache::look_over() {
    {
        const std::lock_guard hold(guard_);
        const auto will_do = looking_ > 0 ? good_for : fresh_for;
        if (newest_ && deps_.clock.now() - newest_->made < will_do) co_return result<void>();
    }
    const turn own(*this);
    const auto began = deps_.clock.now();
    CO_TRY(auto counts, co_await counted());
    auto created =
        std::make_shared<const picture>(picture{.by_node = std::move(counts), .made = began});
    const std::lock_guard hold(guard_);
    newest_ = std::move(created);
    co_return result<void>();
}

result<fleet::system_set> systems_by_node_cache::of(node_number node) const {
    std::shared_ptr<const picture> now;
    {
        const std::lock_guard hold(guard_);
        now = newest_;
    }
    if (!now)
        return fail(errc::unavailable, "which systems a node serves is not known yet; try again");
    const auto it = now->by_node.find(node);
    return it == now->by_node.end() ? fleet::system_set() : it->second;
}

}  // namespace muster::xmlrpc_api
