#pragma once

#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::integration {

struct outcome {
    int exit_code = 0;
    std::string output;
};

// Runs a program to its end.
outcome run(std::vector<std::string> argv);

// A real `muster serve` on free loopback ports with a data directory of its own, and the CLI that
// talks to it.
class muster_server {
public:
    // `flags` are added to those for data directory, ports and log.
    explicit muster_server(std::vector<std::string> flags = {}, std::filesystem::path data = {});

    void start();
    void start_and_wait_until_ready();
    void kill();  // -9
    void send_signal(int number) { running_->send_signal(number); }
    int stop();  // SIGTERM; its exit code
    int wait_for_exit();
    bool running() { return running_->running(); }
    pid_t pid() const { return running_->pid(); }

    // Runs it to its end, which a start that is refused comes to by itself.
    outcome run_to_end();

    const std::filesystem::path& data() const { return data_; }
    std::uint16_t port() const { return port_; }
    std::string log() const;

    // `muster WORD… --server … --ca … --token-file …`
    outcome cli(std::vector<std::string> words) const;
    outcome login(const std::string& password_file = {}) const;
    std::filesystem::path token() const { return home_.path() / "token"; }  // of a login
    std::string bearer() const;                                             // what is in it

    // The status and body of a GET on the health port; 0 when nobody answers.
    outcome health(const std::string& path) const;
    // The same on the public port, over TLS with the cluster's CA.
    outcome get(const std::string& path, const std::vector<std::string>& curl_flags = {}) const;

    // Of the certificate that the public port shows to a new connection; empty when nobody answers.
    std::string certificate_serial() const;

    bool ready() const { return health("/readyz").exit_code == 200; }
    void wait_until_ready();
    void wait_until_not_ready();

private:
    std::vector<std::string> command() const;

    harness::temporary_directory home_{"integration"};
    std::filesystem::path data_;
    std::vector<std::string> flags_;
    std::uint16_t port_;
    std::uint16_t health_port_;
    std::unique_ptr<harness::process> running_;
};

std::string text_of(const std::filesystem::path& file);

}  // namespace muster::integration
