#include "tests/harness/etcd_cluster.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/test_certificates.h"
#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

constexpr auto secret = "correct horse";

// etcd and NATS that want mutual TLS and a password, PostgreSQL that wants TLS and a password.
class secured_engines {
public:
    secured_engines() {
        keep_secret("password", std::string(secret) + "\n");
        keep_secret("ledger-password", text_of(postgres_.password_file()));
        etcd_.enable_auth("muster", secret);
        nats_.wait_until_ready();
    }

    std::vector<std::string> flags() const {
        return {
            "--metastore",
            "etcd://" + etcd_.endpoints().front(),
            "--metastore-ca",
            etcd_.ca_file(),
            "--metastore-certificate",
            etcd_.certificate_file(),
            "--metastore-key",
            etcd_.key_file(),
            "--metastore-user",
            "muster",
            "--metastore-password-file",
            at("password"),
            "--bus",
            "nats://127.0.0.1:" + std::to_string(nats_.port(0)),
            "--bus-ca",
            at("ca.pem"),
            "--bus-certificate",
            at("server.pem"),
            "--bus-key",
            at("server.key"),
            "--bus-user",
            "muster",
            "--bus-password-file",
            at("password"),
            "--ledger",
            postgres_.address("postgres"),
            "--ledger-ca",
            postgres_.ca_file(),
            "--ledger-password-file",
            at("ledger-password")};
    }

private:
    std::string at(const char* file) const { return (files_.path() / file).string(); }

    void keep_secret(const char* file, const std::string& text) const {
        using std::filesystem::perms;
        std::ofstream(at(file)) << text;
        std::filesystem::permissions(at(file), perms::owner_read | perms::owner_write);
    }

    static harness::nats_cluster_options for_nats(const harness::temporary_directory& files) {
        harness::make_certificates(files.path(), "server");
        return {
            .servers = 1,
            .user = "muster",
            .password = secret,
            .ca_file = files.path() / "ca.pem",
            .certificate_file = files.path() / "server.pem",
            .key_file = files.path() / "server.key"};
    }

    harness::temporary_directory files_{"secured"};
    harness::etcd_cluster etcd_{{.members = 1, .tls = true}};
    harness::nats_cluster nats_{for_nats(files_)};
    harness::postgres_server postgres_{harness::postgres_server::access::password_within_tls};
};

std::vector<std::string> without(std::vector<std::string> flags, const std::string& name) {
    const auto it = std::ranges::find(flags, name);
    REQUIRE(it != flags.end());
    flags.erase(it, it + 2);
    return flags;
}

TEST_CASE("a server reaches etcd, NATS and PostgreSQL by TLS and passwords from its settings") {
    const secured_engines engines;
    muster_server server(engines.flags());

    server.start_and_wait_until_ready();

    CHECK(server.login().exit_code == 0);
    CHECK(server.cli({"nodes"}).output.contains("muster-1"));
    CHECK(server.stop() == 0);
    CHECK_FALSE(server.log().contains(secret));

    SUBCASE("etcd does not let it in without a certificate") {
        auto bare = without(engines.flags(), "--metastore-certificate");
        muster_server stranger(without(bare, "--metastore-key"));
        stranger.start();
        stranger.wait_until_not_ready();
        CHECK(stranger.health("/readyz").output.contains(R"("metastore":{"state":"does not)"));
    }
    SUBCASE("NATS does not let it in without a certificate") {
        auto bare = without(engines.flags(), "--bus-certificate");
        muster_server stranger(without(bare, "--bus-key"), server.data());
        stranger.start();
        stranger.wait_until_not_ready();
        harness::eventually("the bus is told of", [&] {
            return stranger.health("/readyz").output.contains(R"("bus":{"state":"does not)");
        });
    }
    SUBCASE("PostgreSQL does not let it in without the password") {
        muster_server stranger(without(engines.flags(), "--ledger-password-file"), server.data());
        stranger.start();
        stranger.wait_until_not_ready();
        harness::eventually("the ledger is told of", [&] {
            return stranger.health("/readyz").output.contains(R"("ledger":{"state":"does not)");
        });
    }
}

}  // namespace
}  // namespace muster::integration
