#include "adapters/os/background_worker.h"

namespace muster::os {

background_worker::background_worker(std::size_t waiting_max)
    : waiting_(waiting_max), worker_([this] { work(); }) {}

background_worker::~background_worker() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    worker_.join();
}

bool background_worker::enqueue(queued_work item) {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !waiting_.try_push(std::move(item))) return false;
    changed_.notify_one();
    return true;
}

void background_worker::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        const auto item = waiting_.pop();
        const bool stopping = stopping_;
        lock.unlock();
        item(stopping);
        lock.lock();
    }
}

}  // namespace muster::os
