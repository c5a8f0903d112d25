#pragma once

#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::harness {

struct nats_cluster_options {
    std::size_t servers = 1;
    std::string user;
    std::string password;
    // Mutual TLS, when given: PEM files of the servers.
    std::filesystem::path ca_file;
    std::filesystem::path certificate_file;
    std::filesystem::path key_file;
};

// Real nats-servers with JetStream on free loopback ports, in a temporary directory.
class nats_cluster {
public:
    explicit nats_cluster(nats_cluster_options options = {});
    nats_cluster(const nats_cluster&) = delete;
    nats_cluster& operator=(const nats_cluster&) = delete;

    std::size_t size() const { return members_.size(); }
    std::uint16_t port(std::size_t member) const { return members_[member].client_port; }
    pid_t pid(std::size_t member) const { return members_[member].running->pid(); }

    void kill(std::size_t member);    // kill -9
    void launch(std::size_t member);  // with what it stored; it serves after wait_until_ready()
    void wait_until_ready();          // all that run, and the leader of JetStream is known

    // Which running member leads the stream, when one does.
    std::optional<std::size_t> leader_of(const std::string& stream);

private:
    struct member {
        std::string name;
        std::uint16_t client_port = 0;
        std::uint16_t route_port = 0;
        std::uint16_t monitor_port = 0;
        std::filesystem::path configuration;
        std::filesystem::path log;
        std::unique_ptr<process> running;
    };

    std::string configuration_of(const member& member) const;

    nats_cluster_options options_;
    temporary_directory directory_{"nats"};
    std::vector<member> members_;
};

}  // namespace muster::harness
