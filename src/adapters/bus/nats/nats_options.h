#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/stream/feed.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::nats {

// Secrets and keys are read from files, again for each connection, so that they can be changed
// without a restart.
struct security {
    bool tls = false;
    std::string ca_file;           // PEM; signs the servers' certificates
    std::string certificate_file;  // PEM; of this client, for mutual TLS
    std::string key_file;
    std::string user;
    std::string password_file;     // with `user`
    std::string token_file;        // instead of user and password
    std::string credentials_file;  // a NATS .creds file, instead of both
};

struct options {
    std::vector<std::string> servers;  // "nats://host:port"
    security access = {};

    // Several clusters may share a NATS server: each has its own stream and subject prefix.
    std::string stream = "MUSTER";
    std::string prefix = "MUSTER";
    int replicas = 1;
    std::int64_t stream_bytes_max = std::int64_t{1} << 30;
    std::chrono::hours stream_age_max = std::chrono::days(7);
    std::chrono::milliseconds deduplication_span = std::chrono::minutes(2);

    // Time limit of a call, for the connection and the response together.
    std::chrono::milliseconds timeout = std::chrono::seconds(5);
    std::size_t in_flight_max = 8192;  // pending calls; more are refused as unavailable
    std::size_t in_flight_bytes_max = std::size_t{64} << 20;

    // Messages without a response, such as acknowledgements, that wait for a connection. More are
    // refused as unavailable.
    std::size_t unsent_max = 65'536;
    std::size_t unsent_bytes_max = std::size_t{16} << 20;

    // Unacknowledged messages of one consumer. When that many messages of one subject wait behind
    // an unacknowledged one, other subjects wait too.
    std::size_t consumer_messages_max = 1024;
    stream::feed_limits feed = {};
};

// errc::invalid when something is missing, malformed or contradictory.
result<void> validate(const options& options);

}  // namespace muster::nats
