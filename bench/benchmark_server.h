#pragma once

#include "tests/harness/postgres_server.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::bench {

// A real server on loopback, on the embedded engines or with PostgreSQL as its ledger. It accepts
// all agents of a swarm.
class benchmark_server {
public:
    enum class ledger { sqlite, postgres };

    // `systems`: number of systems of a synthetic fleet that exist before the start; SQLite only.
    explicit benchmark_server(ledger engine, std::uint64_t systems = 0);
    benchmark_server(const benchmark_server&) = delete;
    benchmark_server& operator=(const benchmark_server&) = delete;

    // Runs `muster` with these arguments as administrator; throws if it fails.
    void must_run(std::vector<std::string> arguments) const;

    // Starts `count` agents of muster-swarm and waits until all are attached.
    std::unique_ptr<harness::process> attach_swarm(
        std::uint64_t count, const std::vector<std::string>& flags) const;

    // The value of one of the metrics of the server.
    std::uint64_t metric(const std::string& name) const;

    std::uint16_t port() const { return port_; }
    std::filesystem::path ca() const { return home_.path() / "data" / "ca.pem"; }
    std::filesystem::path token() const { return home_.path() / "token"; }
    pid_t pid() const { return server_->pid(); }
    const std::filesystem::path& log() const { return log_; }
    harness::postgres_server& postgres() const { return *postgres_; }

private:
    int cli(std::vector<std::string> arguments) const;
    bool login() const;

    harness::temporary_directory home_{"bench-server"};
    std::unique_ptr<harness::postgres_server> postgres_;
    std::uint16_t port_;
    std::uint16_t health_;
    std::filesystem::path log_ = home_.path() / "log";
    std::unique_ptr<harness::process> server_;
};

}  // namespace muster::bench
