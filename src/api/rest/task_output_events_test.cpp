#include "api/rest/task_output_events.h"

#include "adapters/pki/base64.h"
#include "base/prng.h"
#include "core/table/utf8.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace muster::api {
namespace {

namespace json = boost::json;
using jobs::output_piece;

// What a client that prints has on its screen: output as it is, a gap as <size>.
struct screen {
    std::string seen;
    std::string text_events;
    std::string last_id;

    void show(const task_output_events::events& events) {
        for (const auto& event : events) {
            const auto response = json::parse(event.data).as_object();
            last_id = event.id;
            if (const auto* const text = response.if_contains("text")) {
                seen += json::value_to<std::string>(*text);
                text_events += json::value_to<std::string>(*text);
            } else if (const auto* const bytes = response.if_contains("base64")) {
                seen += pki::from_base64(json::value_to<std::string>(*bytes)).value();
            } else if (event.name == "gap") {
                seen += "<" + std::to_string(response.at("size").to_number<int>()) + ">";
            }
        }
    }
};

TEST_CASE("output is told as it comes, and what was skipped is told as a gap") {
    task_output_events task_output_events({});
    screen shown;
    shown.show(task_output_events.add_piece({1, 0, "one ", false}));
    shown.show(task_output_events.add_piece({1, 4, "two ", false}));
    shown.show(task_output_events.add_piece({1, 20, "three", false}));
    shown.show(task_output_events.add_piece({1, 30, "", true}));

    CHECK(shown.seen == "one two <12>three<5>");
    CHECK(task_output_events.is_finished(1));
    CHECK(json::parse(task_output_events.end({}).back().data).at("skipped").to_number<int>() == 17);
}

TEST_CASE("who comes back is told what it has not seen") {
    task_output_events response(*parse_output_position("1-4"));
    screen shown;
    shown.show(response.add_piece({1, 4, "two", false}));
    CHECK(shown.seen == "two");
    CHECK(shown.last_id == "1-7");

    task_output_events later({.attempt = 1, .offset = 7});
    screen again;
    again.show(later.add_piece({2, 0, "second try", false}));
    CHECK(again.seen == "second try");
    CHECK(again.last_id == "2-10");
}

TEST_CASE("an attempt that its agent ran again is told from its beginning") {
    task_output_events task_output_events({});
    screen shown;
    shown.show(task_output_events.add_piece({1, 0, "first run\n", false}));
    shown.show(task_output_events.add_piece({1, 0, "second run\n", false}));
    CHECK(shown.seen == "first run\nsecond run\n");
}

TEST_CASE("letters are not cut and bytes are not lost, however the output comes in pieces") {
    const std::string letters = "plain äöü € 𝄞 text ";
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const bool binary = seed % 2 == 0;
        std::string all;
        while (all.size() < 300) {
            all += letters;
            if (binary && random.below(3) == 0) all += static_cast<char>(random.below(256));
        }
        task_output_events response({});
        screen shown;
        for (std::size_t at = 0; at < all.size();) {
            const auto part = std::min<std::size_t>(1 + random.below(9), all.size() - at);
            shown.show(response.add_piece({1, at, all.substr(at, part), false}));
            at += part;
        }
        shown.show(response.add_piece({1, all.size(), "", true}));
        REQUIRE(shown.seen == all);
        if (!binary) REQUIRE(shown.text_events == all);
    }
}

TEST_CASE("what is on record is told when nothing was shown, and the rest when some was") {
    const std::string both = R"({"stdout":"out\n","stderr":"err\n","exit_code":1})";
    const std::string name = R"({"stdout":"one\ntwo\n","stderr":"","exit_code":0})";
    screen whole;
    whole.show(task_output_events({}).add_stored(both));
    CHECK(whole.seen == "out\nerr\n");

    screen rest;
    rest.show(task_output_events({.attempt = 1, .offset = 4}).add_stored(name));
    CHECK(rest.seen == "two\n");

    screen unknown_order;
    unknown_order.show(task_output_events({.attempt = 1, .offset = 4}).add_stored(both));
    CHECK(unknown_order.seen == "<4>");

    screen nothing_new;
    nothing_new.show(task_output_events({.attempt = 1, .offset = 8}).add_stored(name));
    CHECK(nothing_new.seen.empty());

    screen plain;
    plain.show(task_output_events({}).add_stored("true"));
    CHECK(plain.seen == "true");
}

TEST_CASE("a state is told when it changed") {
    task_output_events task_output_events({});
    CHECK(task_output_events.state(task_state::queued, {}, "").size() == 1);
    CHECK(task_output_events.state(task_state::queued, {}, "").empty());
    CHECK(task_output_events.state(task_state::queued, {}, "its node is away").size() == 1);
    CHECK(task_output_events.state(task_state::picked_up, 1, "").size() == 1);
}

TEST_CASE("a position is read strictly") {
    CHECK(parse_output_position("17") == output_position{0, 17});
    CHECK(parse_output_position("2-17") == output_position{2, 17});
    for (const auto* const wrong : {"", "-", "-1", "1-", "x", "1-2-3", "+1", " 1", "1-x"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_output_position(wrong).has_value());
    }
    CHECK(to_string(output_position{2, 17}) == "2-17");
}

}  // namespace
}  // namespace muster::api
