#include "services/events/webhook_address_policy.h"

#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::events {
namespace {

using harness::run_sync;

const cluster::topology_cache& one_other_node() {
    static cluster::topology_cache cache;
    auto topology = std::make_shared<cluster::topology>();
    topology->nodes["node2"] = {.name = "node2", .address = "node2.acme.org:8443"};
    cache.publish(std::move(topology));
    return cache;
}

webhook_address_policy gate(bool plain_http) {
    return webhook_address_policy(
        {.plain_http = plain_http,
         .closed =
             {{.host = "0.0.0.0", .port = 8443},
              {.host = "127.0.0.1", .port = 8444},
              {.host = "etcd1.acme.org", .port = 2379},
              {.host = "10.0.0.5", .port = 5432}}},
        &one_other_node());
}

TEST_CASE("plain http is only for servers that were told so") {
    CHECK(gate(false).check("http://127.0.0.1:9000/").error().code() == errc::invalid);
    CHECK(gate(false).check("http://localhost/").error().code() == errc::invalid);
    CHECK(gate(true).check("http://127.0.0.1:9000/").has_value());
    CHECK(gate(false).check("https://chat.acme.org/").has_value());
}

TEST_CASE("no webhook leads to the cluster or its engines, however that is written") {
    const auto allowing = gate(true);
    for (const auto* const url :
         {"http://127.0.0.1:8444/metrics",
          "http://127.9.9.9:8444/",
          "http://[::1]:8444/",
          "http://localhost.:8444/",
          "https://[::ffff:127.0.0.1]:8443/api/v1/jobs",
          "https://0.0.0.0:8443/",
          "https://[::]:8443/",
          "https://LOCALHOST:8443/",
          "https://node2.acme.org:8443/",
          "https://ETCD1.acme.org.:2379/v3/kv/range",
          "https://10.0.0.5:5432/"}) {
        CAPTURE(url);
        CHECK(allowing.check(url).error().code() == errc::invalid);
    }
    for (const auto* const url :
         {"https://etcd1.acme.org/", "https://10.0.0.5/", "http://127.0.0.1:8445/"}) {
        CAPTURE(url);
        CHECK(allowing.check(url).has_value());
    }
}

TEST_CASE("a name that stands for an engine's address leads nowhere either") {
    const webhook_address_policy one(
        {.plain_http = true, .closed = {{.host = "localhost", .port = 2379}}});
    // Not by what is written: the resolver knows more names and ways to write an address.
    const webhook_address_policy other(
        {.plain_http = true, .closed = {{.host = "127.0.0.1", .port = 2379}}});
    CHECK(run_sync(one.check_resolved("https://127.0.0.1:2379/")).error().code() == errc::invalid);
    CHECK(
        run_sync(other.check_resolved("https://localhost:2379/")).error().code() == errc::invalid);
    CHECK(run_sync(other.check_resolved("http://127.0.0.1:2380/")).has_value());
}

}  // namespace
}  // namespace muster::events
