#include "apps/muster/server/settings_check.h"

#include "apps/muster/settings/server_settings.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace muster::cli {
namespace {

using flags = std::vector<std::pair<std::string, std::string>>;
using sentences = std::vector<std::string>;

sentences problems_of(const flags& flags) {
    // A name, for this host's may be none, and a data directory that nobody has.
    runtime::settings_source from{
        .entries = {{"name", "muster-1", "--name"}, {"data", "/nowhere", "--data"}},
        .problems = {}};
    for (const auto& [name, value] : flags) {
        std::erase_if(from.entries, [&name](const auto& each) { return each.name == name; });
        from.entries.push_back({.name = name, .text = value, .origin = "--" + name});
    }
    const auto read = runtime::resolve(server_settings(), {from});
    REQUIRE(read.problems.empty());
    return server::check_settings(read.values);
}

// The one problem that these settings have.
std::string problem_of(const flags& flags) {
    const auto problems = problems_of(flags);
    REQUIRE(problems.size() == 1);
    return problems.front();
}

const std::string token = std::string(32, 'a') + "." + std::string(64, 'b');

TEST_CASE("the settings as they come have no problem") {
    CHECK(problems_of({}) == sentences{});
}

TEST_CASE("a name that no server can have is found before a cluster is founded in it") {
    CHECK(problem_of({{"name", "a b/c"}}).starts_with("--name: name: node name must be"));
    CHECK(problem_of({{"name", std::string(300, 'a')}}).starts_with("--name: name: "));
    // As a node's name it would do, but no certificate can hold it.
    CHECK(problem_of({{"name", std::string(70, 'a')}}).contains("1 to 64 characters"));
    CHECK(problems_of({{"name", "muster-1.acme.org"}}).empty());
}

TEST_CASE("what nobody can listen on or reach is refused") {
    CHECK(problem_of({{"listen", "muster-1:8443"}})
              .starts_with("--listen: listen: \"muster-1\" is not an IP address"));
    CHECK(problem_of({{"listen", "[1:2]:8443"}}).contains("not an IP address"));
    CHECK(problem_of({{"advertise", "0.0.0.0:8443"}}).starts_with("--advertise: advertise: "));
    CHECK(problem_of({{"advertise", "muster-1:0"}}).contains("is not reachable"));
    CHECK(problems_of({{"listen", "[::]:8443"}, {"advertise", "muster-1:443"}}).empty());
}

TEST_CASE("health in the clear is for loopback, on a port of its own") {
    CHECK(problem_of({{"health.listen", "0.0.0.0:8444"}}).contains("is not a loopback address"));
    CHECK(problem_of({{"health.listen", "localhost:8444"}}).contains("not an IP address"));
    CHECK(problem_of({{"health.listen", "127.0.0.1:8443"}}).contains("same port as `listen`"));
    CHECK(problems_of({{"health.listen", "[::1]:8444"}}).empty());
}

TEST_CASE("a file of certificates must be there and hold some") {
    const harness::temporary_directory place("settings");
    const auto junk = (place.path() / "junk.pem").string();
    std::ofstream(junk) << "junk\n";

    for (const auto* name :
         {"metastore.ca",
          "metastore.certificate",
          "ledger.ca",
          "ledger.certificate",
          "bus.ca",
          "bus.certificate"}) {
        CAPTURE(name);
        CHECK(
            problem_of({{name, "/nowhere/ca.pem"}}).contains("file \"/nowhere/ca.pem\" not found"));
        CHECK(problem_of({{name, junk}}).contains("contains no PEM certificate"));
    }
    CHECK(problem_of({{"outbound.ca", "/nowhere/ca.pem"}})
              .contains("file \"/nowhere/ca.pem\" not found"));
    CHECK(problems_of({{"outbound.ca", junk}}).empty());  // those to be trusted may come later
}

TEST_CASE("an invitation must look like one, and a file of it be there until it was used") {
    const harness::temporary_directory place("settings");
    const auto file = (place.path() / "join").string();
    const auto data = place.path().string();

    CHECK(problem_of({{"join", "foo"}}).contains("TOKEN@HOST:PORT"));
    CHECK_FALSE(problems_of({{"join", "foo@muster-1:8443"}}).empty());
    CHECK(problems_of({{"join", token + "@muster-1:8443"}}).empty());
    CHECK(problem_of({{"join_file", file}, {"data", data}}).contains("not found"));
    std::ofstream(file) << "foo\n";
    CHECK(problem_of({{"join_file", file}, {"data", data}}).contains("TOKEN@HOST:PORT"));
    std::ofstream(file) << token << "@muster-1:8443\n";
    CHECK(problems_of({{"join_file", file}, {"data", data}}).empty());
    std::filesystem::remove(file);
    std::ofstream(place.path() / "ca.pem") << "joined\n";
    CHECK(problems_of({{"join_file", file}, {"data", data}}).empty());
}

TEST_CASE("a silence of less than two heartbeats is refused, and not raised behind one's back") {
    CHECK(
        problem_of({{"agent.heartbeat_timeout", "20s"}})
        == "--agent.heartbeat_timeout: agent.heartbeat_timeout: 20s is less than two heartbeat "
           "intervals; with `agent.heartbeat_interval` at 12s the minimum is 24s");
    CHECK(problems_of({{"agent.heartbeat_interval", "30s"}, {"agent.heartbeat_timeout", "60s"}})
              .empty());
    CHECK(problems_of({{"agent.heartbeat_interval", "30s"}}).empty());
}

TEST_CASE("an archive needs a directory, or a place where one can be made") {
    const harness::temporary_directory place("settings");
    std::ofstream(place.path() / "file") << "no directory\n";

    const auto of = [&place](const char* name) {
        return flags{{"archive.directory", (place.path() / name).string()}};
    };
    CHECK(problems_of(of("archive/of/muster")).empty());
    CHECK(problem_of(of("file")).contains("file is not a directory"));
    CHECK(problem_of(of("file/archive")).contains("file is not a directory"));
}

TEST_CASE("a PAM service without a file is refused: PAM would ask another one") {
    CHECK(problem_of({{"people.pam_service", "muster-nowhere"}})
              .contains("\"/etc/pam.d/muster-nowhere\" not found"));
    CHECK(problem_of({{"people.pam_service", "../pam.d/other"}}).contains("not a path"));
}

TEST_CASE("every problem is told, not only the first") {
    CHECK(
        problems_of({{"listen", "here:1"}, {"join", "foo"}, {"bus", "nats://192.0.2.1:4222"}})
            .size()
        == 3);
}

}  // namespace
}  // namespace muster::cli
