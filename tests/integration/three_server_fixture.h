#pragma once

#include "tests/harness/etcd_cluster.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"

#include <boost/json/value.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::integration {

// Real agents in one muster-swarm, named swarm-0, swarm-1, …
class swarm {
public:
    struct options {
        std::vector<std::string> servers;  // URLs
        std::filesystem::path ca;
        std::uint64_t count = 30;
        std::string seed = "layout";
    };
    explicit swarm(options options);

    harness::process& running() { return *running_; }
    int stop() { return running_->stop(); }
    std::string log() const { return text_of(home_.path() / "log"); }

private:
    harness::temporary_directory home_{"swarm"};
    std::unique_ptr<harness::process> running_;
};

boost::json::value json_of(const outcome& answer);

// How many agents each node holds, as `muster top` tells.
std::map<std::string, std::int64_t> attached_by_node(const muster_server& muster_server);
std::int64_t attached_in_all(const muster_server& muster_server);

// The records of all accepted systems by name, without what only presence knows.
std::map<std::string, std::string> records(const muster_server& muster_server);
// Gives them all the same software channel; its label.
std::string subscribe_all(const muster_server& by);
// The records with what else is known of them: all their facts and whether they are found by them,
// the software channels they have, and what ran on them.
std::map<std::string, std::string> whole_records(const muster_server& muster_server);
// Which node each system is attached to, by name; systems without one are left out.
std::map<std::string, std::string> nodes_of_systems(const muster_server& muster_server);

void wait_until_new(const muster_server& muster_server, std::int64_t count);
void accept_all(const muster_server& muster_server);
void wait_until_attached(const muster_server& muster_server, std::int64_t count);

// Three servers with all roles on one etcd, NATS and PostgreSQL. Each reaches etcd over a link of
// its own that can be cut.
class three_servers {
public:
    // `advertised`: the loopback ports at which others are to reach the three; none: their own.
    // `more`: settings of all, as flags.
    explicit three_servers(
        std::vector<std::uint16_t> advertised = {}, std::vector<std::string> more = {});

    muster_server& operator[](std::size_t index) { return *servers_[index]; }
    harness::faulty_tcp_proxy& etcd_link(std::size_t index) { return *links_[index]; }
    harness::nats_cluster& nats() { return nats_; }
    harness::postgres_server& postgres() { return postgres_; }
    std::vector<std::string> urls() const;

private:
    std::vector<std::string> flags_of(std::size_t index) const;

    harness::etcd_cluster etcd_;
    harness::nats_cluster nats_;
    harness::postgres_server postgres_;
    std::vector<std::unique_ptr<harness::faulty_tcp_proxy>> links_;
    std::vector<std::uint16_t> advertised_;
    std::vector<std::string> more_;
    std::vector<std::unique_ptr<muster_server>> servers_;
};

}  // namespace muster::integration
