#pragma once

#include "adapters/net/http/response.h"
#include "core/api/operation.h"
#include "ports/metastore.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace muster::api {

// Requests that came with a key of their sender's (Idempotency-Key): one that is sent again, to
// whatever server, is not done again but answered as the first one was. A claim is on record before
// anything is done, so of two that come at the same time one is done; it ends with its lease.
//
// Of a request whose server died, or had no answer in time, nobody knows whether it was done: the
// claim stays, and whoever sends it again is told so (errc::conflict). Thread-safe.
class idempotency_store {
public:
    static constexpr std::chrono::seconds lifetime = std::chrono::hours(24);
    static constexpr std::size_t key_bytes_max = api::request_key_bytes_max;
    static constexpr std::size_t of_person_max = 500;
    static constexpr std::size_t answer_bytes_max = std::size_t{64} * 1024;

    explicit idempotency_store(muster::metastore& metastore) : metastore_(metastore) {}

    struct request {
        std::string user;  // keys of different people do not meet
        std::string key;   // as they chose it
        std::string operation;
        std::string digest;  // of what is asked for
    };
    struct answer {
        unsigned status = 200;
        std::string content;  // JSON
        net::http::field_list fields = {};
    };
    struct claim {
        kv::lease_id lease;
        std::optional<answer> before = {};  // nothing: it is the first time
    };

    // errc::conflict when the key was used for another request, or the first one is under way or
    // has no answer that could be told; errc::unavailable when somebody has too many.
    async<claim> take(request request);
    // It is done. No answer: it holds a secret, or is too large.
    async<void> keep(request request, kv::lease_id lease, std::optional<answer> answer);
    // It did not happen: the same key may be used again.
    async<void> release_memory(kv::lease_id lease);

private:
    async<claim> look_at(request request, std::string stored);
    async<void> check_number(request request);

    metastore& metastore_;
};

}  // namespace muster::api
