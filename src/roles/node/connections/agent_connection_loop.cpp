#include "roles/node/connections/agent_connection_loop.h"

#include "roles/node/connections/frames.h"

#include <algorithm>
#include <vector>

namespace muster::node {

std::uint64_t agent_connection_loop::add(agent_connection& agent_connection) {
    connections_.emplace(++last_number_, &agent_connection);
    check_order_.push_back(agent_connection);
    return last_number_;
}

void agent_connection_loop::remove(std::uint64_t number) {
    connections_.erase(number);
    deferred_facts_.erase(number);
}

agent_connection* agent_connection_loop::find(std::uint64_t number) const {
    const auto it = connections_.find(number);
    return it == connections_.end() ? nullptr : it->second;
}

void agent_connection_loop::sweep(instant now) {
    deadlines_.sweep(now);
    close_moved();
    recheck_some();
    request_deferred_facts();
}

void agent_connection_loop::close_all(const session::refusal& reason) {
    for (auto& connection : check_order_)
        if (connection.attached()) connection.close(reason);
}

// Closes a limited number; the next sweep continues.
void agent_connection_loop::close_moved() {
    const auto topology = shared_.locator.topology().read();
    if (topology == checked_topology_) return;
    std::size_t closed = 0;
    for (auto& connection : check_order_) {
        if (!connection.attached()) continue;
        session::attach_context context{.stage = enrolment::accepted};
        context.owner =
            shared_.locator.find_owner(*topology, connection.zone(), connection.slot_number());
        auto reason = session::reconsider(context, shared_.options.waits);
        if (!reason) continue;
        if (closed++ == shared_.options.closed_per_sweep) return;
        connection.close(*std::move(reason));
    }
    checked_topology_ = topology;
}

void agent_connection_loop::recheck_some() {
    const auto count = std::min(shared_.options.rechecked_per_sweep, connections_.size());
    for (std::size_t index = 0; index < count; ++index) {
        agent_connection& agent_connection = check_order_.front();
        check_order_.splice(check_order_.end(), check_order_, check_order_.begin());
        if (!agent_connection.attached()) continue;
        // close_moved() handles moved slots at its own pace.
        auto system = shared_.locator.find(agent_connection.print());
        if (system.zone == agent_connection.zone()) system.context.owner = {.is_self = true};
        if (auto reason = session::reconsider(system.context, shared_.options.waits))
            agent_connection.close(*std::move(reason));
    }
}

void agent_connection_loop::request_deferred_facts() {
    for (std::size_t count = 0;
         count < shared_.options.closed_per_sweep && !deferred_facts_.empty();
         ++count) {
        if (shared_.facts.is_full()) return;
        agent_connection* const connection = find(*deferred_facts_.begin());
        deferred_facts_.erase(deferred_facts_.begin());
        if (connection != nullptr && connection->attached()) connection->request_facts();
    }
}

}  // namespace muster::node
