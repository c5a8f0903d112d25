#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>

// Real agents on a real server. How many agents behave is shown with swarms.
namespace muster::integration {
namespace {

namespace json = boost::json;

json::value json_of(const outcome& answer) {
    if (answer.exit_code != 0) throw std::runtime_error("a command failed: " + answer.output);
    return json::parse(answer.output);
}

json::array systems(const muster_server& muster_server, const std::string& query) {
    const auto answer = json_of(muster_server.cli({"systems", query, "-o", "json"}));
    return answer.is_array() ? answer.get_array() : answer.at("items").as_array();
}

void wait_until_attached(const muster_server& muster_server, std::size_t count) {
    harness::eventually(
        "attached agents",
        [&] { return systems(muster_server, "state:onboarded").size() == count; },
        std::chrono::seconds(90));
}

void wait_until_new(const muster_server& muster_server, std::int64_t count) {
    harness::eventually(
        "agents in the pool",
        [&] {
            const auto stats = json_of(muster_server.cli({"top", "--once", "-o", "json"}));
            return stats.at("systems").at("new").to_number<std::int64_t>() == count;
        },
        std::chrono::seconds(90));
}

void accept_all(const muster_server& muster_server) {
    const auto done = muster_server.cli({"keys", "accept", "*", "--zone", "default", "--yes"});
    if (done.exit_code != 0) throw std::runtime_error("keys accept: " + done.output);
}

// What is kept of each system, without what only presence knows.
std::map<std::string, std::string> records(const muster_server& muster_server) {
    std::map<std::string, std::string> matches;
    for (auto& each : systems(muster_server, "*")) {
        auto& record = each.as_object();
        for (const auto* live : {"state", "node", "address", "last_seen", "reason"})
            record.erase(live);
        matches[json::value_to<std::string>(record.at("name"))] = json::serialize(record);
    }
    return matches;
}

class system_under_care {
public:
    system_under_care(
        const muster_server& of, std::string name, std::vector<std::string> flags = {})
        : argv_{
              MUSTER_AGENT_PROGRAM,
              "run",
              "--server",
              "https://127.0.0.1:" + std::to_string(of.port()),
              "--ca",
              of.data() / "ca.pem",
              "--data",
              home_.path() / "data",
              "--name",
              std::move(name),
              "--poll-interval",
              "1s",
              "--retry-max",
              "1s",
              "--facts-directory",
              home_.path() / "facts.d",
              "--facts-interval",
              "1s"} {
        argv_.insert(argv_.end(), flags.begin(), flags.end());
        start();
    }

    void start() {
        running_ = std::make_unique<harness::process>(
            harness::command{.argv = argv_, .environment = {}, .output = log_file(), .user = {}});
    }
    harness::process& running() { return *running_; }
    std::filesystem::path log_file() const { return home_.path() / "log"; }
    std::filesystem::path home() const { return home_.path(); }
    std::string fingerprint() const {
        const auto status = boost::json::parse(text_of(home_.path() / "data" / "status.json"));
        return boost::json::value_to<std::string>(status.at("fingerprint"));
    }

private:
    harness::temporary_directory home_{"agent"};
    std::vector<std::string> argv_;
    std::unique_ptr<harness::process> running_;
};

TEST_CASE(
    "agents enrol, are accepted, come back after kill -9 of the server, and go when deleted") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    system_under_care web1(server, "web1");
    system_under_care web2(server, "web2");
    wait_until_new(server, 2);

    accept_all(server);
    wait_until_attached(server, 2);
    const auto before = records(server);
    server.kill();
    server.start_and_wait_until_ready();
    wait_until_attached(server, 2);
    CHECK(records(server) == before);
    CHECK(before.size() == 2);

    const auto deleted = server.cli({"keys", "delete", web1.fingerprint(), "--yes"});
    CAPTURE(deleted.output);
    CHECK(deleted.exit_code == 0);
    CHECK(web1.running().wait(std::chrono::seconds(30)) == 0);
    web1.start();
    CHECK(web1.running().wait(std::chrono::seconds(30)) == 0);
    CHECK(web2.running().running());
    wait_until_attached(server, 1);
}

TEST_CASE("a one-time token takes one agent in without an admin, and only one") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto result = server.cli({"keys", "token", "--zone", "default", "-o", "json"});
    CAPTURE(result.output);
    REQUIRE(result.exit_code == 0);
    const harness::temporary_directory secrets("token");
    const auto file = secrets.path() / "token";
    std::ofstream(file) << boost::json::value_to<std::string>(json_of(result).at("token"));
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);

    const system_under_care first(server, "db1", {"--enrolment-token-file", file.string()});
    wait_until_attached(server, 1);
    const system_under_care second(server, "db2", {"--enrolment-token-file", file.string()});
    wait_until_new(server, 1);

    const auto accepted = records(server);
    CHECK(accepted.size() == 1);
    CHECK(accepted.contains("db1"));
}

}  // namespace
}  // namespace muster::integration
