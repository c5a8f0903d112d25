#include "tests/integration/three_server_fixture.h"

#include <boost/json.hpp>

#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr auto timeout = 90s;

const json::value& member(const json::value& of, json::string_view name) {
    static const json::value none;
    const auto* object = of.if_object();
    const auto* held = object == nullptr ? nullptr : object->if_contains(name);
    return held == nullptr ? none : *held;
}

json::array items(const json::value& of) {
    if (of.is_array()) return of.get_array();
    const auto& held = member(of, "items");
    return held.is_array() ? held.get_array() : json::array();
}

std::string text(const json::value& of, json::string_view name) {
    const auto& held = member(of, name);
    return held.is_string() ? std::string(held.get_string()) : std::string();
}

std::int64_t number(const json::value& of, json::string_view name) {
    const auto& held = member(of, name);
    return held.is_number() ? held.to_number<std::int64_t>() : -1;
}

json::value stats(const muster_server& muster_server) {
    return json_of(muster_server.cli({"top", "--once", "-o", "json"}));
}

}  // namespace

swarm::swarm(options options) {
    std::string servers;
    for (const auto& server : options.servers) servers += (servers.empty() ? "" : ",") + server;
    running_ = std::make_unique<harness::process>(harness::command{
        .argv =
            {MUSTER_SWARM_PROGRAM,
             "--server",
             servers,
             "--ca",
             options.ca,
             "--count",
             std::to_string(options.count),
             "--seed",
             options.seed,
             "--rate",
             "50"},
        .environment = {},
        .output = home_.path() / "log",
        .user = {}});
}

json::value json_of(const outcome& answer) {
    if (answer.exit_code != 0) throw std::runtime_error("a command failed: " + answer.output);
    json::error_code failed;
    auto parsed = json::parse(answer.output, failed);
    if (failed) throw std::runtime_error("not JSON: " + answer.output);
    return parsed;
}

namespace {

// What a script prints that asks the compatible API; a login's token is a session's key there, too.
std::string ask_compatible(const muster_server& muster_server, const std::string& script) {
    const std::string before =
        "import json, ssl, sys, xmlrpc.client\n"
        "url, ca, key = sys.argv[1:4]\n"
        "trusted = ssl.create_default_context(cafile=ca)\n"
        "server = xmlrpc.client.ServerProxy(url, context=trusted)\n";
    const auto ran = run(
        {"python3",
         "-c",
         before + script,
         "https://127.0.0.1:" + std::to_string(muster_server.port()) + "/rpc/api",
         (muster_server.data() / "ca.pem").string(),
         muster_server.bearer()});
    if (ran.exit_code != 0) throw std::runtime_error("the compatible API: " + ran.output);
    return ran.output;
}

// Every fact on record, but not when they were told.
std::string all_facts(const muster_server& muster_server, const std::string& system) {
    const auto response = muster_server.get(
        "/api/v1/systems/" + system + "/facts",
        {"-H", "Authorization: Bearer " + muster_server.bearer()});
    if (response.exit_code != 200) throw std::runtime_error("facts: " + response.output);
    return json::serialize(member(json::parse(response.output), "facts"));
}

}  // namespace

std::map<std::string, std::int64_t> attached_by_node(const muster_server& muster_server) {
    std::map<std::string, std::int64_t> counted;
    const auto now = stats(muster_server);
    for (const auto& node : items(member(now, "nodes")))
        counted[text(node, "name")] = number(node, "attached");
    return counted;
}

std::int64_t attached_in_all(const muster_server& muster_server) {
    return number(member(stats(muster_server), "systems"), "onboarded");
}

std::map<std::string, std::string> records(const muster_server& muster_server) {
    std::map<std::string, std::string> matches;
    const auto answer = json_of(muster_server.cli({"systems", "name:swarm-*", "-o", "json"}));
    for (auto each : items(answer)) {
        auto& record = each.as_object();
        for (const auto* live : {"state", "node", "address", "last_seen", "reason"})
            record.erase(live);
        matches[text(each, "name")] = json::serialize(each);
    }
    return matches;
}

std::string subscribe_all(const muster_server& by) {
    const std::string label = "shop-software";
    ask_compatible(
        by,
        R"(
server.channel.software.create(key, ")"
            + label + R"(", "Shop", "For shops", "channel-x86_64", "")
for system in server.system.listSystems(key):
    assert server.system.setBaseChannel(key, system["id"], ")"
            + label + R"(") == 1
)");
    return label;
}

