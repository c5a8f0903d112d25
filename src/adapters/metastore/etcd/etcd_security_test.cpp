#include "adapters/metastore/etcd/etcd_metastore.h"
#include "tests/harness/etcd_cluster.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/test_certificates.h"

#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

template <class T>
T must(result<T> outcome) {
    if (!outcome) throw std::runtime_error(to_string(outcome.error()));
    return *std::move(outcome);
}

kv::transaction put(const std::string& key, const std::string& value) {
    return {.when = {}, .then = {kv::put{.key = key, .value = value}}};
}

struct secured_etcd {
    harness::etcd_cluster cluster{{.members = 1, .tls = true}};

    secured_etcd() {
        cluster.enable_auth("muster", "correct horse");
        write_password("correct horse");
    }

    void write_password(const std::string& password) const {
        std::ofstream(password_file()) << password << "\n";
    }
    std::filesystem::path password_file() const { return cluster.directory() / "password"; }

    etcd_options options() const {
        return {
            .endpoints = cluster.endpoints(),
            .tls =
                {.ca = cluster.ca_file(),
                 .certificate = cluster.certificate_file(),
                 .key = cluster.key_file()},
            .user = "muster",
            .password_file = password_file(),
            .request_deadline = 2s};  // etcd takes its time over a password
    }
};

awaitable<void> live_on_after_a_restart(etcd_metastore& store, harness::etcd_cluster& cluster) {
    const auto at = must(co_await store.commit(put("a", "1"))).at;
    const auto watch = store.watch("a", at.next());

    cluster.kill(0);
    cluster.start(0);
    harness::eventually("etcd to listen", [&] { return harness::listening(cluster.port(0)); });

    auto again = co_await store.get("a");
    while (!again) again = co_await store.get("a");
    CHECK(again->found->value == "1");
    must(co_await store.commit(put("a", "2")));
    const auto event = must(co_await watch->next());
    CHECK(std::get<kv::change_batch>(event).changes.size() == 1);
}

awaitable<void> expect(etcd_metastore& store, errc code, std::string reason) {
    const auto look = co_await store.get("a");
    REQUIRE_FALSE(look.has_value());
    CHECK_MESSAGE(look.error().code() == code, to_string(look.error()));
    CHECK_MESSAGE(look.error().detail().contains(reason), to_string(look.error()));
    const auto verdict = co_await store.commit(put("a", "3"));
    REQUIRE_FALSE(verdict.has_value());
    CHECK_MESSAGE(verdict.error().code() == code, to_string(verdict.error()));
    const auto watch = store.watch("a", kv::revision(1));
    if (code != errc::denied) co_return;  // a watch waits for an etcd that is away
    const auto event = co_await watch->next();
    REQUIRE_FALSE(event.has_value());
    CHECK_MESSAGE(event.error().code() == code, to_string(event.error()));
}

TEST_CASE("an etcd with TLS and users serves who it knows, also after it forgot our token") {
    secured_etcd secured;
    const auto store = must(etcd_metastore::open(secured.options()));

    harness::real_event_loop().run(live_on_after_a_restart(*store, secured.cluster));

    SUBCASE("a wrong password is told as denied") {
        secured.write_password("wrong");
        const auto stranger = must(etcd_metastore::open(secured.options()));
        harness::real_event_loop().run(expect(*stranger, errc::denied, "password"));
    }
    SUBCASE("a client that does not trust etcd's certificate reaches nobody") {
        const harness::temporary_directory elsewhere("other-ca");
        harness::make_certificates(elsewhere.path(), "other");
        auto options = secured.options();
        options.tls = {.ca = elsewhere.path() / "ca.pem", .certificate = {}, .key = {}};
        options.timeout = 2s;
        const auto stranger = must(etcd_metastore::open(std::move(options)));
        harness::real_event_loop().run(expect(*stranger, errc::unavailable, "certificate"));
    }
}

}  // namespace
}  // namespace muster
