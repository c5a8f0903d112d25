#include "api/xmlrpc/calls/served_systems.h"

#include "services/fleet/let_others_run.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {

using by_node = std::map<node_number, fleet::system_set>;

// Taken by whoever looks over the fleet, for as long as that takes, however it ends.
class served_systems::turn {
public:
    explicit turn(served_systems& of) : of_(of) {
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
    served_systems& of_;
};

async<by_node> served_systems::counted() const {
    CO_TRY(const auto everybody, around_.groups.parse("*"));
    CO_TRY(const auto systems, around_.found.resolve(everybody, {}));
    std::map<node_number, std::vector<std::uint32_t>> served;
    auto next = system_number(1);
    for (bool over = false; !over; co_await fleet::let_others_run()) {
        const auto some = systems.page(next, around_.piece);
        over = some.size() < around_.piece;
        if (!over) next = some.back().next();
        for (const auto each : some) {
            const auto seen = around_.seen.find(each);
            if (seen) served[seen->node].push_back(static_cast<std::uint32_t>(each.value()));
        }
    }
    by_node made;
    for (const auto& [node, all] : served) made[node] = fleet::system_set::of(all);
    co_return made;
}

async<void> served_systems::look_over() {
    {
        const std::lock_guard hold(guard_);
        const auto will_do = looking_ > 0 ? good_for : fresh_for;
        if (newest_ && around_.time.now() - newest_->made < will_do) co_return result<void>();
    }
    const turn mine(*this);
    const auto began = around_.time.now();
    CO_TRY(auto counts, co_await counted());
    auto made =
        std::make_shared<const picture>(picture{.by_node = std::move(counts), .made = began});
    const std::lock_guard hold(guard_);
    newest_ = std::move(made);
    co_return result<void>();
}

result<fleet::system_set> served_systems::of(node_number node) const {
    std::shared_ptr<const picture> now;
    {
        const std::lock_guard hold(guard_);
        now = newest_;
    }
    if (!now)
        return fail(errc::unavailable, "which systems a node serves is not known yet; try again");
    const auto found = now->by_node.find(node);
    return found == now->by_node.end() ? fleet::system_set() : found->second;
}

}  // namespace muster::xmlrpc_api
