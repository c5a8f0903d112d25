#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/events/webhook_progress.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::events {

// Where events are sent to as they happen. Kept in the metastore; so is its secret, which signs
// what is sent and is shown only when it is made.
struct webhook_record {
    std::string name;
    std::string url;
    std::vector<std::string> kinds;  // as they were given; none: every event, no returns
    std::string secret;
    std::string authorities;  // PEM; empty: those of outbound.ca
    std::string made_by;
    wall_time made;

    friend bool operator==(const webhook_record&, const webhook_record&) = default;
};

struct webhook_limits {
    static constexpr std::size_t hooks_max = 100;
    static constexpr std::size_t name_bytes_max = 63;
    static constexpr std::size_t url_bytes_max = 2'048;
    static constexpr std::size_t secret_bytes_min = 16;
    static constexpr std::size_t secret_bytes_max = 256;
    static constexpr std::size_t authorities_bytes_max = std::size_t{64} * 1024;
};

// errc::invalid with what is wrong: over https, or plainly to this very machine; a name of letters,
// digits, '-' and '_'; kinds that there are.
result<void> check(const webhook_record& hook);

std::string encode(const webhook_record& webhook);
std::string encode(const webhook_progress& webhook_progress);

// errc::corrupt when the text is not such a record.
result<webhook_record> decode_webhook(std::string_view text);
result<webhook_progress> decode_progress(std::string_view text);

}  // namespace muster::events
