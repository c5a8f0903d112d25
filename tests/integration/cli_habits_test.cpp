// Habits of a command line that people expect: pipes, full disks, hints.

#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::integration {
namespace {

struct logged_in {
    muster_server server;

    logged_in() {
        server.start_and_wait_until_ready();
        REQUIRE(server.login().exit_code == 0);
    }

    // Runs `script` by bash, in which $muster is `muster WORDS` with the flags of the login.
    outcome shell(const std::string& words, const std::string& script) const {
        const auto command = std::string(MUSTER_PROGRAM) + " " + words
                             + " --server https://127.0.0.1:" + std::to_string(server.port())
                             + " --ca " + (server.data() / "ca.pem").string() + " --token-file "
                             + server.token().string();
        return run({"bash", "-c", "muster='" + command + "'; " + script});
    }
};

TEST_CASE("a command ends quietly if its reader has gone") {
    const logged_in fixture;
    // The writer starts a second after the reader, which ends at once.
    const auto ended = fixture.shell(
        "nodes -o json",
        "set -o pipefail; { sleep 1; $muster; } | true; echo \"exit ${PIPESTATUS[0]}\"");

    CHECK_MESSAGE(ended.output == "exit 141\n", ended.output);
}

TEST_CASE("a command whose output cannot be written fails and says so") {
    const logged_in fixture;
    const auto failed = fixture.shell("nodes -o json", "$muster > /dev/full");

    CHECK(failed.exit_code == 1);
    CHECK_MESSAGE(failed.output.contains("No space left on device"), failed.output);
}

TEST_CASE("a word behind the query of `run` is not run, and the hint names both ways") {
    const logged_in fixture;
    const auto refused = fixture.server.cli({"run", "*", "test.ping"});

    CHECK(refused.exit_code == 2);
    CHECK(refused.output.contains("muster run '*' -- test.ping"));
    CHECK(refused.output.contains("muster run '*' --function test.ping"));
}

TEST_CASE("flags of a default verb work without it") {
    const logged_in fixture;
    CHECK(fixture.server.cli({"systems", "tag:web", "--limit", "5000"}).exit_code == 0);
    CHECK(fixture.server.cli({"keys", "--state", "rejected"}).exit_code == 0);
}

TEST_CASE("all programs print their version") {
    for (const auto* const program : {MUSTER_PROGRAM, MUSTER_AGENT_PROGRAM}) {
        const auto printed = run({program, "--version"});
        CHECK(printed.exit_code == 0);
        CHECK(printed.output.contains(MUSTER_VERSION));
    }
}

}  // namespace
}  // namespace muster::integration
