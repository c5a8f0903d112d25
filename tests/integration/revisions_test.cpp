// Editing sessions, the leader and revisions, with real servers.
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/process.h"
#include "tests/integration/muster_server.h"
#include "tests/integration/shared_engines.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr auto timeout = 60s;

std::string trimmed(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

json::value json_of(const outcome& outcome) {
    json::error_code failure;
    auto parsed = json::parse(outcome.output, failure);
    CHECK_MESSAGE((outcome.exit_code == 0 && !failure), outcome.output);
    return failure ? json::value() : parsed;
}

json::value edits(const muster_server& at) {
    return json_of(at.cli({"revisions", "edit", "status", "-o", "json"}));
}

std::string leader(const muster_server& at) {
    const auto now = edits(at).at("leader");
    return now.is_null() ? "" : std::string(now.at("server").as_string());
}

std::int64_t newest(const muster_server& at) {
    const auto head = edits(at).at("revision");
    return head.is_null() ? 0 : head.at("number").as_int64();
}

std::string state_of(const muster_server& at, const std::string& node) {
    for (const auto& each : json_of(at.cli({"revisions", "nodes", "-o", "json"})).as_array())
        if (each.at("node").as_string() == node) return std::string(each.at("state").as_string());
    return "";
}

bool has_group(const muster_server& at, const std::string& name) {
    return at.cli({"groups", "show", name}).exit_code == 0;
}

std::string begin(const muster_server& at) {
    const auto began = at.cli({"revisions", "edit", "begin"});
    REQUIRE_MESSAGE(began.exit_code == 0, began.output);
    return trimmed(began.output.substr(0, began.output.find('\n')));
}

std::size_t drafted(const muster_server& at) {
    return json_of(at.cli({"revisions", "edit", "draft", "-o", "json"})).as_array().size();
}

// What another server did is heard of a moment later.
void soon(const std::string& text, const std::function<bool()>& holds) {
    harness::eventually(text, holds, timeout);
}

// Three servers with all roles; the third reaches the ledger through a link that can be cut.
struct three_servers {
    shared_engines engines;
    harness::faulty_tcp_proxy to_ledger{engines.postgres.port()};
    muster_server one{engines.flags()};
    std::unique_ptr<muster_server> two;
    std::unique_ptr<muster_server> three;

    three_servers() {
        one.start_and_wait_until_ready();
        REQUIRE(one.login().exit_code == 0);
        two = joined(engines.flags({"--name", "muster-2"}));
        auto flags = engines.flags({"--name", "muster-3"});
        const auto own = ":" + std::to_string(engines.postgres.port());
        for (auto& flag : flags) {
            const auto at = flag.find(own);
            if (flag.starts_with("postgresql://") && at != std::string::npos)
                flag.replace(at, own.size(), ":" + std::to_string(to_ledger.port()));
        }
        three = joined(std::move(flags));
        harness::eventually(
            "all hold the first revision",
            [&] {
                return newest(one) >= 1 && state_of(one, "muster-1") == "current"
                       && state_of(one, "muster-2") == "current"
                       && state_of(one, "muster-3") == "current";
            },
            timeout);
    }

    std::unique_ptr<muster_server> joined(std::vector<std::string> flags) {
        const auto token = trimmed(one.cli({"nodes", "token", "--zone", "default"}).output);
        flags.insert(flags.end(), {"--join", token});
        auto result = std::make_unique<muster_server>(std::move(flags));
        result->start_and_wait_until_ready();
        const auto password = (one.data() / "first-password").string();
        REQUIRE(result->login(password).exit_code == 0);
        return result;
    }
};

TEST_CASE("on one server a draft is edited, refused to others, applied and published") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    harness::eventually("there is a first revision", [&] { return newest(server) == 1; }, 20s);

    REQUIRE(server.cli({"groups", "add", "direct", "tag:a"}).exit_code == 0);
    harness::eventually("the change is published", [&] { return newest(server) == 2; }, 20s);
    CHECK(server.cli({"revisions", "diff", "2"}).output.contains("direct"));

    const auto edit = begin(server);
    CHECK(leader(server) == "muster-1");
    const auto refused = server.cli({"groups", "add", "beside", "tag:b"});
    CHECK(refused.exit_code != 0);
    CHECK(refused.output.contains("admin since"));
    CHECK(server.cli({"keys"}).exit_code == 0);  // what is no common data goes on

    CHECK(server.cli({"groups", "add", "shop", "tag:web", "--edit", edit}).exit_code == 0);
    CHECK(server.cli({"groups", "remove", "direct", "--edit", edit}).exit_code == 0);
    CHECK_FALSE(has_group(server, "shop"));
    CHECK(server.cli({"revisions", "edit", "draft"}).output.contains("groups.create"));
    // Journaled: also kill -9 of the only server loses nothing of it.
    server.kill();
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    harness::eventually("it leads again", [&] { return leader(server) == "muster-1"; }, timeout);

    const auto applied = server.cli({"revisions", "edit", "apply", "--note", "autumn"});
    CHECK_MESSAGE(applied.exit_code == 0, applied.output);
    CHECK(has_group(server, "shop"));
    CHECK_FALSE(has_group(server, "direct"));
    CHECK(newest(server) == 3);
    CHECK(leader(server).empty());
    CHECK(server.cli({"revisions", "show", "3", "-o", "json"}).output.contains("autumn"));
    CHECK(server.cli({"groups", "add", "beside", "tag:b"}).exit_code == 0);

    // A change that cannot be carried out: what came before it is in force, the rest waits.
    const auto next = begin(server);
    CHECK(server.cli({"groups", "add", "fine", "tag:f", "--edit", next}).exit_code == 0);
    CHECK(server.cli({"groups", "add", "shop", "tag:x", "--edit", next}).exit_code == 0);
    const auto halted = server.cli({"revisions", "edit", "apply"});
    CHECK(halted.exit_code != 0);
    CHECK(halted.output.contains("already"));
    CHECK(has_group(server, "fine"));
    CHECK(server.cli({"revisions", "edit", "discard"}).exit_code == 0);
    CHECK(leader(server).empty());
    CHECK(server.stop() == 0);
}

