#pragma once

#include "base/bounded_queue.h"
#include "ports/clock.h"
#include "runtime/async_event.h"
#include "services/fleet/system_service.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace muster::fleet {

// A change of many systems that runs in the background and reports its progress. Thread-safe.
class bulk_operation {
public:
    enum class stage { waiting, running, done, failed };
    struct report {
        std::string id;
        std::string action;
        std::string user;
        bulk_operation::stage stage = bulk_operation::stage::waiting;
        std::size_t total = 0;
        std::size_t processed = 0;  // of the total, changed or not
        bulk_result result;         // complete when it is done
        std::string failure;        // why the rest was not attempted
        wall_time created;
        std::optional<wall_time> ended;

        bool is_finished() const {
            return stage == bulk_operation::stage::done || stage == bulk_operation::stage::failed;
        }
    };

    bulk_operation(std::string id, std::string action, std::string user, wall_time created);

    report read() const;

private:
    friend class bulk_operation_queue;

    mutable std::mutex mutex_;
    report report_;
    progress progress_;
};

std::string_view to_string(bulk_operation::stage stage);

// Runs bulk operations one after the other and remembers the results of the last ones. Thread-safe
// except for run(). Operations live in memory only: when the server stops, finished changes stay,
// and the same request continues with the rest.
class bulk_operation_queue {
public:
    static constexpr std::size_t waiting_max = 16;
    static constexpr std::size_t remembered_max = 256;

    // One change of many systems.
    struct bulk_work {
        std::string action;  // "accept"
        std::string user;
        std::function<async<system_service::targets>()> find_targets;
        std::function<async<bulk_result>(system_service::targets, progress*)> perform;
        std::function<async<void>(bulk_operation::report)>
            record;  // in the audit trail, at the end
    };

    explicit bulk_operation_queue(muster::clock& clock) : clock_(clock) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    // errc::unavailable when the queue is full.
    result<std::shared_ptr<const bulk_operation>> start(std::string id, bulk_work work);
    std::shared_ptr<const bulk_operation> find(
        const std::string& id) const;  // null: unknown or forgotten

private:
    struct waiting_work {
        std::shared_ptr<bulk_operation> operation;
        bulk_work work;
    };

    std::optional<waiting_work> pop();
    async<bulk_result> perform(waiting_work waiting);

    muster::clock& clock_;
    mutable std::mutex mutex_;
    bounded_queue<waiting_work> queue_{waiting_max};
    std::deque<std::shared_ptr<bulk_operation>> remembered_;
    runtime::async_event task_queued_;
};

}  // namespace muster::fleet
