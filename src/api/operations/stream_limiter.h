#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace muster::api {

// Bounds the number of concurrent streams. Thread-safe; must outlive its permits.
class stream_limiter {
public:
    explicit stream_limiter(std::size_t limit) : limit_(limit) {}
    stream_limiter(const stream_limiter&) = delete;
    stream_limiter& operator=(const stream_limiter&) = delete;

    // Released when the last copy is destroyed.
    using permit = std::shared_ptr<void>;

    // Null when the limit is reached.
    permit acquire() {
        auto count = in_use_.load();
        while (count < limit_) {
            if (!in_use_.compare_exchange_weak(count, count + 1)) continue;
            return {this, [](stream_limiter* limiter) {
                        --limiter->in_use_;
                    }};
        }
        ++refused_;
        return nullptr;
    }

    std::size_t limit() const { return limit_; }
    std::size_t in_use() const { return in_use_; }
    std::uint64_t refused() const { return refused_; }

private:
    std::size_t limit_;
    std::atomic<std::size_t> in_use_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace muster::api
