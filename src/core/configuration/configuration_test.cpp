#include "core/configuration/deployment_request.h"
#include "core/configuration/file_plan.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace muster::configuration {
namespace {

using access::subscription_source;
using api::value;
using texts = std::vector<std::string>;

const channel_holders known{{"web", "c1"}, {"base", "c2"}, {"shop", "c3"}};
const std::string europe = "europe";
const std::string shops = "shops";
const system_number seven(7);
const system_number eight(8);

std::vector<std::pair<std::string, subscription_source>> ranked(
    const texts& own, const std::vector<group_channels>& groups) {
    std::vector<std::pair<std::string, subscription_source>> all;
    for (const auto& each : ranked_channels(own, groups, known))
        all.emplace_back(each.channel, each.how);
    return all;
}

TEST_CASE("a system's channels come before those of its groups, each in its order") {
    const texts of_europe{"base"};
    const texts of_shops{"shop"};
    CHECK(
        ranked(
            {"web"},
            {{.name = europe, .channels = of_europe, .by_label = true},
             {.name = shops, .channels = of_shops}})
        == std::vector<std::pair<std::string, subscription_source>>{
            {"web", subscription_source::itself},
            {"base", subscription_source::group_label},
            {"shop", subscription_source::group_expression}});
    const auto sources = ranked_channels(texts{"web"}, {}, known);
    CHECK(sources == std::vector<file_source>{{.holder = "c1", .channel = "web"}});
}

TEST_CASE("a channel that several have keeps the strongest place and came the shortest way") {
    const texts both{"shop", "base"};
    const texts one{"base"};
    CHECK(
        ranked(
            {"shop"},
            {{.name = europe, .channels = both},
             {.name = shops, .channels = one, .by_label = true}})
        == std::vector<std::pair<std::string, subscription_source>>{
            {"shop", subscription_source::itself}, {"base", subscription_source::group_label}});
}

TEST_CASE("a channel that was removed is not there, whoever still names it") {
    const texts gone{"gone"};
    CHECK(ranked({"gone"}, {{.name = europe, .channels = gone}}).empty());
}

TEST_CASE("a system's own files are the strongest, and not those of a channel that was chosen") {
    const std::vector<file_source> channels{
        {.holder = "c1", .channel = "web"}, {.holder = "c2", .channel = "base"}};
    const auto all = chosen_sources("s7", channels, {});
    REQUIRE(all.size() == 3);
    CHECK(all.front() == file_source{.holder = "s7"});
    CHECK(
        chosen_sources("s7", channels, {.channel = "base"})
        == std::vector<file_source>{{.holder = "c2", .channel = "base"}});
    CHECK(chosen_sources("s7", channels, {.channel = "mail"}).empty());
}

const held_files files{
    {"s7", {{.path = "/etc/own", .revision = 1, .place = 0}}},
    {"c1",
     {{.path = "/etc/motd", .revision = 3, .place = 0},
      {.path = "/etc/own", .revision = 1, .place = 1}}},
    {"c2",
     {{.path = "/etc/motd", .revision = 1, .place = 0},
      {.path = "/init.sls", .revision = 1, .is_state = true, .place = 1}}}};
const file_source own{.holder = "s7"};
const file_source web{.holder = "c1", .channel = "web"};
const file_source base{.holder = "c2", .channel = "base"};
const file_source guessed{
    .holder = "c1",
    .channel = "web",
    .how = subscription_source::group_expression,
    .group = "shops"};

std::vector<std::string> named(const file_plan::part& of) {
    std::vector<std::string> all;
    for (const auto& file : of.files) all.push_back(*file.holder + file.file->path);
    return all;
}

TEST_CASE(
    "each path comes once, from the strongest that has it, and states are written to nobody") {
    const file_choice everything;
    file_plan plan(files, everything);
    REQUIRE(plan.add(seven, std::vector{own, web, base}));
    REQUIRE(plan.add(eight, std::vector{base, web}));

    const auto parts = plan.parts();
    REQUIRE(parts.size() == 2);
    const bool first = parts[0].systems.contains(seven);
    CHECK(named(parts[first ? 0 : 1]) == texts{"c1/etc/motd", "s7/etc/own"});
    CHECK(named(parts[first ? 1 : 0]) == texts{"c2/etc/motd", "c1/etc/own"});
}

TEST_CASE("systems that get the same files are together, and those that get none are nowhere") {
    const file_choice motd{.paths = {"/etc/motd"}};
    file_plan plan(files, motd);
    REQUIRE(plan.add(seven, std::vector{own, web}));
    REQUIRE(plan.add(eight, std::vector{web}));
    REQUIRE(plan.add(system_number(9), std::vector{own}));
    REQUIRE(plan.add(system_number(10), std::vector<file_source>()));

    REQUIRE(plan.parts().size() == 1);
    CHECK(plan.parts()[0].systems == fleet::system_set{seven, eight});
    CHECK(named(plan.parts()[0]) == texts{"c1/etc/motd"});
    CHECK(plan.left_out().empty());
}

TEST_CASE("another revision is another file") {
    const held_files newer{
        {"c1", {{.path = "/etc/motd", .revision = 3}}}, {"c2", {{.path = "/etc/motd"}}}};
    const file_choice everything;
    file_plan plan(newer, everything);
    REQUIRE(plan.add(seven, std::vector{web}));
    REQUIRE(plan.add(eight, std::vector{base}));
    CHECK(plan.parts().size() == 2);
}

TEST_CASE("what comes by an expression is left out, and nothing weaker takes its place") {
    const file_choice safe;
    file_plan plan(files, safe);
    REQUIRE(plan.add(seven, std::vector{own, guessed, base}));
    CHECK(plan.left_out() == fleet::system_set{seven});
    REQUIRE(plan.parts().size() == 1);
    CHECK(named(plan.parts()[0]) == texts{"s7/etc/own"});

    const file_choice all{.by_expression = true};
    file_plan whole(files, all);
    REQUIRE(whole.add(seven, std::vector{own, guessed, base}));
    CHECK(whole.left_out().empty());
    CHECK(named(whole.parts()[0]) == texts{"c1/etc/motd", "s7/etc/own"});
}

TEST_CASE("who looks at some zones only does not reach what comes by an expression") {
    const file_choice observed{.looks_at = access::extent::zones, .by_expression = true};
    file_plan plan(files, observed);
    const auto denied = plan.add(seven, std::vector{own, guessed});
    CHECK(denied.error().code() == errc::denied);
    CHECK(
        denied.error().detail().starts_with("system 7 gets /etc/motd from configuration channel "
                                            "\"web\" through the expression of group "
                                            "\"shops\", "));
    CHECK(plan.add(seven, std::vector{own, web}).has_value());
    const file_choice other{
        .paths = {"/etc/own"}, .looks_at = access::extent::zones, .by_expression = true};
    file_plan part(files, other);
    CHECK(part.add(seven, std::vector{own, guessed}).has_value());
}

TEST_CASE("a schedule's arguments say what is deployed, and anything else is refused by name") {
    using record = value::record;
    CHECK(parse_deployment_request(value::list()).value().mode == deployment_mode::write);
    const auto request = parse_deployment_request(
                             record{{"channel", "web"}, {"by_expression", true}, {"dry_run", true}})
                             .value();
    CHECK(request.files.channel == "web");
    CHECK(request.files.by_expression);
    CHECK(request.mode == deployment_mode::compare);
    CHECK(
        parse_deployment_request(record{{"dry_run", false}}).value().mode
        == deployment_mode::write);
    CHECK(parse_deployment_request(value::list{"web"})
              .error()
              .detail()
              .ends_with("must be an object"));
    CHECK(parse_deployment_request(value()).error().code() == errc::invalid);
    CHECK(parse_deployment_request(record{{"channel", 1}})
              .error()
              .detail()
              .contains("argument \"channel\""));
    CHECK(parse_deployment_request(record{{"paths", "x"}})
              .error()
              .detail()
              .contains("argument \"paths\""));
}

TEST_CASE("a plan without parts says whether files were left out") {
    CHECK(explain_empty_plan(0).starts_with("none of the systems"));
    CHECK(explain_empty_plan(3).starts_with("3 of the systems"));
}

}  // namespace
}  // namespace muster::configuration
