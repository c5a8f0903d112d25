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

using channel_id = presence::attached_agents::channel;

// What the node's channels tell about tasks.
struct agent_message {
    system_number system;
    channel_id over;
    muster::agent_protocol::Frame frame;  // one of the kinds about tasks
};
struct agent_detached {
    system_number system;
    channel_id over;
};
using task_news = std::variant<agent_message, agent_detached>;

// From the channels' event loops to the one strand that decides. Bounded: what an agent said is
// dropped when too much waits, because it says it again; that it left never is. What it says first,
// all that it holds, it says once on a channel: a channel whose first word was dropped must be
// closed. Thread-safe.
class task_inbox {
public:
    static constexpr std::size_t news_max = 100'000;
    static constexpr std::size_t bytes_max = std::size_t{128} * 1024 * 1024;

    // `bytes`: what was received for it. False: it was dropped.
    bool push(task_news news, std::size_t bytes) {
        {
            const std::scoped_lock lock(guard_);
            const bool droppable = std::holds_alternative<agent_message>(news);
            if (droppable && (news_.size() >= news_max || bytes_ + bytes > bytes_max)) {
                ++dropped_;
                return false;
            }
            bytes_ += bytes;
            news_.push_back(std::move(news));
        }
        bell_.ring();
        return true;
    }

    std::vector<task_news> take() {
        const std::scoped_lock lock(guard_);
        bytes_ = 0;
        return std::exchange(news_, {});
    }

    runtime::async_event& bell() { return bell_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    std::mutex guard_;
    std::vector<task_news> news_;
    std::size_t bytes_ = 0;
    runtime::async_event bell_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::dispatch
