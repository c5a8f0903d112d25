#include "apps/agent/service/agent_options.h"
#include "apps/agent/service/identity.h"
#include "apps/agent/service/notifier.h"
#include "apps/agent/service/state_file.h"
#include "base/iso_time.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

// systemd's end of the notify socket.
class listener {
public:
    explicit listener(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::memcpy(at.sun_path, path.data(), path.size());
        REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
        ::setenv("WATCHDOG_USEC", "30000000", 1);
    }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    ~listener() {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
        ::close(socket_);
    }

    std::string heard() const {
        std::array<char, 500> buffer{};
        const auto size = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
        return {buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
    }

private:
    int socket_;
};

TEST_CASE("systemd is told how the agent is, and nobody when systemd did not start it") {
    const harness::temporary_directory home("service");
    notifier().ready("alone");
    const listener systemd(home.path() / "notify");
    const notifier response;

    response.ready("knocking");
    CHECK(systemd.heard() == "READY=1\nSTATUS=knocking");
    response.status("onboarded at node1:8443");
    CHECK(systemd.heard() == "STATUS=onboarded at node1:8443");
    response.alive();
    CHECK(systemd.heard() == "WATCHDOG=1");
    response.stopping("stopping");
    CHECK(systemd.heard() == "STOPPING=1\nSTATUS=stopping");

    CHECK(response.watchdog_interval() == 15s);
}

TEST_CASE("a moment is written as ISO 8601 in UTC") {
    CHECK(
        iso_time(wall_time(1'700'000'000s + 42ms), iso_precision::milliseconds)
        == "2023-11-14T22:13:20.042Z");
}

TEST_CASE("a key is made once") {
    const harness::temporary_directory home("service");
    const auto file = home.path() / "key.pem";

    const auto identity = load_or_create_identity(file).value();
    const auto again = load_or_create_identity(file).value();

    CHECK(identity.print == again.print);
}

TEST_CASE("a status comes back as it was written, whatever an error says") {
    const harness::temporary_directory home("service");
    const agent_status now{
        .fingerprint = "ab:cd",
        .name = "web1",
        .state = "orphan",
        .node = "",
        .since = wall_time(1s),
        .last_error = "it said \"no\"\n",
        .next_attempt = wall_time(2s)};

    REQUIRE(write_status(home.path() / "status.json", now).has_value());

    const auto read = boost::json::parse(read_status(home.path() / "status.json").value());
    CHECK(read.at("state") == "orphan");
    CHECK(read.at("last_error") == "it said \"no\"\n");
    CHECK(read.at("next_attempt") == "1970-01-01T00:00:02.000Z");
}

}  // namespace
}  // namespace muster::agent
