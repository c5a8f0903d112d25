#include "tests/harness/temporary_directory.h"
#include "tests/integration/environment.h"
#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

// What a server says to the systemd that started it (deploy/muster.service).
namespace muster::integration {
namespace {

using namespace std::chrono_literals;

// The socket that systemd listens on.
class notify_socket {
public:
    notify_socket() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const auto name = path().string();
        REQUIRE(name.size() < sizeof address.sun_path);
        std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
        REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        const int on = 1;
        REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0);
    }
    notify_socket(const notify_socket&) = delete;
    notify_socket& operator=(const notify_socket&) = delete;
    ~notify_socket() { ::close(socket_); }

    std::filesystem::path path() const { return home_.path() / "notify"; }

    struct message {
        std::string line;
        pid_t from = 0;
    };
    // All lines that have come so far.
    const std::vector<message>& heard() {
        while (receive()) {}
        return heard_;
    }
    std::ptrdiff_t count(const std::string& line) {
        return std::ranges::count(heard(), line, &message::line);
    }

private:
    bool receive() {
        std::array<char, 4096> text{};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> beside{};
        iovec into{.iov_base = text.data(), .iov_len = text.size()};
        msghdr msghdr{};
        msghdr.msg_iov = &into;
        msghdr.msg_iovlen = 1;
        msghdr.msg_control = beside.data();
        msghdr.msg_controllen = beside.size();
        const auto size = ::recvmsg(socket_, &msghdr, 0);
        if (size < 0) return false;
        ucred sender{};
        const auto* head = CMSG_FIRSTHDR(&msghdr);
        REQUIRE(head != nullptr);
        std::memcpy(&sender, CMSG_DATA(head), sizeof sender);
        std::string rest(text.data(), static_cast<std::size_t>(size));
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size());
            heard_.push_back({.line = rest.substr(0, end), .from = sender.pid});
            rest.erase(0, end + 1);
        }
        return true;
    }

    harness::temporary_directory home_{"systemd"};
    int socket_;
    std::vector<message> heard_;
};

TEST_CASE("a server tells systemd that it is up, that it lives, and that it goes") {
    notify_socket systemd;
    muster_server server;
    {
        const environment with(
            {{"NOTIFY_SOCKET", systemd.path().string()}, {"WATCHDOG_USEC", "400000"}});
        server.start_and_wait_until_ready();
    }
    // One that a waiting engine does not delay, so that a start is not given up for it.
    harness::eventually("it is up", [&] { return systemd.count("READY=1") == 1; });
    const auto fed = systemd.count("WATCHDOG=1");
    harness::eventually(
        "the watchdog is fed on", [&] { return systemd.count("WATCHDOG=1") >= fed + 3; }, 10s);
    CHECK(systemd.count("STOPPING=1") == 0);

    const auto pid = server.pid();
    CHECK(server.stop() == 0);

    CHECK(systemd.count("STOPPING=1") == 1);
    for (const auto& each : systemd.heard()) CHECK(each.from == pid);  // NotifyAccess=main
}

TEST_CASE("a server that is not told to feed a watchdog does not") {
    notify_socket systemd;
    muster_server server;
    const environment with({{"NOTIFY_SOCKET", systemd.path().string()}});
    server.start_and_wait_until_ready();
    CHECK(server.stop() == 0);

    CHECK(systemd.count("READY=1") == 1);
    CHECK(systemd.count("WATCHDOG=1") == 0);
}

// The unit as it is shipped, but for where the program is.
outcome verified(const std::string& unit, const std::string& installed, const char* program) {
    const harness::temporary_directory home("units");
    auto text = text_of(std::filesystem::path(DEPLOY_DIRECTORY) / unit);
    const auto at = text.find("ExecStart=" + installed);
    REQUIRE(at != std::string::npos);
    text.replace(at, 10 + installed.size(), std::string("ExecStart=") + program);
    std::ofstream(home.path() / unit) << text;
    return run({"systemd-analyze", "verify", "--man=no", (home.path() / unit).string()});
}

TEST_CASE("systemd finds nothing wrong with the units") {
    const auto server = verified("muster.service", "/usr/bin/muster", MUSTER_PROGRAM);
    const auto agent =
        verified("muster-agent.service", "/usr/bin/muster-agent", MUSTER_AGENT_PROGRAM);

    for (const auto& each : {server, agent}) {
        CHECK_MESSAGE(each.exit_code == 0, each.output);
        CHECK_MESSAGE(!each.output.contains("muster"), each.output);
    }
}

}  // namespace
}  // namespace muster::integration
