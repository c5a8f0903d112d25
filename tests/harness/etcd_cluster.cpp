#include "tests/harness/etcd_cluster.h"

#include "base/assert.h"
#include "tests/harness/free_port.h"
#include "tests/harness/test_certificates.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace muster::harness {
namespace {

using namespace std::chrono_literals;

std::string url(const std::string& scheme, std::uint16_t port) {
    return fmt::format("{}://127.0.0.1:{}", scheme, port);
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
}

}  // namespace

etcd_cluster::etcd_cluster(etcd_cluster_options options)
    : options_(std::move(options)), directory_("etcd") {
    if (options_.tls) make_certificates(directory(), "server");
    for (std::size_t i = 0; i < options_.members; ++i) {
        members_.push_back(
            {.name = fmt::format("member{}", i),
             .client_port = free_port(),
             .peer_port = free_port(),
             .running = nullptr});
    }
    for (std::size_t i = 0; i < size(); ++i) start(i);
    wait_until_healthy();
}

etcd_cluster::~etcd_cluster() = default;

std::vector<std::string> etcd_cluster::endpoints() const {
    std::vector<std::string> endpoints;
    for (const auto& member : members_)
        endpoints.push_back(fmt::format("127.0.0.1:{}", member.client_port));
    return endpoints;
}

std::filesystem::path etcd_cluster::log_of(std::size_t member) const {
    return directory() / (members_[member].name + ".log");
}

std::vector<std::string> etcd_cluster::arguments_for(const member& member) const {
    std::string all_peers;
    for (const auto& peer : members_)
        all_peers += (all_peers.empty() ? "" : ",") + peer.name + "=" + url("http", peer.peer_port);
    const auto clients = url(scheme(), member.client_port);
    const auto peers = url("http", member.peer_port);
    std::vector<std::string> arguments{
        "etcd",
        "--name=" + member.name,
        "--data-dir=" + (directory() / member.name).string(),
        "--listen-client-urls=" + clients,
        "--advertise-client-urls=" + clients,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=" + all_peers,
        "--initial-cluster-state=new",
        "--logger=zap",
        "--log-level=warn"};
    if (options_.tls) {
        arguments.push_back("--client-cert-auth");
        arguments.push_back("--trusted-ca-file=" + ca_file().string());
        arguments.push_back("--cert-file=" + certificate_file().string());
        arguments.push_back("--key-file=" + key_file().string());
    }
    for (const auto& more : options_.more_arguments) arguments.push_back(more);
    return arguments;
}

void etcd_cluster::start(std::size_t member) {
    auto& started = members_[member];
    MUSTER_ASSERT(started.running == nullptr);
    started.running = std::make_unique<process>(command{
        .argv = arguments_for(started), .environment = {}, .output = log_of(member), .user = {}});
}

void etcd_cluster::kill(std::size_t member) {
    members_[member].running.reset();
}

std::string etcd_cluster::post(
    std::size_t member, const std::string& path, const std::string& body) {
    const auto answer = directory() / "answer.json";
    std::filesystem::remove(answer);
    std::vector<std::string> arguments{
        "curl",
        "--silent",
        "--show-error",
        "--max-time",
        "2",
        "--noproxy",
        "*",
        "--output",
        answer.string(),
        "--data",
        body};
    if (options_.tls) {
        arguments.insert(
            arguments.end(),
            {"--cacert",
             ca_file().string(),
             "--cert",
             certificate_file().string(),
             "--key",
             key_file().string()});
    }
    arguments.push_back(url(scheme(), port(member)) + path);
    process process(command{
        .argv = arguments, .environment = {}, .output = directory() / "curl.log", .user = {}});
    const auto ended = process.wait(5s);
    return ended == 0 ? content_of(answer) : std::string();
}

// etcd's JSON has numbers as strings and no white space.
std::string etcd_cluster::field(const std::string& json, const std::string& name) const {
    const auto mark = "\"" + name + "\":\"";
    const auto position = json.find(mark);
    if (position == std::string::npos) return {};
    const auto from = position + mark.size();
    return json.substr(from, json.find('"', from) - from);
}

std::string etcd_cluster::member_id(std::size_t member) {
    return field(post(member, "/v3/maintenance/status", "{}"), "member_id");
}

std::optional<std::size_t> etcd_cluster::leader() {
    for (std::size_t requested = 0; requested < size(); ++requested) {
        if (!members_[requested].running) continue;
        const auto status = post(requested, "/v3/maintenance/status", "{}");
        const auto id = field(status, "leader");
        for (std::size_t i = 0; i < size() && !id.empty(); ++i)
            if (members_[i].running && member_id(i) == id) return i;
    }
    return std::nullopt;
}

void etcd_cluster::wait_until_healthy() {
    for (std::size_t i = 0; i < size(); ++i) {
        if (!members_[i].running) continue;
        const auto answers = [this, i] {
            // A linearizable read: it needs a leader and a majority.
            return !field(post(i, "/v3/kv/range", R"({"key":"AA=="})"), "revision").empty();
        };
        eventually(members_[i].name + " of etcd to answer", answers, 60s, log_of(i));
    }
}

void etcd_cluster::enable_auth(const std::string& user, const std::string& password) {
    const auto must = [this](const std::string& path, const std::string& body) {
        const auto answer = post(0, path, body);
        if (field(answer, "revision").empty())
            throw std::runtime_error("etcd refused " + path + ": " + answer);
    };
    must("/v3/auth/role/add", R"({"name":"root"})");
    must("/v3/auth/user/add", R"({"name":"root","password":")" + password + "\"}");
    must("/v3/auth/user/grant", R"({"user":"root","role":"root"})");
    if (user != "root") {
        must("/v3/auth/user/add", R"({"name":")" + user + R"(","password":")" + password + "\"}");
        must("/v3/auth/user/grant", R"({"user":")" + user + R"(","role":"root"})");
    }
    must("/v3/auth/enable", "{}");
}

}  // namespace muster::harness