std::map<std::string, std::string> whole_records(const muster_server& muster_server) {
    std::set<std::string> by_fact;
    const auto answer = json_of(muster_server.cli({"systems", "os.name:swarm", "-o", "json"}));
    for (const auto& each : items(answer)) by_fact.insert(text(each, "name"));
    const auto channels = json::parse(ask_compatible(muster_server, R"(
def labels(system):
    base = server.system.getSubscribedBaseChannel(key, system["id"])
    children = server.system.listSubscribedChildChannels(key, system["id"])
    return [base.get("label", "")] + sorted(each["label"] for each in children)
print(json.dumps({each["name"]: labels(each) for each in server.system.listSystems(key)}))
)"));
    auto match = records(muster_server);
    for (auto& [name, record] : match) {
        record += by_fact.contains(name) ? " found by facts " : " not found by facts ";
        record += all_facts(muster_server, name);
        record += " with channels " + json::serialize(member(channels, name));
        const auto history = json_of(muster_server.cli({"jobs", "--system", name, "-o", "json"}));
        record += json::serialize(history);
    }
    return match;
}

std::map<std::string, std::string> nodes_of_systems(const muster_server& muster_server) {
    std::map<std::string, std::string> matches;
    const auto answer = json_of(muster_server.cli({"systems", "name:swarm-*", "-o", "json"}));
    for (const auto& each : items(answer))
        if (text(each, "state") == "onboarded") matches[text(each, "name")] = text(each, "node");
    return matches;
}

void wait_until_new(const muster_server& muster_server, std::int64_t count) {
    harness::eventually(
        "all agents have enrolled",
        [&] { return number(member(stats(muster_server), "systems"), "new") == count; },
        timeout);
}

void accept_all(const muster_server& muster_server) {
    const auto done = muster_server.cli(
        {"keys",
         "accept",
         "name:swarm-*",
         "--zone",
         "default",
         "--tag",
         "web",
         "--group",
         "shop",
         "--yes"});
    if (done.exit_code != 0) throw std::runtime_error("keys accept: " + done.output);
}

void wait_until_attached(const muster_server& muster_server, std::int64_t count) {
    harness::eventually(
        "all agents are attached",
        [&] { return attached_in_all(muster_server) == count; },
        timeout);
}

three_servers::three_servers(std::vector<std::uint16_t> advertised, std::vector<std::string> more)
    : advertised_(std::move(advertised)), more_(std::move(more)) {
    nats_.wait_until_ready();
    postgres_.create_database("muster");
    for (std::size_t index = 0; index < 3; ++index) {
        links_.push_back(std::make_unique<harness::faulty_tcp_proxy>(etcd_.port(0)));
        auto flags = flags_of(index);
        if (index > 0) {
            const auto token = servers_.front()->cli({"nodes", "token", "--zone", "default"});
            if (token.exit_code != 0) throw std::runtime_error("nodes token: " + token.output);
            // Not at the advertised address: a proxy in front may not be there yet.
            const auto secret = token.output.substr(0, token.output.find('@'));
            const auto port = std::to_string(servers_.front()->port());
            flags.insert(flags.end(), {"--join", secret + "@127.0.0.1:" + port});
        }
        servers_.push_back(std::make_unique<muster_server>(std::move(flags)));
        servers_.back()->start_and_wait_until_ready();
        if (index == 0 && servers_.front()->login().exit_code != 0)
            throw std::runtime_error("login: " + servers_.front()->log());
    }
    harness::eventually(
        "all three nodes serve slots",
        [this] {
            std::size_t serving = 0;
            for (const auto& node : items(member(stats(*servers_.front()), "nodes")))
                serving += number(node, "slots") > 0 ? 1 : 0;
            return serving == 3;
        },
        timeout);
}

std::vector<std::string> three_servers::flags_of(std::size_t index) const {
    std::vector<std::string> flags{
        "--name",
        "muster-" + std::to_string(index + 1),
        "--metastore",
        "etcd://127.0.0.1:" + std::to_string(links_[index]->port()),
        "--bus",
        "nats://127.0.0.1:" + std::to_string(nats_.port(0)),
        "--ledger",
        postgres_.address("muster"),
        "--ledger-tls",
        "off"};
    if (!advertised_.empty())
        flags.insert(
            flags.end(), {"--advertise", "127.0.0.1:" + std::to_string(advertised_[index])});
    flags.insert(flags.end(), more_.begin(), more_.end());
    return flags;
}

std::vector<std::string> three_servers::urls() const {
    std::vector<std::string> all;
    for (const auto& server : servers_)
        all.push_back("https://127.0.0.1:" + std::to_string(server->port()));
    return all;
}

}  // namespace muster::integration
