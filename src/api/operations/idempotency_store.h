#pragma once

#include "adapters/net/http/response.h"
#include "core/api/operation.h"
#include "ports/metastore.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace muster::api {

// Stores the responses of requests with an Idempotency-Key. A repeated request, on any server, gets
// the first response and does not run again. The reservation is written before the request runs,
// so only one of two concurrent requests runs. It expires with its lease.
//
// If a server died or an engine timed out, the outcome is unknown. The reservation then stays, and
// repeated requests fail with errc::conflict. Thread-safe.
class idempotency_store {
public:
    static constexpr std::chrono::seconds lifetime = std::chrono::hours(24);
    static constexpr std::size_t key_bytes_max = api::request_key_bytes_max;
    static constexpr std::size_t keys_per_user_max = 500;
    static constexpr std::size_t response_bytes_max = std::size_t{64} * 1024;

    explicit idempotency_store(muster::metastore& metastore) : metastore_(metastore) {}

    struct request {
        std::string user;  // keys are separate for each user
        std::string key;   // chosen by the client
        std::string operation;
        std::string digest;  // of the arguments
    };
    struct stored_response {
        unsigned status = 200;
        std::string content;  // JSON
        net::http::field_list fields = {};
    };
    struct reservation {
        kv::lease_id lease;
        std::optional<stored_response> earlier_response = {};  // nullopt: first request
    };

    // errc::conflict if the key was used for another request, or the first request is in progress
    // or has no stored response; errc::unavailable if the user has too many keys.
    async<reservation> reserve(request request);
    // The request is done. No response is stored if it holds a secret or is too large.
    async<void> complete(
        request request, kv::lease_id lease, std::optional<stored_response> stored_response);
    // The request did not run: the key may be used again.
    async<void> release(kv::lease_id lease);

private:
    async<reservation> check_existing(request request, std::string stored);
    async<void> check_key_count(request request);

    metastore& metastore_;
};

}  // namespace muster::api
