#pragma once

#include "tests/agent/fake_cluster.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::agent_test {

// A real muster-agent with a data directory of its own.
class agent_process {
public:
    // `servers` is what --server gets.
    explicit agent_process(
        std::string servers,
        std::vector<std::string> flags = {},
        std::filesystem::path program = MUSTER_AGENT_PROGRAM);

    void start();
    void kill() { running_->kill(); }
    int stop() { return running_->stop(); }
    int wait_for_exit();
    bool running() { return running_->running(); }
    pid_t pid() const { return running_->pid(); }

    std::filesystem::path data() const { return home_.path() / "data"; }
    std::filesystem::path home() const { return home_.path(); }
    std::filesystem::path log_file() const { return home_.path() / "log"; }
    std::string log() const;
    // A member of status.json, for instance "state".
    std::string status(const std::string& member) const;
    void eventually(const std::string& text, const std::function<bool()>& holds) const;

private:
    harness::temporary_directory home_{"agent"};
    std::string servers_;
    std::vector<std::string> flags_;
    std::filesystem::path program_;
    std::unique_ptr<harness::process> running_;
};

std::string text_of(const std::filesystem::path& file);

}  // namespace muster::agent_test
