#include "adapters/metastore/etcd/transaction_codec.h"

#include <doctest/doctest.h>

#include <utility>

namespace muster::etcd {
namespace {

const keyspace keys("ours/");

TEST_CASE("joined transactions have all conditions and all operations, and read nothing") {
    joined_request all(keys);
    all.add({.when = {kv::absent{"a"}}, .then = {kv::put{.key = "a", .value = "1"}}});
    all.add({.when = {kv::present{"b"}, kv::present{"c"}}, .then = {kv::erase{"b"}}});
    const auto request = std::move(all).release();

    REQUIRE(request.compare_size() == 3);
    CHECK(request.compare(2).key() == "ours/c");
    REQUIRE(request.success_size() == 2);
    CHECK(request.success(0).request_put().key() == "ours/a");
    CHECK(request.success(1).request_delete_range().key() == "ours/b");
    CHECK(request.failure_size() == 0);
}

TEST_CASE("joined transactions that only look are asked of the whole cluster, too") {
    joined_request all(keys);
    all.add({.when = {kv::present{"a"}}, .then = {}});
    all.add({.when = {kv::absent{"b"}}, .then = {}});
    const auto request = std::move(all).release();

    REQUIRE(request.success_size() == 1);
    CHECK(request.success(0).has_request_range());
}

}  // namespace
}  // namespace muster::etcd
