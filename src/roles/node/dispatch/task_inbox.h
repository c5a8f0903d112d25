#pragma once

#include "core/model/system.h"
#include "runtime/async_event.h"
#include "services/presence/attached_agents.h"

#include <agent_protocol.pb.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

namespace muster::dispatch {

using connection_id = presence::attached_agents::connection;

// Messages of agent connections about tasks.
struct agent_message {
    system_number system;
    connection_id connection;
    muster::agent_protocol::Frame frame;  // one of the kinds about tasks
};
struct agent_detached {
    system_number system;
    connection_id connection;
};
using task_message = std::variant<agent_message, agent_detached>;

// Queue from the event loops of agent connections to the dispatcher's strand. Bounded: messages are
// dropped when it is full, because agents repeat them; detaches are never dropped. The first
// message of a connection is sent only once: if it was dropped, the connection must be closed.
// Thread-safe.
class task_inbox {
public:
    static constexpr std::size_t messages_max = 100'000;
    static constexpr std::size_t bytes_max = std::size_t{128} * 1024 * 1024;

    // `bytes`: received size. False: dropped.
    bool push(task_message message, std::size_t bytes) {
        {
            const std::scoped_lock lock(mutex_);
            const bool droppable = std::holds_alternative<agent_message>(message);
            if (droppable && (messages_.size() >= messages_max || bytes_ + bytes > bytes_max)) {
                ++dropped_;
                return false;
            }
            bytes_ += bytes;
            messages_.push_back(std::move(message));
        }
        wakeup_.notify();
        return true;
    }

    std::vector<task_message> take_all() {
        const std::scoped_lock lock(mutex_);
        bytes_ = 0;
        return std::exchange(messages_, {});
    }

    runtime::async_event& wakeup() { return wakeup_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    std::mutex mutex_;
    std::vector<task_message> messages_;
    std::size_t bytes_ = 0;
    runtime::async_event wakeup_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::dispatch
