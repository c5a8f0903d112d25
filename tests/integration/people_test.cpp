#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace muster::integration {
namespace {

namespace json = boost::json;

// What a command printed as JSON; hints for people follow it.
json::value first_line_of(const outcome& ended) {
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.output);
    return json::parse(ended.output.substr(0, ended.output.find('\n')));
}

std::string text_at(const json::value& object, const char* name) {
    return json::value_to<std::string>(object.at(name));
}

// Files of somebody who uses the cluster.
struct desk {
    harness::temporary_directory drawer{"people"};

    std::string keep(const std::string& name, const std::string& secret) const {
        const auto file = drawer.path() / name;
        std::ofstream(file) << secret << '\n';
        std::filesystem::permissions(
            file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        return file.string();
    }
};

mode_t mode_of(const std::filesystem::path& file) {
    struct stat stat{};
    REQUIRE(::stat(file.c_str(), &stat) == 0);
    return stat.st_mode & 0777U;
}

TEST_CASE("a new user chooses a password before anything else, and an admin can shut them out") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto admin = text_of(server.token());
    const desk here;

    const auto added =
        server.cli({"users", "add", "ann", "--grant", "viewer@default", "-o", "json"});
    CHECK(added.output.contains("shown only once"));
    const auto input = here.keep("given", text_at(first_line_of(added), "password"));
    const auto chosen = here.keep("chosen", "correct horse stapler");

    const auto entered = server.cli({"login", "--user", "ann", "--password-file", input});
    REQUIRE_MESSAGE(entered.exit_code == 0, entered.output);
    CHECK(entered.output.contains("muster password"));
    CHECK(mode_of(server.token()) == 0600);
    CHECK(server.cli({"systems"}).exit_code == 3);
    const auto changed = server.cli({"password", "--old-file", input, "--new-file", chosen});
    CHECK_MESSAGE(changed.exit_code == 0, changed.output);
    CHECK(server.cli({"systems"}).exit_code == 0);
    CHECK(server.cli({"users", "add", "bob"}).exit_code == 3);
    CHECK(text_at(first_line_of(server.cli({"whoami", "-o", "json"})), "user") == "ann");

    const auto anns = text_of(server.token());
    std::ofstream(server.token()) << admin;
    CHECK(server.cli({"users", "disable", "ann"}).exit_code == 0);
    const auto trail = server.cli({"audit", "--what", "users.disable", "-o", "json"});
    CHECK(text_at(first_line_of(trail).as_array().at(0), "detail") == "ann");
    std::ofstream(server.token()) << anns;
    CHECK(server.cli({"systems"}).exit_code == 3);
    CHECK(server.stop() == 0);
}

TEST_CASE("a token is good for what it was made for, until it is revoked") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto admin = text_of(server.token());
    const auto result =
        server.cli({"tokens", "add", "--purpose", "report", "--right", "fleet.read", "-o", "json"});
    CHECK(result.output.contains("shown only once"));
    const auto token = first_line_of(result);

    std::ofstream(server.token()) << text_at(token, "secret");
    CHECK(server.cli({"systems"}).exit_code == 0);
    CHECK(server.cli({"users"}).exit_code == 3);
    std::ofstream(server.token()) << admin;
    CHECK(server.cli({"tokens", "revoke", text_at(token, "id")}).exit_code == 0);
    std::ofstream(server.token()) << text_at(token, "secret");
    CHECK(server.cli({"systems"}).exit_code == 3);
    CHECK(server.stop() == 0);
}

TEST_CASE("a stream ends with the token that it was opened with") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const desk here;
    const auto token = first_line_of(server.cli(
        {"tokens", "add", "--purpose", "watch", "--right", "events.read", "-o", "json"}));
    const auto log = here.drawer.path() / "stream";
    harness::process watching(
        {.argv =
             {"curl",
              "--silent",
              "--no-buffer",
              "--cacert",
              server.data() / "ca.pem",
              "-H",
              "Accept: text/event-stream",
              "-H",
              "Authorization: Bearer " + text_at(token, "secret"),
              "https://127.0.0.1:" + std::to_string(server.port()) + "/api/v1/events"},
         .environment = {},
         .output = log,
         .user = {}});
    harness::eventually("the stream is open", [&] { return text_of(log).contains(":\n"); });
    CHECK(server.cli({"tokens", "revoke", text_at(token, "id")}).exit_code == 0);
    CHECK(watching.wait(std::chrono::seconds(60)).has_value());
    CHECK(server.stop() == 0);
}

TEST_CASE("logging out ends the session on the server and forgets its token") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto before = text_of(server.token());

    const auto left = server.cli({"logout"});

    CHECK_MESSAGE(left.exit_code == 0, left.output);
    CHECK_FALSE(std::filesystem::exists(server.token()));
    std::ofstream(server.token()) << before;
    CHECK(server.cli({"systems"}).exit_code == 3);
    const auto again = server.cli({"logout"});
    CHECK_MESSAGE(again.exit_code == 0, again.output);
    CHECK(again.output.contains("Session already ended"));
    CHECK_FALSE(std::filesystem::exists(server.token()));
    CHECK(server.stop() == 0);
}

}  // namespace
}  // namespace muster::integration
