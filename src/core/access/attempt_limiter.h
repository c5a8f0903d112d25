#pragma once

#include "base/time.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace muster::access {

// Slows down guessing: whoever failed too often within a span has to wait. A "who" is whatever the
// caller counts by, such as a user's name and, apart from it, an address.
class attempt_limiter {
public:
    struct limits {
        std::size_t failures_max = 10;
        monotonic::duration span = std::chrono::minutes(1);
        std::size_t remembered_max = 10'000;  // when full, the one that failed longest ago goes
    };

    explicit attempt_limiter(limits bounds);

    // How long `who` has to wait; nothing: may try now.
    std::optional<monotonic::duration> wait_for(const std::string& user, instant now) const;

    void failed(const std::string& user, instant now);
    void succeeded(const std::string& user);

private:
    struct history {
        std::deque<instant> failures;  // at most failures_max, oldest first
        std::size_t round = 0;         // names this history's last entry in order_
    };
    struct mark {
        std::string who;
        std::size_t round = 0;
    };

    void forget_oldest();

    limits bounds_;
    std::map<std::string, history> by_who_;
    std::deque<mark> order_;  // by last failure; marks that a later failure outdated are skipped
    std::size_t rounds_ = 0;
};

}  // namespace muster::access
