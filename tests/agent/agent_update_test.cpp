#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"
#include "base/hex.h"
#include "tests/agent/attached_agent.h"

#include <doctest/doctest.h>

#include <fstream>

// An agent that replaces itself. It is run from a copy of its program.
namespace muster::agent_test {
namespace {

using agent_protocol::Report;

std::string signed_by(const pki::private_key& key, const std::filesystem::path& file) {
    const auto digest = pki::sha256(text_of(file));
    const auto signature = key.sign(digest + MUSTER_VERSION).value();
    return R"({"path": ")" + file.string() + R"(", "sha256": ")" + to_hex(digest)
           + R"(", "version": ")" MUSTER_VERSION R"(", "signature": ")" + to_hex(signature)
           + R"("})";
}

TEST_CASE("an agent takes a signed program in place of its own, and is that one then") {
    const harness::temporary_directory files("agent");
    const auto program = files.path() / "muster-agent";
    std::filesystem::copy_file(MUSTER_AGENT_PROGRAM, program);
    const auto key = pki::private_key::create(pki::key_kind::ed25519).value();
    std::ofstream(files.path() / "key.pem") << key.public_half().to_pem();
    // The same program, and one byte more, so that it can be told from the old one.
    std::filesystem::copy_file(MUSTER_AGENT_PROGRAM, files.path() / "new");
    std::ofstream(files.path() / "new", std::ios::app | std::ios::binary) << '\n';
    std::ofstream(files.path() / "broken") << "no program\n";
    attached_agent attached_agent({"--tasks-update-key-file", files.path() / "key.pem"}, program);
    const auto update = [&](std::int64_t job, const std::string& name) {
        return attached_agent.result_of(job, "agent.update", signed_by(key, files.path() / name));
    };

    CHECK(update(1, "broken").outcome() == Report::OUTCOME_REFUSED);
    const auto pid = attached_agent.system->pid();
    const auto starts = attached_agent.cluster.saw().starts.size();
    CHECK(update(2, "new").outcome() == Report::OUTCOME_SUCCEEDED);

    attached_agent.until(
        "a new start", [&] { return attached_agent.cluster.saw().starts.size() == starts + 1; });
    CHECK(attached_agent.system->pid() == pid);
    CHECK(attached_agent.system->running());
    CHECK(text_of(program) == text_of(files.path() / "new"));
    CHECK_FALSE(std::filesystem::exists(program.string() + ".update"));
    CHECK(attached_agent.result_of(3, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
}

TEST_CASE("a chain goes on in the new program, with the step after the update") {
    const harness::temporary_directory files("agent");
    const auto program = files.path() / "muster-agent";
    std::filesystem::copy_file(MUSTER_AGENT_PROGRAM, program);
    const auto key = pki::private_key::create(pki::key_kind::ed25519).value();
    std::ofstream(files.path() / "key.pem") << key.public_half().to_pem();
    std::filesystem::copy_file(MUSTER_AGENT_PROGRAM, files.path() / "new");
    std::ofstream(files.path() / "new", std::ios::app | std::ios::binary) << '\n';
    attached_agent attached_agent({"--tasks-update-key-file", files.path() / "key.pem"}, program);
    const auto starts = attached_agent.cluster.saw().starts.size();
    const auto diary = attached_agent.file("diary").string();

    const auto report = attached_agent.result_of(
        4,
        "chain.run",
        R"({"steps": [{"function": "cmd.run", "arguments": {"cmd": "echo a >> )" + diary
            + R"("}}, {"function": "agent.update", "arguments": )"
            + signed_by(key, files.path() / "new")
            + R"(}, {"function": "cmd.run", "arguments": {"cmd": "echo b >> )" + diary
            + R"("}}]})");

    CHECK(report.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(attached_agent.cluster.saw().starts.size() == starts + 1);
    CHECK(text_of(program) == text_of(files.path() / "new"));
    CHECK(text_of(diary) == "a\nb\n");
}

}  // namespace
}  // namespace muster::agent_test
