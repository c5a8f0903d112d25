#pragma once

#include "base/bounded_queue.h"
#include "base/result.h"
#include "ports/async.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace muster::os {

// Runs slow work on one background thread, one item after the other, so that it does not block an
// event loop. errc::unavailable if the queue is full or the worker stops. Thread-safe.
class background_worker {
public:
    explicit background_worker(std::size_t waiting_max);
    background_worker(const background_worker&) = delete;
    background_worker& operator=(const background_worker&) = delete;
    ~background_worker();

    template <class T>
    async<T> run(std::function<result<T>()> work) {
        co_return co_await await_callback<T>([this,
                                              work = std::move(work)](completion<T> done) mutable {
            auto refuse = done;
            const bool queued = enqueue([work = std::move(work),
                                         done = std::move(done)](bool stopping) {
                done(stopping ? result<T>(fail(errc::unavailable, "server is stopping")) : work());
            });
            if (!queued)
                refuse(fail(errc::unavailable, "background work queue is full; retry later"));
        });
    }

private:
    using queued_work = std::function<void(bool stopping)>;

    [[nodiscard]] bool enqueue(queued_work item);
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    bounded_queue<queued_work> waiting_;
    bool stopping_ = false;
    std::thread worker_;
};

}  // namespace muster::os
