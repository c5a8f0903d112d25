#include "adapters/pki/agent_proof.h"
#include "adapters/pki/authority.h"
#include "adapters/pki/base64.h"
#include "adapters/pki/pem_file.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <rapidcheck.h>

namespace muster::pki {
namespace {

using namespace std::chrono_literals;

constexpr wall_time today{std::chrono::sys_days{std::chrono::year{2026} / 5 / 4} + 9h};

constexpr std::string_view test_key_pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";
// python3: ":".join of hashlib.sha256(the middle line with its newline).hexdigest() in pairs
constexpr std::string_view test_key_fingerprint =
    "f3:dd:2f:c1:73:60:e8:05:5c:3e:5a:2d:d0:c1:34:69:fd:d1:c1:1a:68:d2:27:dd:56:c9:4d:3a:39:d8:d7:"
    "e2";

private_key agent_key() {
    return private_key::create(key_kind::ed25519).value();
}

TEST_CASE("a key's fingerprint is the one Salt prints") {
    const auto print = pem_fingerprint(test_key_pem).value();

    CHECK(print.str() == test_key_fingerprint);
    CHECK(fingerprint::parse(print.str()).value() == print);
}

TEST_CASE("line ends and blank lines do not change a fingerprint") {
    std::string windows("\r\n");
    for (const char c : test_key_pem)
        windows += c == '\n' ? std::string("\r\n") : std::string(1, c);

    CHECK(pem_fingerprint(windows).value().str() == test_key_fingerprint);
}

TEST_CASE("what is no key has no fingerprint") {
    CHECK(pem_fingerprint("no key at all").error().code() == errc::invalid);
}

TEST_CASE("base64 gives back every byte string, and each has one spelling") {
    rc::check([](const std::string& bytes) {
        RC_ASSERT(from_base64(to_base64(bytes)).value() == bytes);
    });
    CHECK(to_base64("mu") == "bXU=");
    CHECK(from_base64("bXV=").error().code() == errc::invalid);  // bits left over
    CHECK(from_base64("bXU").error().code() == errc::invalid);
    CHECK(from_base64("b U=").error().code() == errc::invalid);
    CHECK(from_base64("====").error().code() == errc::invalid);
    CHECK(from_base64("A===").error().code() == errc::invalid);
}

TEST_CASE("a key survives being written and read, and still signs") {
    for (const auto kind : {key_kind::p256, key_kind::ed25519}) {
        const auto result = private_key::create(kind).value();
        const auto read = private_key::from_pem(result.to_pem()).value();
        const auto signature = read.sign("patch night").value();

        CHECK(result.public_half().verify("patch night", signature).has_value());
        CHECK(result.public_half().verify("patch day", signature).error().code() == errc::denied);
    }
}

TEST_CASE("a server's certificate is signed by the cluster's CA and says how long it is valid") {
    const auto ca = authority::create("acme cluster", today).value();
    const auto server =
        ca.issue({.name = "node1.acme.org", .hosts = {"127.0.0.1", "::1"}, .now = today}).value();

    const auto& leaf = server.chain.front();
    CHECK(leaf.is_signed_by(ca.certificate()));
    CHECK_FALSE(leaf.is_signed_by(authority::create("acme cluster", today)->certificate()));
    CHECK(leaf.common_name() == "node1.acme.org");
    CHECK(leaf.not_after() == today + authority::server_lifetime);
    CHECK(leaf.check_valid_at(today).has_value());
    CHECK(
        leaf.check_valid_at(today + 91 * 24h).error().detail()
        == "certificate of \"node1.acme.org\" expired on 2026-08-02 09:00:00 UTC (now "
           "2026-08-03 09:00:00 UTC); renew the certificate");
    CHECK(leaf.check_valid_at(today - 2h).error().code() == errc::invalid);
    CHECK(ca.certificate().not_after() == today + authority::lifetime);
}

TEST_CASE("no two certificates have the same serial number") {
    const auto ca = authority::create("acme cluster", today).value();
    const auto first = ca.issue({.name = "node1", .now = today}).value();
    const auto second = ca.issue({.name = "node1", .now = today}).value();

    CHECK(first.chain.front().serial() != second.chain.front().serial());
    CHECK(first.chain.front().fingerprint() != second.chain.front().fingerprint());
}

TEST_CASE("a name that could smuggle something into a certificate is refused") {
    const auto ca = authority::create("acme cluster", today).value();

    for (const auto* name : {"node1,DNS:evil.org", "", "node 1", "a\nb"})
        CHECK(ca.issue({.name = name, .now = today}).error().code() == errc::invalid);
}

TEST_CASE("an identity with the wrong key, or past its date, is refused when it is read") {
    const auto ca = authority::create("acme cluster", today).value();
    const auto server = ca.issue({.name = "node1", .now = today}).value();
    const auto other = private_key::create(key_kind::p256).value();
    const auto pem = server.chain.front().to_pem() + server.chain.back().to_pem();

    CHECK(read_identity(pem, server.key.to_pem(), today).value().chain.size() == 2);
    CHECK(read_identity(pem, other.to_pem(), today).error().code() == errc::invalid);
    CHECK(
        read_identity(pem, server.key.to_pem(), today + 100 * 24h).error().code() == errc::invalid);
    CHECK(read_identity("nonsense", server.key.to_pem(), today).error().code() == errc::invalid);
}

TEST_CASE("a CA survives being written and read, and a server is no CA") {
    const auto result = authority::create("acme cluster", today).value();
    const auto read =
        authority::from_pem(result.certificate().to_pem(), result.key().to_pem()).value();
    const auto server = read.issue({.name = "node1", .now = today}).value();

    CHECK(read.certificate().fingerprint() == result.certificate().fingerprint());
    CHECK(
        authority::from_pem(server.chain.front().to_pem(), server.key.to_pem()).error().code()
        == errc::invalid);
}

TEST_CASE("a saved file is readable by its owner only, and saving again replaces it whole") {
    const harness::temporary_directory directory("pki");
    const auto file = directory.path() / "ca.key";
    REQUIRE(save_pem(file, "a long first version").has_value());
    REQUIRE(save_pem(file, "second").has_value());

    CHECK(load_pem(file).value() == "second");
    struct stat status{};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
    CHECK(load_pem(directory.path() / "missing").error().code() == errc::not_found);
    CHECK(save_pem(directory.path() / "no" / "x", "text").error().code() == errc::not_found);
}

TEST_CASE("an Ed25519 key has the same fingerprint by its bytes and by its PEM") {
    for (int each = 0; each < 20; ++each) {
        const auto key = agent_key().public_half();
        const auto bytes = key.ed25519_bytes().value();
        CHECK(ed25519_fingerprint(bytes) == pem_fingerprint(key.to_pem()).value());
    }
}

TEST_CASE("the same 32 bytes give the same Ed25519 key, and other sizes none") {
    const auto one = private_key::from_ed25519_bytes(std::string(32, 'a')).value();
    const auto same = private_key::from_ed25519_bytes(std::string(32, 'a')).value();
    const auto other = private_key::from_ed25519_bytes(std::string(32, 'b')).value();

    CHECK(one.public_half().to_pem() == same.public_half().to_pem());
    CHECK(one.public_half().to_pem() != other.public_half().to_pem());
    CHECK(private_key::from_ed25519_bytes("short").error().code() == errc::invalid);
}

TEST_CASE("an agent's proof names the agent, and holds on its own connection only") {
    const auto agent = agent_key();
    channel_binding binding{};
    binding.fill('h');
    channel_binding other_binding = binding;
    other_binding.back() = 'e';

    const auto header = create_agent_authorization(agent, binding).value();

    CHECK(
        verify_agent_authorization(binding, header).value()
        == pem_fingerprint(agent.public_half().to_pem()).value());
    CHECK(verify_agent_authorization(other_binding, header).error().code() == errc::denied);

    const auto raw = create_agent_proof(agent, binding).value();
    CHECK(raw.size() == agent_proof_size);
    CHECK(
        verify_agent_proof(binding, raw).value()
        == verify_agent_authorization(binding, header).value());
    CHECK(verify_agent_proof(other_binding, raw).error().code() == errc::denied);
    CHECK(verify_agent_proof(binding, raw + "x").error().code() == errc::invalid);
}

TEST_CASE("every damaged proof is refused") {
    const auto header = create_agent_authorization(agent_key(), channel_binding{}).value();

    for (std::size_t at = 0; at < header.size(); ++at) {
        auto damaged = header;
        damaged[at] = damaged[at] == 'A' ? 'B' : 'A';
        CHECK_FALSE(verify_agent_authorization(channel_binding{}, damaged).has_value());
    }
    CHECK_FALSE(verify_agent_authorization(channel_binding{}, "Bearer abc").has_value());
    CHECK_FALSE(verify_agent_authorization(channel_binding{}, header + "AAAA").has_value());
}

}  // namespace
}  // namespace muster::pki
