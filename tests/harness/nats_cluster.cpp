#include "tests/harness/nats_cluster.h"

#include "tests/harness/free_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace muster::harness {

namespace {

// The body of a monitoring page, or nothing when nobody answers.
std::string ask_monitor(std::uint16_t port, std::string_view page) {
    const int line = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval timeout{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (::connect(line, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
        const auto question = fmt::format("GET {} HTTP/1.0\r\n\r\n", page);
        ::send(line, question.data(), question.size(), MSG_NOSIGNAL);
        std::array<char, 16'384> part{};
        for (ssize_t size = 0; (size = ::recv(line, part.data(), part.size(), 0)) > 0;)
            answer.append(part.data(), static_cast<std::size_t>(size));
    }
    ::close(line);
    return answer;
}

// The text behind "key": in `from`, at or after `position`.
std::string text_after(const std::string& from, std::string_view key, std::size_t position) {
    const auto it = from.find(fmt::format("\"{}\": \"", key), position);
    if (it == std::string::npos) return {};
    const auto begin = it + key.size() + 5;
    return from.substr(begin, from.find('"', begin) - begin);
}

}  // namespace

nats_cluster::nats_cluster(nats_cluster_options options) : options_(std::move(options)) {
    members_.resize(options_.servers);
    for (std::size_t number = 0; number < members_.size(); ++number) {
        auto& server = members_[number];
        server.name = fmt::format("server-{}", number + 1);
        server.client_port = free_port();
        server.route_port = free_port();
        server.monitor_port = free_port();
        server.configuration = directory_.path() / (server.name + ".conf");
        server.log = directory_.path() / (server.name + ".log");
    }
    for (auto& member : members_) std::ofstream(member.configuration) << configuration_of(member);
    for (std::size_t number = 0; number < members_.size(); ++number) launch(number);
    wait_until_ready();
}

std::string nats_cluster::configuration_of(const member& member) const {
    auto text = fmt::format(
        "server_name: {}\nlisten: 127.0.0.1:{}\nhttp: 127.0.0.1:{}\n"
        "jetstream {{ store_dir: \"{}\", max_memory_store: 64MB, max_file_store: 4GB }}\n",
        member.name,
        member.client_port,
        member.monitor_port,
        (directory_.path() / member.name).string());
    if (members_.size() > 1) {
        // Clients must stay on the addresses they were given: tests put cut links in front.
        text += fmt::format(
            "cluster {{ name: muster, listen: 127.0.0.1:{}, no_advertise: true, routes: [",
            member.route_port);
        for (const auto& other : members_)
            text += fmt::format(" \"nats://127.0.0.1:{}\",", other.route_port);
        text += " ] }\n";
    }
    if (!options_.user.empty()) {
        text += fmt::format(
            "authorization {{ user: \"{}\", password: \"{}\" }}\n",
            options_.user,
            options_.password);
    }
    if (!options_.ca_file.empty()) {
        text += fmt::format(
            "tls {{ ca_file: \"{}\", cert_file: \"{}\", key_file: \"{}\", verify: true }}\n",
            options_.ca_file.string(),
            options_.certificate_file.string(),
            options_.key_file.string());
    }
    return text;
}

void nats_cluster::launch(std::size_t member) {
    auto& server = members_[member];
    server.running = std::make_unique<process>(command{
        .argv = {"nats-server", "-c", server.configuration.string()},
        .environment = {},
        .output = server.log,
        .user = {}});
}

void nats_cluster::wait_until_ready() {
    for (auto& member : members_) {
        if (!member.running->running()) continue;
        eventually(
            member.name + " is healthy",
            [&member] {
                const auto answer = ask_monitor(member.monitor_port, "/healthz");
                return answer.find("\"ok\"") != std::string::npos;
            },
            std::chrono::seconds(60),
            member.log);
    }
}

void nats_cluster::kill(std::size_t member) {
    members_[member].running->kill();
}

std::optional<std::size_t> nats_cluster::leader_of(const std::string& stream) {
    for (std::size_t number = 0; number < members_.size(); ++number) {
        auto& server = members_[number];
        if (!server.running->running()) continue;
        if (members_.size() == 1) return number;
        const auto answer = ask_monitor(server.monitor_port, "/jsz?accounts=true&streams=true");
        const auto position = answer.find(fmt::format("\"name\": \"{}\"", stream));
        if (position == std::string::npos) continue;
        const auto leader = text_after(answer, "leader", position);
        for (std::size_t other = 0; other < members_.size(); ++other) {
            if (members_[other].name == leader && members_[other].running->running()) return other;
        }
    }
    return std::nullopt;
}

}  // namespace muster::harness
