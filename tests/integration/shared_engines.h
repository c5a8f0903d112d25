#pragma once

#include "tests/harness/etcd_cluster.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/postgres_server.h"

#include <string>
#include <vector>

namespace muster::integration {

// One etcd, NATS and PostgreSQL for several servers.
struct shared_engines {
    harness::etcd_cluster etcd;
    harness::nats_cluster nats;
    harness::postgres_server postgres;

    shared_engines() {
        nats.wait_until_ready();
        postgres.create_database("muster");
    }

    std::vector<std::string> flags(std::vector<std::string> more = {}) const {
        std::vector<std::string> all{
            "--metastore",
            "etcd://" + etcd.endpoints().front(),
            "--bus",
            "nats://127.0.0.1:" + std::to_string(nats.port(0)),
            "--ledger",
            postgres.address("muster"),
            "--ledger-tls",
            "off",
            "--lease-ttl",
            "3s",
            "--driver-plan-interval",
            "1s",
            "--driver-moves-per-step",
            "16384"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

}  // namespace muster::integration
