#pragma once

// A test's own connection to a server it started.
#include "adapters/ledger/postgres/connection.h"
#include "runtime/clock.h"
#include "tests/harness/postgres_server.h"

#include <doctest/doctest.h>

#include <chrono>
#include <utility>

namespace muster::ledger_postgres {

inline instant in_time() {
    return runtime::monotonic_now() + std::chrono::seconds(30);
}

inline settings reaching(const harness::postgres_server& server) {
    settings how;
    how.address = server.address("postgres");
    how.tls = tls_mode::off;
    how.attempt = std::chrono::seconds(60);
    return how;
}

inline connection connected_to(const harness::postgres_server& server) {
    auto made = connection::open(reaching(server), in_time());
    REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
    return *std::move(made);
}

}  // namespace muster::ledger_postgres
