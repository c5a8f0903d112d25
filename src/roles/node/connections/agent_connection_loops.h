#pragma once

#include "core/session/attach_decision.h"
#include "roles/node/connections/agent_connection_loop.h"
#include "services/presence/attached_agents.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace muster::node {

// The event loops that have or had agent connections. Thread-safe.
class agent_connection_loops {
public:
    agent_connection_loops() = default;
    agent_connection_loops(const agent_connection_loops&) = delete;
    agent_connection_loops& operator=(const agent_connection_loops&) = delete;

    // The loop of this executor; created with `shared` for its first connection.
    std::shared_ptr<agent_connection_loop> get_or_create(
        const boost::asio::any_io_executor& executor, const shared_connection_state& shared);
    std::vector<std::shared_ptr<agent_connection_loop>> all() const;
    std::shared_ptr<agent_connection_loop> at(std::size_t index) const;

    // Closes a connection on its own loop.
    void close(presence::attached_agents::connection channel, session::refusal reason) const;

private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<agent_connection_loop>> loops_;
};

}  // namespace muster::node
