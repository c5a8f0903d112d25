#include "adapters/metastore/etcd/options.h"

#include "adapters/metastore/etcd/etcd_metastore.h"

#include <doctest/doctest.h>

#include <functional>

namespace muster {
namespace {

using namespace std::chrono_literals;

std::string refusal_after(const std::function<void(etcd_options&)>& spoil) {
    etcd_options options{.endpoints = {"127.0.0.1:2379"}};
    spoil(options);
    const auto checked = check_options(options);
    if (checked) return {};
    CHECK(checked.error().code() == errc::invalid);
    return checked.error().detail();
}

TEST_CASE("options that cannot work are refused with a sentence that names the setting") {
    CHECK(refusal_after([](etcd_options&) {}).empty());
    CHECK(refusal_after([](auto& set) { set.endpoints.clear(); }).contains("no etcd endpoint"));
    CHECK(refusal_after([](auto& set) { set.endpoints = {"http://a:1"}; }).contains("http://a:1"));
    CHECK(refusal_after([](auto& set) { set.endpoints = {"host"}; }).contains("host:port"));
    CHECK(refusal_after([](auto& set) { set.tls.key = "k.pem"; }).contains("set together"));
    CHECK(refusal_after([](auto& set) { set.user = "root"; }).contains("password file"));
    CHECK(refusal_after([](auto& set) { set.request_deadline = 0ms; }).contains("deadline"));
    CHECK(refusal_after([](auto& set) { set.timeout = 1ms; }).contains("etcd timeout"));
    CHECK(
        refusal_after([](auto& set) { set.watch_buffer_changes_max = 0; }).contains("at least 1"));
}

TEST_CASE("a TLS file that cannot be read is named when the metastore is opened") {
    const auto opened =
        etcd_metastore::open({.endpoints = {"127.0.0.1:2379"}, .tls = {.ca = "/nowhere/ca.pem"}});

    REQUIRE_FALSE(opened);
    CHECK(opened.error().detail().contains("/nowhere/ca.pem"));
}

}  // namespace
}  // namespace muster
