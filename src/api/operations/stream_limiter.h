#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace muster::api {

// So many answers without an end may be under way at once. Thread-safe; outlives its seats.
class stream_limiter {
public:
    explicit stream_limiter(std::size_t most) : most_(most) {}
    stream_limiter(const stream_limiter&) = delete;
    stream_limiter& operator=(const stream_limiter&) = delete;

    // Free again when the last copy is gone.
    using seat = std::shared_ptr<void>;

    // None when all are taken.
    seat take() {
        auto reserved = taken_.load();
        while (reserved < most_) {
            if (!taken_.compare_exchange_weak(reserved, reserved + 1)) continue;
            return {this, [](stream_limiter* of) {
                        --of->taken_;
                    }};
        }
        ++refused_;
        return nullptr;
    }

    std::size_t most() const { return most_; }
    std::size_t taken() const { return taken_; }
    std::uint64_t refused() const { return refused_; }

private:
    std::size_t most_;
    std::atomic<std::size_t> taken_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace muster::api
