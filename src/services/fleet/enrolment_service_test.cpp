#include "services/fleet/enrolment_service.h"

#include "services/fleet/system_service_fixture.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

TEST_CASE("rules take systems in as they say, and rejected ones never") {
    world on;
    server one(on);
    one.knock(1);
    REQUIRE(run_sync(one.keys.reject({print_of(1)}, "admin")).value().changed == 1);
    const stored_rule web{
        .name = "web",
        .key_digest = "d1",
        .networks = {"192.0.2.0/24"},
        .names = {"web*"},
        .zone = "shop",
        .tags = {"auto"}};
    REQUIRE(run_sync(one.rules.add(web)).has_value());
    CHECK(run_sync(one.rules.add(web)).error().code() == errc::conflict);
    auto with_key = server::application_of(2);
    with_key.key_digest = "d1";
    auto rejected = server::application_of(1);
    rejected.key_digest = "d1";

    CHECK(one.state_after(with_key) == system_state::orphan);
    CHECK(one.state_after(rejected) == system_state::fresh);
    CHECK(one.state_after(server::application_of(3)) == system_state::fresh);
    const auto reserved = one.known.find(print_of(2)).value();
    CHECK(reserved.zone == "shop");
    CHECK(reserved.tags == std::vector<std::string>{"auto"});
    CHECK(reserved.accepted_by == "rule web");
}

TEST_CASE("a one-time token takes in one system, which may show it again") {
    world on;
    server one(on);
    server other(on);
    const stored_token to_shop{.zone = "shop", .made_by = "admin"};
    REQUIRE(run_sync(one.rules.add_token("digest", to_shop, 60s)).has_value());
    auto first = server::application_of(1);
    first.token_digest = "digest";
    auto second = server::application_of(2);
    second.token_digest = "digest";

    CHECK(one.state_after(first) == system_state::orphan);
    CHECK(other.state_after(second) == system_state::fresh);
    CHECK(other.state_after(first) == system_state::orphan);
    CHECK(run_sync(one.rules.use_token("digest", print_of(1))).value().has_value());
    CHECK_FALSE(run_sync(one.rules.use_token("digest", print_of(2))).value().has_value());
    CHECK_FALSE(run_sync(one.rules.use_token("other", print_of(1))).value().has_value());
}

TEST_CASE("a rule or a token of a zone that is gone takes nobody in") {
    world on;
    server one(on);
    const stored_rule shops{.name = "shops", .names = {"web*"}, .zone = "shop"};
    REQUIRE(run_sync(one.rules.add(shops)).has_value());
    const stored_token to_shop{.zone = "shop", .made_by = "admin"};
    REQUIRE(run_sync(one.rules.add_token("digest", to_shop, 60s)).has_value());
    on.lose_zone("shop");
    const stored_rule others{.name = "others", .names = {"db*"}, .zone = "default"};
    REQUIRE(run_sync(one.rules.add(others)).has_value());  // reads them all again
    auto with_token = server::application_of(2);
    with_token.token_digest = "digest";

    CHECK(one.state_after(server::application_of(1)) == system_state::fresh);
    CHECK(one.state_after(with_token) == system_state::fresh);
    REQUIRE(run_sync(on.places.add("shop", {})).has_value());
    CHECK(one.state_after(with_token) == system_state::orphan);  // it was not used up
}

TEST_CASE("no rule, token or system leads to a zone that is not there") {
    world on;
    server server(on);
    server.knock(1);
    const stored_rule nowhere{.name = "nowhere", .names = {"*"}, .zone = "atlantis"};
    const stored_token token{.zone = "atlantis", .made_by = "admin"};

    const auto rule = run_sync(server.rules.add(nowhere));
    const auto added = run_sync(server.rules.add_token("digest", token, 60s));
    const auto accepted = run_sync(server.keys.accept(
        {print_of(1)},
        {.zone = "atlantis", .accepted_by = "admin"},
        system_service::duplicate_machine_policy::replace));

    CHECK(rule.error().detail() == "zone \"atlantis\" not found");
    CHECK(added.error().detail() == "zone \"atlantis\" not found");
    REQUIRE_FALSE(accepted.has_value());
    CHECK(accepted.error().detail().contains("was removed while systems were accepted into it"));
    CHECK(run_sync(server.keys.move({print_of(1)}, "us", "admin")).value().changed == 1);
}

TEST_CASE("rules take in no more at once than they may, and say when to come again") {
    world on;
    server server(on, {.rule_acceptances = {.interval = 1h, .burst = 2}});
    const stored_rule everybody{.name = "all", .names = {"*"}, .zone = "default"};
    REQUIRE(run_sync(server.rules.add(everybody)).has_value());
    for (const unsigned number : {1U, 2U}) server.knock(number);

    const auto third = server.knock(3);

    REQUIRE(std::holds_alternative<enrolment_service::retry_after>(third));
    CHECK(std::get<enrolment_service::retry_after>(third).wait > 59min);
    CHECK(server.known.find(print_of(3)) == std::nullopt);
}

}  // namespace
}  // namespace muster::fleet
