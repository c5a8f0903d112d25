#include "core/lifecycle/accept_rule.h"

#include <doctest/doctest.h>

namespace muster::lifecycle {
namespace {

bool inside(std::string_view net, std::string_view address) {
    return network::parse(net).value().contains(parse_address(address).value());
}

TEST_CASE("a network holds the addresses that share its first bits, of its own family") {
    CHECK(inside("192.0.2.0/24", "192.0.2.255"));
    CHECK_FALSE(inside("192.0.2.0/24", "192.0.3.0"));
    CHECK(inside("10.0.0.0/8", "10.255.1.2"));
    CHECK(inside("192.0.2.7", "192.0.2.7"));
    CHECK(inside("0.0.0.0/0", "203.0.113.9"));
    CHECK_FALSE(inside("0.0.0.0/0", "2001:db8::1"));
    CHECK(inside("2001:db8::/32", "2001:db8:1:2:3:4:5:6"));
    CHECK_FALSE(inside("2001:db8::/32", "2001:db9::"));
    CHECK(inside("::/0", "fe80::1"));
    CHECK(inside("192.0.2.0/24", "::ffff:192.0.2.9"));
}

TEST_CASE("what is no network is refused with its text") {
    for (const auto* bad :
         {"",
          "192.0.2",
          "192.0.2.256",
          "192.0.2.0/33",
          "192.0.2.1/24",
          "1:2",
          "::1::",
          "g::",
          "192.0.2.0/",
          "192.0.2.0/-1",
          "01.2.3.4",
          "1:2:3:4:5:6:7:8:9",
          "12345::"})
        CHECK_MESSAGE(network::parse(bad).error().code() == errc::invalid, bad);
}

enrolment_candidate web1(std::string_view key_digest = "") {
    return {
        .name = "web1.acme.org",
        .address = parse_address("192.0.2.7").value(),
        .key_digest = key_digest};
}

TEST_CASE("everything a rule asks for must hold, and a rule that asks for nothing takes nobody") {
    accept_rule rule{.name = "web", .name_patterns = {"db*", "web*"}};
    CHECK(matches(rule, web1()));
    rule.networks = {network::parse("10.0.0.0/8").value()};
    CHECK_FALSE(matches(rule, web1()));
    rule.networks.push_back(network::parse("192.0.2.0/24").value());
    CHECK(matches(rule, web1()));
    rule.key_digest = "d1";
    CHECK_FALSE(matches(rule, web1()));
    CHECK_FALSE(matches(rule, web1("d2")));
    CHECK(matches(rule, web1("d1")));
    CHECK_FALSE(matches(accept_rule{.name = "empty"}, web1()));
}

TEST_CASE("a rule that names networks takes in nobody whose address is not known") {
    auto hidden = web1();
    hidden.address.reset();
    accept_rule rule{.name = "web", .name_patterns = {"web*"}};
    CHECK(matches(rule, hidden));
    rule.networks = {network::parse("0.0.0.0/0").value(), network::parse("::/0").value()};

    CHECK_FALSE(matches(rule, hidden));
}

TEST_CASE("of several rules the one with the smallest priority takes the system in") {
    const std::vector<accept_rule> rules{
        {.name = "b", .priority = 10, .name_patterns = {"*"}},
        {.name = "c", .priority = 5, .name_patterns = {"db*"}},
        {.name = "a", .priority = 10, .name_patterns = {"web*"}}};

    CHECK(find_matching_rule(rules, web1())->name == "a");
    CHECK(find_matching_rule({}, web1()) == nullptr);
}

}  // namespace
}  // namespace muster::lifecycle
