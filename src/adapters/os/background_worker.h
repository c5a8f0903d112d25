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

// Does slow work on a thread of its own, one piece after the other, so that it neither stops an
// event loop nor happens many times at once. What finds the queue full, or waits when the worker
// ends, is not done: errc::unavailable. Thread-safe.
class background_worker {
public:
    explicit background_worker(std::size_t waiting_max);
    background_worker(const background_worker&) = delete;
    background_worker& operator=(const background_worker&) = delete;
    ~background_worker();

    template <class T>
    async<T> run(std::function<result<T>()> work) {
        co_return co_await completed<T>([this, work = std::move(work)](completion<T> done) mutable {
            auto response = done;
            const bool reserved =
                enqueue([work = std::move(work), done = std::move(done)](bool stopping) {
                    done(
                        stopping ? result<T>(fail(errc::unavailable, "the server is stopping"))
                                 : work());
                });
            if (!reserved)
                response(fail(errc::unavailable, "too many passwords wait to be checked"));
        });
    }

private:
    using task = std::function<void(bool stopping)>;

    [[nodiscard]] bool enqueue(task next);
    void work();

    std::mutex guard_;
    std::condition_variable changed_;
    bounded_queue<task> waiting_;
    bool stopping_ = false;
    std::thread worker_;
};

}  // namespace muster::os
