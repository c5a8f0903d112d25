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

// A change of many systems that runs while others watch it.
class operation {
public:
    enum class stage { waiting, running, done, failed };
    struct report {
        std::string id;
        std::string what;
        std::string by;
        stage now = stage::waiting;
        std::size_t total = 0;
        std::size_t seen = 0;  // of the total, whatever became of them
        bulk_result counted;   // complete when it is done
        std::string failure;   // why the rest was not tried
        wall_time made;
        std::optional<wall_time> ended;

        bool over() const { return now == stage::done || now == stage::failed; }
    };

    operation(std::string id, std::string text, std::string by, wall_time result);

    report read() const;

private:
    friend class bulk_operation_queue;

    mutable std::mutex guard_;
    report told_;
    progress seen_;
};

std::string_view to_string(operation::stage stage);

// Runs operations one after the other and remembers how the last ones ended. Thread-safe but for
// run(). They live in the memory of this server: when it stops, what was done stays done, and the
// same request again does what is left.
class bulk_operation_queue {
public:
    static constexpr std::size_t waiting_max = 16;
    static constexpr std::size_t remembered_max = 256;

    // Says how many there are when it knows, and does the work.
    struct task {
        std::string what;  // "accept"
        std::string by;
        std::function<async<system_service::targets>()> find;
        std::function<async<bulk_result>(system_service::targets, progress*)> perform;
        std::function<async<void>(operation::report)> record;  // in the audit trail, at the end
    };

    explicit bulk_operation_queue(muster::clock& clock) : clock_(clock) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // errc::unavailable when too many wait already.
    result<std::shared_ptr<const operation>> start(std::string id, task task);
    std::shared_ptr<const operation> find(const std::string& id) const;  // null: forgotten

private:
    struct waiting_task {
        std::shared_ptr<operation> shown;
        task what;
    };

    std::optional<waiting_task> take();
    async<bulk_result> perform(waiting_task next);

    muster::clock& clock_;
    mutable std::mutex guard_;
    bounded_queue<waiting_task> waiting_{waiting_max};
    std::deque<std::shared_ptr<operation>> remembered_;
    runtime::async_event more_;
};

}  // namespace muster::fleet
