#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/events/webhook_progress.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::events {

// A URL that receives events as they happen. Stored in the metastore with its secret, which signs
// the requests. The API shows the secret only on creation.
struct webhook_record {
    std::string name;
    std::string url;
    std::vector<std::string> kinds;  // as given by the user; empty: all events, no returns
    std::string secret;
    std::string authorities;  // PEM; empty: those of outbound.ca
    std::string created_by;
    wall_time created;

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

// Checks name, URL, kinds, secret and authorities. The URL must be https, or http to this machine.
// errc::invalid says what is wrong.
result<void> check(const webhook_record& hook);

std::string encode(const webhook_record& hook);
std::string encode(const webhook_progress& progress);

// errc::corrupt for invalid records.
result<webhook_record> decode_webhook(std::string_view text);
result<webhook_progress> decode_progress(std::string_view text);

}  // namespace muster::events
