#include "tests/agent/agent_process.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <unistd.h>

namespace muster::agent_test {
namespace {

using behaviour = fake_cluster::behaviour;

void accept(fake_cluster& cluster, const std::string& place) {
    cluster.behave([&](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = place;
    });
}

void wait_until_attached(fake_cluster& cluster, const agent_process& system) {
    system.eventually("a channel that beats", [&] {
        const auto observed = cluster.saw();
        return observed.channels_now == 1 && observed.beats > 1;
    });
}

// What the process has used of a processor.
double cpu_seconds_of(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string word;
    for (int n = 0; n < 13; ++n) in >> word;
    double user = 0;
    double system = 0;
    in >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

TEST_CASE("an agent that waits, to be accepted or for work, does not keep a processor busy") {
    fake_cluster cluster;
    const agent_process system(cluster.url(), {});
    system.eventually("knocks", [&] { return cluster.saw().knocks >= 2; });
    double before = cpu_seconds_of(system.pid());
    system.eventually("more knocks", [&] { return cluster.saw().knocks >= 5; });
    CHECK(cpu_seconds_of(system.pid()) - before < 0.4);

    accept(cluster, cluster.address());
    wait_until_attached(cluster, system);
    before = cpu_seconds_of(system.pid());
    const auto beats = cluster.saw().beats;
    system.eventually("more beats", [&] { return cluster.saw().beats >= beats + 20; });
    CHECK(cpu_seconds_of(system.pid()) - before < 0.4);
}

TEST_CASE("a system enrols with its facts, waits to be accepted, and is attached to its node") {
    fake_cluster cluster;
    agent_process system(cluster.url(), {"--activation-key", "1-web"});
    system.eventually("an enrolment and a knock after it", [&] {
        return cluster.saw().enrolments == 1 && cluster.saw().knocks >= 2;
    });
    const auto form = boost::json::parse(cluster.saw().enrolment).as_object();
    CHECK(form.at("name") == "web1");
    CHECK(form.at("activation_key") == "1-web");
    CHECK(form.at("facts").as_object().at("agent.version") == MUSTER_VERSION);
    CHECK(form.at("facts").as_object().contains("kernel.release"));
    CHECK(system.status("state") == "new");

    accept(cluster, cluster.address());
    wait_until_attached(cluster, system);

    CHECK(cluster.saw().enrolments == 1);
    CHECK(cluster.saw().agents == std::set{system.status("fingerprint")});
    CHECK(system.status("state") == "onboarded");
    CHECK(system.status("node") == cluster.address());
    CHECK(system.stop() == 0);
    CHECK(system.status("state") == "stopped");
}

TEST_CASE("facts are sent whole once, then as differences, also after a restart") {
    fake_cluster cluster;
    accept(cluster, cluster.address());
    agent_process system(cluster.url(), {"--facts-interval", "1s"});
    system.eventually("all facts", [&] { return cluster.saw().facts.size() == 1; });
    CHECK(cluster.saw().facts.front().whole());
    cluster.behave([](behaviour& behaviour) { behaviour.facts_wanted = false; });

    std::filesystem::create_directories(system.home() / "facts.d");
    std::ofstream(system.home() / "facts.d" / "role.txt") << "role=db\n";
    system.eventually("a difference", [&] { return cluster.saw().facts.size() == 2; });
    const auto difference = cluster.saw().facts.back();
    CHECK_FALSE(difference.whole());
    CHECK(difference.set().size() == 1);
    CHECK(difference.set().at("role") == "\"db\"");
    CHECK(difference.base_digest() == cluster.saw().facts.front().digest());
    system.kill();
    std::ofstream(system.home() / "facts.d" / "role.txt") << "role=web\n";
    system.start();

    system.eventually("a difference again", [&] { return cluster.saw().facts.size() == 3; });
    CHECK(cluster.saw().facts.back().base_digest() == difference.digest());
    CHECK(cluster.saw().starts.size() == 2);
    CHECK(cluster.saw().agents.size() == 1);
}

TEST_CASE("a node that falls silent is left in the time it named, and found again") {
    fake_cluster cluster;
    accept(cluster, cluster.address());
    agent_process system(cluster.url());
    wait_until_attached(cluster, system);

    cluster.behave([](behaviour& behaviour) { behaviour.mute = true; });
    system.eventually("the end of the channel", [&] {
        return system.log().contains("node connection lost") && system.log().contains("silent");
    });
    cluster.behave([](behaviour& behaviour) { behaviour.mute = false; });

    system.eventually("a new channel", [&] {
        return cluster.saw().channels >= 2 && cluster.saw().channels_now == 1;
    });
    CHECK(cluster.saw().enrolments == 0);
}

TEST_CASE("a moved system goes to the address it is given, without asking the entry") {
    fake_cluster old_node;
    fake_cluster new_node;
    accept(old_node, old_node.address());
    agent_process system(old_node.url());
    wait_until_attached(old_node, system);
    const auto request = old_node.saw().place_questions;

    old_node.behave([&](behaviour& behaviour) {
        behaviour.goodbye.emplace().set_reason(agent_protocol::REASON_MOVED);
        behaviour.goodbye->set_address(new_node.address());
    });
    wait_until_attached(new_node, system);

    CHECK(old_node.saw().place_questions == request);
    CHECK(new_node.saw().knocks == 0);
    CHECK(system.status("node") == new_node.address());
}

TEST_CASE("a fenced node is left only when the entry names another one") {
    fake_cluster fenced;
    fake_cluster other;
    accept(fenced, fenced.address());
    agent_process system(fenced.url());
    wait_until_attached(fenced, system);
    const auto request = fenced.saw().place_questions;
    fenced.behave([](behaviour& behaviour) { behaviour.fenced = true; });
    system.eventually("a question", [&] { return fenced.saw().place_questions > request; });
    CHECK(fenced.saw().channels == 1);
    CHECK(fenced.saw().channels_now == 1);

    fenced.behave([&](behaviour& behaviour) { behaviour.place = other.address(); });

    wait_until_attached(other, system);
    system.eventually("the old channel's end", [&] { return fenced.saw().channels_now == 0; });
}

TEST_CASE("several entries are tried in turn") {
    fake_cluster alive;
    accept(alive, alive.address());
    agent_process system("https://127.0.0.1:1," + alive.url());

    wait_until_attached(alive, system);

    CHECK(system.log().contains("127.0.0.1:1"));
}

TEST_CASE("an agent of another cluster's CA talks to nobody") {
    fake_cluster cluster;
    accept(cluster, cluster.address());
    const auto wrong = pki::authority::create("another", runtime::system_clock().wall()).value();
    const harness::temporary_directory elsewhere("agent");
    std::ofstream(elsewhere.path() / "ca.pem") << wrong.certificate().to_pem();

    agent_process system(cluster.url(), {"--ca", elsewhere.path() / "ca.pem"});
    system.eventually("a refusal", [&] { return system.status("last_error") != ""; });

    CHECK(system.status("last_error").contains("certificate rejected"));
    CHECK(cluster.saw().knocks == 0);
}

TEST_CASE("a CA pinned by its fingerprint is as good as its file") {
    fake_cluster cluster;
    accept(cluster, cluster.address());
    const auto print = fake_cluster::authority().certificate().fingerprint().str();

    agent_process system(cluster.url(), {"--ca-fingerprint", print});

    wait_until_attached(cluster, system);
}

TEST_CASE("no place and an entry that asks for time are waited for") {
    fake_cluster cluster;
    cluster.behave([](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.status_code = 503;
    });
    agent_process system(cluster.url());
    system.eventually("a knock", [&] { return cluster.saw().knocks == 1; });
    cluster.behave([](behaviour& behaviour) { behaviour.status_code = 200; });
    system.eventually("a question", [&] { return cluster.saw().place_questions > 1; });
    CHECK(system.status("state") == "orphan");

    accept(cluster, cluster.address());

    wait_until_attached(cluster, system);
}

}  // namespace
}  // namespace muster::agent_test
