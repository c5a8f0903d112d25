#include "adapters/metastore/etcd/etcd_metastore.h"
#include "ports/contract/metastore_contract.h"
#include "tests/harness/etcd_cluster.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/real_event_loop.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace muster {
namespace {

using boost::asio::awaitable;
using contract::metastore_fault;

// A real cluster, each member behind a link that can be cut.
class etcd_fixture final : public contract::metastore_fixture {
public:
    explicit etcd_fixture(std::size_t members) : cluster_({.members = members}) {
        for (std::size_t i = 0; i < members; ++i)
            links_.push_back(std::make_unique<harness::faulty_tcp_proxy>(cluster_.port(i)));
    }

    contract::world& where() override { return world_; }

    std::shared_ptr<metastore> open() override {
        etcd_options options{.endpoints = {}, .key_prefix = "muster/"};
        for (const auto& link : links_)
            options.endpoints.push_back("127.0.0.1:" + std::to_string(link->port()));
        auto opened = etcd_metastore::open(std::move(options));
        if (!opened) throw std::runtime_error(to_string(opened.error()));
        return *std::move(opened);
    }

    bool can(metastore_fault fault) const override {
        return fault != metastore_fault::leader_change || cluster_.size() > 1;
    }

    awaitable<void> kill_engine() override {
        for (std::size_t i = 0; i < cluster_.size(); ++i) cluster_.kill(i);
        co_return;
    }

    awaitable<void> restart_engine() override {
        for (std::size_t i = 0; i < cluster_.size(); ++i) cluster_.start(i);
        co_await harness::beside_the_loop([this] { cluster_.wait_until_healthy(); });
    }

    awaitable<void> cut_link() override {
        for (auto& link : links_) link->cut();
        co_return;
    }

    awaitable<void> heal_link() override {
        for (auto& link : links_) link->heal();
        co_return;
    }

    // By kill -9 of the one who leads; he comes back as a follower.
    awaitable<void> change_leader() override {
        std::size_t old = 0;
        co_await harness::beside_the_loop([&] {
            old = cluster_.leader().value();
            cluster_.kill(old);
            harness::eventually(
                "a new leader of etcd", [this] { return cluster_.leader().has_value(); });
        });
        cluster_.start(old);  // here: a process dies with the thread that started it
        co_await harness::beside_the_loop([this] { cluster_.wait_until_healthy(); });
    }

private:
    harness::real_event_loop world_;
    harness::etcd_cluster cluster_;
    std::vector<std::unique_ptr<harness::faulty_tcp_proxy>> links_;
};

TEST_CASE("an etcd of one member keeps the metastore's contract") {
    static etcd_fixture fixture(1);
    contract::check_metastore_contract(fixture);
}

TEST_CASE("an etcd of three members keeps the metastore's contract") {
    static etcd_fixture fixture(3);
    contract::check_metastore_contract(fixture);
}

}  // namespace
}  // namespace muster
