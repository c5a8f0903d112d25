#pragma once

#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace muster::integration {

// A server with web1, web2 and db1, attached.
struct small_fleet {
    muster_server server;
    harness::temporary_directory home{"jobs"};
    std::vector<std::string> agent_flags;
    std::vector<std::unique_ptr<harness::process>> agents;

    // `agent_flags` are added to those of each agent.
    explicit small_fleet(std::vector<std::string> more = {}) : agent_flags(std::move(more)) {
        server.start_and_wait_until_ready();
        REQUIRE(server.login().exit_code == 0);
        for (const auto* const name : {"web1", "web2", "db1"}) agents.push_back(start_agent(name));
        wait_for("*", 3, "keys");
        const auto accepted = server.cli({"keys", "accept", "*", "--zone", "default", "--yes"});
        REQUIRE(accepted.exit_code == 0);
        wait_for("state:onboarded", 3, "systems");
    }

    std::unique_ptr<harness::process> start_agent(const std::string& name) const {
        std::vector<std::string> argv{
            MUSTER_AGENT_PROGRAM,
            "run",
            "--server",
            "https://127.0.0.1:" + std::to_string(server.port()),
            "--ca",
            server.data() / "ca.pem",
            "--data",
            home.path() / name,
            "--name",
            name,
            "--poll-interval",
            "1s",
            "--retry-max",
            "1s"};
        argv.insert(argv.end(), agent_flags.begin(), agent_flags.end());
        return std::make_unique<harness::process>(harness::command{
            .argv = argv, .environment = {}, .output = home.path() / (name + ".log"), .user = {}});
    }

    void wait_for(const std::string& query, std::size_t count, const std::string& noun) const {
        harness::eventually(
            query,
            [&] {
                const auto listed = server.cli({noun, "list", query, "-o", "json"});
                return listed.exit_code == 0
                       && boost::json::parse(listed.output).as_array().size() == count;
            },
            std::chrono::seconds(90));
    }
    boost::json::value job(const std::string& id) const {
        return boost::json::parse(server.cli({"job", id, "-o", "json"}).output);
    }
    std::string stage(const std::string& id) const {
        return boost::json::value_to<std::string>(job(id).at("stage"));
    }
    std::string why(const std::string& id, const std::string& system) const {
        return server.cli({"why", id, system}).output;
    }
    // What a command says that must succeed.
    std::string told(std::vector<std::string> words) const {
        const auto done = server.cli(std::move(words));
        REQUIRE_MESSAGE(done.exit_code == 0, done.output);
        auto text = done.output;
        while (text.ends_with('\n')) text.pop_back();
        return text;
    }
};

}  // namespace muster::integration
