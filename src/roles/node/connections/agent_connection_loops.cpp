#include "roles/node/connections/agent_connection_loops.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace muster::node {

std::shared_ptr<agent_connection_loop> agent_connection_loops::get_or_create(
    const boost::asio::any_io_executor& executor, const shared_connection_state& shared) {
    const std::lock_guard lock(mutex_);
    const auto it = std::ranges::find_if(
        loops_, [&executor](const auto& loop) { return loop->executor() == executor; });
    if (it != loops_.end()) return *it;
    loops_.push_back(std::make_shared<agent_connection_loop>(executor, loops_.size(), shared));
    return loops_.back();
}

std::vector<std::shared_ptr<agent_connection_loop>> agent_connection_loops::all() const {
    const std::lock_guard lock(mutex_);
    return loops_;
}

std::shared_ptr<agent_connection_loop> agent_connection_loops::at(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return loops_.at(index);
}

void agent_connection_loops::close(
    presence::attached_agents::connection channel, session::refusal reason) const {
    const auto loop = at(channel.loop);
    boost::asio::post(loop->executor(), [loop, channel, reason = std::move(reason)] {
        if (agent_connection* const connection = loop->find(channel.number))
            connection->close(reason);
    });
}

}  // namespace muster::node
