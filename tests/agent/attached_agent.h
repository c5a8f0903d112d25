#pragma once

#include "tests/agent/agent_process.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::agent_test {

// A real agent with a channel to a node that the test plays, and what both of them saw.
struct attached_agent {
    fake_cluster cluster;
    std::unique_ptr<agent_process> system;

    explicit attached_agent(
        std::vector<std::string> flags = {},
        const std::filesystem::path& program = MUSTER_AGENT_PROGRAM) {
        cluster.behave([this](fake_cluster::behaviour& behaviour) {
            behaviour.state = '2';
            behaviour.place = cluster.address();
            behaviour.silence_ms = 3000;
        });
        system = std::make_unique<agent_process>(cluster.url(), std::move(flags), program);
        until("a channel", [this] { return cluster.saw().channels_now == 1; });
    }

    void until(const std::string& text, const std::function<bool()>& holds) const {
        system->eventually(text, holds);
    }
    // The last one, once so many have come.
    agent_protocol::Report report_of(std::int64_t job, std::size_t count = 1) const {
        until("the report of job " + std::to_string(job), [&] {
            return cluster.saw().reports_of(job) >= count;
        });
        return *cluster.saw().report_of(job);
    }
    agent_protocol::Report result_of(
        std::int64_t job, const std::string& function, const std::string& arguments) {
        cluster.say_task(job, function, arguments);
        return report_of(job);
    }
    std::filesystem::path file(const std::string& name) const { return system->home() / name; }
};

}  // namespace muster::agent_test
