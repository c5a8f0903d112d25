#include "tests/agent/agent_process.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <unistd.h>

namespace muster::agent_test {
namespace {

using behaviour = fake_cluster::behaviour;

TEST_CASE("a deleted system runs its last scenario, stops for ever, and stays down") {
    fake_cluster cluster;
    cluster.behave([&](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = cluster.address();
    });
    const harness::temporary_directory marks("agent");
    const auto mark = marks.path() / "last";
    agent_process system(cluster.url(), {"--actions-deleted", "run touch " + mark.string()});
    system.eventually("a channel", [&] { return cluster.saw().channels_now == 1; });

    cluster.behave([](behaviour& behaviour) {
        behaviour.state = '3';
        behaviour.goodbye.emplace().set_reason(agent_protocol::REASON_DELETED);
    });

    CHECK(system.wait_for_exit() == 0);
    CHECK(std::filesystem::exists(mark));
    CHECK(system.status("state") == "deleted");
    const auto knocks = cluster.saw().knocks;
    system.start();
    CHECK(system.wait_for_exit() == 0);
    CHECK(cluster.saw().knocks == knocks);
    CHECK(system.log().contains("agent not started"));
}

TEST_CASE("salt's minion follows the states of its system") {
    fake_cluster cluster;
    cluster.behave([](behaviour& behaviour) { behaviour.state = '2'; });
    const harness::temporary_directory salt("agent");
    const auto diary = (salt.path() / "diary").string();
    const auto config = salt.path() / "minion.d" / "muster.conf";
    agent_process system(
        cluster.url(),
        {"--scenario",
         "salt",
         "--salt-config",
         config.string(),
         "--salt-start-command",
         "echo start >> " + diary,
         "--salt-stop-command",
         "echo stop >> " + diary});

    system.eventually("a stopped minion", [&] { return text_of(diary) == "stop\n"; });
    cluster.behave([&](behaviour& behaviour) { behaviour.place = cluster.address(); });
    system.eventually("a started minion", [&] { return text_of(diary).ends_with("start\n"); });

    CHECK(text_of(config) == "# Written by muster-agent.\nmaster: 127.0.0.1\n");
}

TEST_CASE("a scenario that fails is tried again and ends nothing") {
    fake_cluster cluster;
    cluster.behave([&](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = cluster.address();
    });
    const harness::temporary_directory marks("agent");
    const auto gate = marks.path() / "gate";
    const auto mark = marks.path() / "mark";
    agent_process system(
        cluster.url(),
        {"--actions-onboarded", "run test -e " + gate.string() + "; run touch " + mark.string()});
    system.eventually("a failure", [&] { return system.log().contains("state actions failed"); });
    CHECK(cluster.saw().channels_now == 1);

    std::ofstream(gate) << "open";

    system.eventually("success", [&] { return std::filesystem::exists(mark); });
    CHECK(cluster.saw().channels == 1);
}

TEST_CASE("two agents cannot share a data directory, and its key is for its owner only") {
    fake_cluster cluster;
    agent_process system(cluster.url());
    system.eventually("a knock", [&] { return cluster.saw().knocks > 0; });
    struct stat key{};
    REQUIRE(::stat((system.data() / "agent-key.pem").c_str(), &key) == 0);
    CHECK((key.st_mode & 0777U) == 0600U);

    agent_process second(cluster.url(), {"--data", system.data()});

    CHECK(second.wait_for_exit() == 1);
    CHECK(second.log().contains("(process " + std::to_string(system.pid())));
}

TEST_CASE("an agent that is killed keeps its key, and one with a damaged key says so") {
    fake_cluster cluster;
    agent_process system(cluster.url());
    system.eventually("an enrolment", [&] { return cluster.saw().enrolments == 1; });
    system.kill();
    system.start();
    system.eventually("another one", [&] { return cluster.saw().enrolments == 2; });
    CHECK(cluster.saw().agents.size() == 1);
    CHECK(system.stop() == 0);

    std::ofstream(system.data() / "agent-key.pem") << "not a key";
    system.start();

    CHECK(system.wait_for_exit() != 0);
    CHECK(system.log().contains("agent-key.pem"));
    CHECK(text_of(system.data() / "agent-key.pem") == "not a key");
}

TEST_CASE("SIGHUP looks at the machine again") {
    fake_cluster cluster;
    cluster.behave([&](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = cluster.address();
    });
    agent_process system(cluster.url());
    system.eventually("all facts", [&] { return cluster.saw().facts.size() == 1; });
    std::filesystem::create_directories(system.home() / "facts.d");
    std::ofstream(system.home() / "facts.d" / "a.json") << R"({"rack": 7})";

    REQUIRE(::kill(system.pid(), SIGHUP) == 0);

    system.eventually("the new fact", [&] {
        const auto observed = cluster.saw().facts;
        return observed.size() == 2 && observed.back().set().contains("rack");
    });
}

}  // namespace
}  // namespace muster::agent_test
