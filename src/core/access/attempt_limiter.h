#pragma once

#include "base/time.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace muster::access {

// Slows down guessing: a user that failed too often within a span has to wait. `user` is any key
// that the caller counts by, such as a user name or an address. Not thread-safe.
class attempt_limiter {
public:
    struct limits {
        std::size_t failures_max = 10;
        monotonic::duration span = std::chrono::minutes(1);
        std::size_t remembered_max = 10'000;  // when full, the oldest entry is dropped
    };

    explicit attempt_limiter(limits bounds);

    // Time to wait; nothing: an attempt is allowed now.
    std::optional<monotonic::duration> wait_for(const std::string& user, instant now) const;

    void failed(const std::string& user, instant now);
    void on_success(const std::string& user);

private:
    struct history {
        std::deque<instant> failures;  // at most failures_max, oldest first
        std::size_t round = 0;         // names this history's last entry in order_
    };
    struct mark {
        std::string user;
        std::size_t round = 0;
    };

    void forget_oldest();

    limits bounds_;
    std::map<std::string, history> histories_;
    std::deque<mark> order_;  // by last failure; marks that a later failure outdated are skipped
    std::size_t rounds_ = 0;
};

}  // namespace muster::access
