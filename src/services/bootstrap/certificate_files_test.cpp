#include "services/bootstrap/certificate_files.h"

#include "adapters/os/file.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace muster::bootstrap {
namespace {

using namespace std::chrono_literals;

constexpr wall_time today{std::chrono::sys_days{std::chrono::year{2031} / 5 / 4}};

struct shelf {
    harness::temporary_directory directory{"keyring"};
    std::unique_ptr<os::data_directory> data =
        os::data_directory::open(directory.path() / "data").value();
    certificate_files keys{*data, {.name = "muster-1", .hosts = {}}};
};

TEST_CASE("a making of the CA that was cut short between its files is made good") {
    const shelf there;
    REQUIRE(there.keys.create_authority("first", today).has_value());
    std::filesystem::remove(there.data->file("ca.pem"));

    CHECK_FALSE(there.keys.find_authority(today)->has_value());
    const auto authority = there.keys.create_authority("second", today).value();

    const auto match = there.keys.find_authority(today).value();
    CHECK(match->certificate().serial() == authority.certificate().serial());
}

TEST_CASE("a CA that lost its key is refused with the name of what is missing") {
    const shelf there;
    REQUIRE(there.keys.create_authority("first", today).has_value());
    std::filesystem::remove(there.data->file("ca-key.pem"));

    CHECK(there.keys.find_authority(today).error().detail().contains(
        "contains ca.pem but not ca-key.pem"));
}

TEST_CASE("a key that is none is blamed itself, not the certificate beside it") {
    const shelf there;
    const auto cluster = there.keys.create_authority("ours", today).value();
    REQUIRE(there.keys.server_identity(cluster, today).has_value());
    for (const auto* file : {"ca-key.pem", "server-key.pem"})
        REQUIRE(os::save_file({.file = there.data->file(file), .text = "junk"}).has_value());

    const auto of_cluster = there.keys.find_authority(today);
    const auto of_server = there.keys.server_identity(cluster, today);

    CHECK(of_cluster.error().detail().starts_with(there.data->file("ca-key.pem").string()));
    CHECK(of_server.error().detail().starts_with(there.data->file("server-key.pem").string()));
    CHECK(of_server.error().detail().contains("restore the key of server.pem, or remove"));
}

TEST_CASE("a server's key that is gone is refused with what to do") {
    const shelf there;
    const auto cluster = there.keys.create_authority("ours", today).value();
    REQUIRE(there.keys.server_identity(cluster, today).has_value());
    std::filesystem::remove(there.data->file("server-key.pem"));

    const auto refused = there.keys.server_identity(cluster, today);

    CHECK(refused.error().detail().starts_with("file "));
    CHECK(refused.error().detail().contains(
        "server-key.pem\" not found; restore the key of server.pem"));
    CHECK(refused.error().detail().contains("remove " + there.data->file("server.pem").string()));
    std::filesystem::remove(there.data->file("server.pem"));
    CHECK(there.keys.server_identity(cluster, today).has_value());
}

TEST_CASE("a key that everybody can read is refused with the cure, one of a group is not") {
    const shelf there;
    const auto cluster = there.keys.create_authority("ours", today).value();
    REQUIRE(there.keys.server_identity(cluster, today).has_value());
    const auto allow = [&there](unsigned mode) {
        for (const auto* file : {"ca-key.pem", "server-key.pem"})
            std::filesystem::permissions(there.data->file(file), std::filesystem::perms(mode));
    };

    allow(0644);
    for (const auto& sentence :
         {there.keys.find_authority(today).error().detail(),
          there.keys.load_server_identity(today).error().detail()})
        CHECK(sentence.contains("-key.pem is world-accessible; run: chmod o-rwx "));
    allow(0640);
    CHECK(there.keys.find_authority(today).has_value());
    CHECK(there.keys.load_server_identity(today).has_value());
}

TEST_CASE("our own certificate is renewed in time, one the operator brought is left alone") {
    const shelf there;
    const auto cluster = there.keys.create_authority("ours", today).value();
    const auto first = there.keys.server_identity(cluster, today).value();
    const auto late = today + 80 * 24h;

    const auto renewed = there.keys.server_identity(cluster, late).value();
    CHECK(renewed.chain.front().serial() != first.chain.front().serial());

    const auto public_ca = pki::authority::create("public", today).value();
    const auto brought = public_ca.issue({.name = "muster.acme.org", .now = today}).value();
    const auto chain = brought.chain.front().to_pem();
    const auto key = brought.key.to_pem();
    REQUIRE(os::save_file({.file = there.data->file("server.pem"), .text = chain}).has_value());
    REQUIRE(os::save_file({.file = there.data->file("server-key.pem"), .text = key}).has_value());

    const auto stored = there.keys.server_identity(cluster, late).value();
    CHECK(stored.chain.front().serial() == brought.chain.front().serial());
}

TEST_CASE("before its first day a certificate is not to blame, nor to be removed: the clock is") {
    const shelf there;
    const auto cluster = there.keys.create_authority("ours", today).value();
    REQUIRE(there.keys.server_identity(cluster, today + 48h).has_value());

    const auto early = there.keys.server_identity(cluster, today);
    const auto late = there.keys.server_identity(cluster, today + 100 * 24h);
    const auto too_early = there.keys.find_authority(today - 48h);

    CHECK(early.error().detail().contains("server.pem"));
    CHECK(early.error().detail().contains("check the clock"));
    CHECK_FALSE(early.error().detail().contains("remove the file"));
    CHECK(late.error().detail().contains("remove the file"));
    CHECK(too_early.error().detail().contains("ca.pem"));
    CHECK(too_early.error().detail().contains("check the clock"));
}

}  // namespace
}  // namespace muster::bootstrap
