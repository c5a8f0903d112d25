#include "runtime/engine_url.h"

#include <doctest/doctest.h>

namespace muster::runtime {
namespace {

TEST_CASE("engine URLs of every kind are understood") {
    CHECK(
        parse_engine_url("sqlite:/var/lib/m.db").value()
        == engine_url(sqlite_url{"/var/lib/m.db"}));
    CHECK(parse_engine_url("memory:").value() == engine_url(memory_url{}));
    CHECK(
        parse_engine_url("etcd://10.0.0.1:2379,[::1]:2380").value()
        == engine_url(etcd_url{{{"10.0.0.1", 2379}, {"::1", 2380}}}));
    CHECK(parse_engine_url("nats://bus:4222/").value() == engine_url(nats_url{{{"bus", 4222}}}));
    CHECK(
        parse_engine_url("postgresql://muster@db:5432/muster").value()
        == engine_url(postgresql_url{"postgresql://muster@db:5432/muster"}));
}

TEST_CASE("a URL that holds a password is refused without repeating it") {
    for (const auto* url :
         {"postgresql://muster:hunter2@db/muster",
          "postgresql://db/muster?password=hunter2",
          "nats://muster:hunter2@bus:4222"}) {
        const auto refused = parse_engine_url(url);
        REQUIRE(refused.error().code() == errc::invalid);
        CHECK_FALSE(refused.error().detail().contains("hunter2"));
        CHECK(refused.error().detail().contains("file"));
    }
}

TEST_CASE("what is no engine URL is refused") {
    for (const auto* url :
         {"",
          "etcd",
          "etcd:",
          "etcd://",
          "etcd://host",
          "etcd://h:1,",
          "sqlite:",
          "memory:x",
          "redis://h:1",
          "etcd://h:70000",
          "etcd://::1:80"})
        CHECK(parse_engine_url(url).error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::runtime