TEST_CASE("with three servers: two editors, a lost leader, routing, drift shown and healed") {
    three_servers all;
    auto& one = all.one;
    auto& two = *all.two;
    auto& three = *all.three;

    // Whoever is asked first leads; what is asked elsewhere is handed on.
    const auto anna = begin(two);
    soon("the second leads", [&] { return leader(one) == "muster-2"; });
    const auto ben = begin(one);
    soon("both are seen everywhere", [&] {
        return edits(one).at("items").as_array().size() == 2
               && edits(three).at("items").as_array().size() == 2;
    });
    CHECK(leader(two) == "muster-2");
    CHECK(one.cli({"groups", "add", "routed", "tag:r", "--edit", ben}).exit_code == 0);
    CHECK(two.cli({"groups", "add", "there", "tag:t", "--edit", anna}).exit_code == 0);
    soon("both changes are seen", [&] { return drafted(three) == 2; });
    const auto together = two.cli({"revisions", "edit", "apply", "--edit", anna});
    CHECK(together.exit_code != 0);
    CHECK(together.output.contains("2 edit sessions are open"));
    CHECK(three.cli({"groups", "add", "direct", "tag:d"}).exit_code != 0);

    // The leader is lost in the middle of the edit.
    two.kill();
    harness::eventually(
        "another one leads",
        [&] { return !leader(one).empty() && leader(one) != "muster-2"; },
        timeout);
    CHECK(drafted(one) == 2);
    CHECK(one.cli({"revisions", "edit", "end", "--edit", anna}).exit_code == 0);
    const auto applied = three.cli({"revisions", "edit", "apply", "--edit", ben});
    CHECK_MESSAGE(applied.exit_code == 0, applied.output);
    soon("all of it is in force", [&] {
        return has_group(one, "routed") && has_group(one, "there") && leader(one).empty();
    });
    soon("the lost one is away", [&] { return state_of(one, "muster-2") == "away"; });

    // A server that cannot read the ledger does not follow: it is shown, and comes back.
    all.to_ledger.cut();
    const auto before = newest(one);
    CHECK(one.cli({"groups", "add", "unseen", "tag:u"}).exit_code == 0);
    harness::eventually("it is published", [&] { return newest(one) > before; }, timeout);
    harness::eventually(
        "the third has drifted", [&] { return state_of(one, "muster-3") == "drifted"; }, timeout);
    all.to_ledger.heal();
    harness::eventually(
        "the third is healed", [&] { return state_of(one, "muster-3") == "current"; }, timeout);
    soon("it has what it missed", [&] { return has_group(three, "unseen"); });
    CHECK(three.stop() == 0);
    CHECK(one.stop() == 0);
}

}  // namespace
}  // namespace muster::integration
