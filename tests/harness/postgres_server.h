#pragma once

#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace muster::harness {

// A PostgreSQL server of its own: fresh data directory, loopback port, durable as in production.
// Runs as user `postgres` when we are root, which the server refuses to be.
class postgres_server {
public:
    enum class access {
        trusting,             // anyone on loopback, no TLS
        password_within_tls,  // TLS only, user `muster` with the password in password_file()
    };

    explicit postgres_server(access mode = access::trusting);
    postgres_server(const postgres_server&) = delete;
    postgres_server& operator=(const postgres_server&) = delete;
    ~postgres_server();

    std::uint16_t port() const { return port_; }
    std::filesystem::path password_file() const { return directory_.path() / "password"; }
    std::filesystem::path ca_file() const { return directory_.path() / "server.crt"; }
    std::filesystem::path log_file() const { return directory_.path() / "log"; }

    // postgresql://muster@127.0.0.1:port/database, through another port when one is given.
    std::string address(const std::string& database, std::uint16_t through = 0) const;

    void create_database(const std::string& name);

    void kill();   // SIGKILL to the server and all its processes
    void start();  // again, with what is on disk; returns when it serves
    void stop();   // in an orderly way

    // Stands still with all its processes, connections open: neither gone nor answering.
    void pause();
    void resume();

    pid_t pid() const { return server_->pid(); }

private:
    void initialise();
    void make_certificate();
    void run_as_owner(std::vector<std::string> argv, const std::string& purpose);
    std::size_t times_ready() const;

    access options_;
    temporary_directory directory_{"postgres"};
    std::uint16_t port_;
    std::optional<process> server_;
};

}  // namespace muster::harness
