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

struct etcd_cluster_options {
    std::size_t members = 1;
    bool tls = false;  // clients must show a certificate of the cluster's own CA
    std::vector<std::string> more_arguments;
};

// A real etcd of one or more members on loopback, in a directory of its own. Ready to serve when
// constructed; gone when destroyed, whatever happened.
class etcd_cluster {
public:
    explicit etcd_cluster(etcd_cluster_options options = {});
    etcd_cluster(const etcd_cluster&) = delete;
    etcd_cluster& operator=(const etcd_cluster&) = delete;
    ~etcd_cluster();

    std::size_t size() const { return members_.size(); }
    std::uint16_t port(std::size_t member) const { return members_[member].client_port; }
    pid_t pid(std::size_t member) const { return members_[member].running->pid(); }
    std::vector<std::string> endpoints() const;  // "127.0.0.1:port" of each member

    void kill(std::size_t member);   // as kill -9
    void start(std::size_t member);  // with what its disk has; returns at once
    void wait_until_healthy();       // all running members answer and agree on a leader
    std::optional<std::size_t> leader();

    // Turns authentication on: the user may do everything.
    void enable_auth(const std::string& user, const std::string& password);

    const std::filesystem::path& directory() const { return directory_.path(); }
    std::filesystem::path ca_file() const { return directory() / "ca.pem"; }
    std::filesystem::path certificate_file() const { return directory() / "server.pem"; }
    std::filesystem::path key_file() const { return directory() / "server.key"; }

private:
    struct member {
        std::string name;
        std::uint16_t client_port = 0;
        std::uint16_t peer_port = 0;
        std::unique_ptr<process> running;
    };

    std::string scheme() const { return options_.tls ? "https" : "http"; }
    std::filesystem::path log_of(std::size_t member) const;
    std::vector<std::string> arguments_for(const member& member) const;

    // The JSON answer of etcd's gateway; empty when there is none.
    std::string post(std::size_t member, const std::string& path, const std::string& body);
    std::string field(const std::string& json, const std::string& name) const;
    std::string member_id(std::size_t member);

    etcd_cluster_options options_;
    temporary_directory directory_;
    std::vector<member> members_;
};

}  // namespace muster::harness
