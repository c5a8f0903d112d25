#include "tests/agent/agent_process.h"

#include <doctest/doctest.h>

#include <charconv>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <optional>
#include <unistd.h>
#include <vector>

// What a user may rely on when the agent is copied to any machine. Under a sanitizer the program is
// linked with shared libraries and none of this holds.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

namespace muster::agent_test {
namespace {

using behaviour = fake_cluster::behaviour;

constexpr std::size_t resident_kib_max = 12 * std::size_t{1024};

std::vector<Elf64_Phdr> program_headers(const std::filesystem::path& program) {
    const auto image = text_of(program);
    Elf64_Ehdr head{};
    REQUIRE(image.size() > sizeof head);
    std::memcpy(&head, image.data(), sizeof head);
    std::vector<Elf64_Phdr> all(head.e_phnum);
    std::memcpy(all.data(), image.data() + head.e_phoff, all.size() * sizeof(Elf64_Phdr));
    return all;
}

TEST_CASE("the agent needs no loader and no shared library") {
    for (const auto& program_header : program_headers(MUSTER_AGENT_PROGRAM))
        CHECK(program_header.p_type != static_cast<Elf64_Word>(PT_INTERP));

    const harness::temporary_directory out("agent");
    harness::process listing(
        {.argv = {"/usr/bin/ldd", MUSTER_AGENT_PROGRAM},
         .environment = {},
         .output = out.path() / "ldd",
         .user = {}});
    listing.wait(std::chrono::seconds(10));
    CHECK(text_of(out.path() / "ldd").contains("statically linked"));
}

std::size_t resident_kib(pid_t process) {
    const auto status = text_of("/proc/" + std::to_string(process) + "/status");
    const auto at = status.find("VmRSS:");
    REQUIRE(at != std::string::npos);
    return std::stoul(status.substr(at + 6));
}

TEST_CASE("an idle agent with a channel has less than 12 MiB in memory") {
    fake_cluster cluster;
    cluster.behave([&](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = cluster.address();
    });
    agent_process system(cluster.url());
    system.eventually("beats", [&] { return cluster.saw().beats > 10; });

    const auto size = resident_kib(system.pid());

    MESSAGE("resident: " << size << " KiB");
    CHECK(size < resident_kib_max);
}

// What is put before a command that only root may run: nothing for root; others are root in a name
// space of their own. Nothing at all where the kernel does not let them.
std::optional<std::vector<std::string>> with_root_rights() {
    if (::geteuid() == 0) return std::vector<std::string>();
    std::vector<std::string> words{"unshare", "--map-root-user"};
    auto trial = words;
    trial.emplace_back("true");
    const harness::temporary_directory out("agent");
    harness::process trying(
        {.argv = trial, .environment = {}, .output = out.path() / "log", .user = {}});
    if (trying.wait(std::chrono::seconds(10)) != 0) return std::nullopt;
    return words;
}

TEST_CASE("an agent in an empty root directory knocks, enrols and is attached") {
    const auto before = with_root_rights();
    if (!before) {
        MESSAGE("SKIPPED: neither root nor allowed to make a user name space");
        return;
    }
    fake_cluster cluster;
    const harness::temporary_directory root("agent");
    std::filesystem::copy_file(MUSTER_AGENT_PROGRAM, root.path() / "muster-agent");
    std::ofstream(root.path() / "ca.pem") << fake_cluster::authority().certificate().to_pem();
    const auto log = root.path() / "log";

    auto argv = *before;
    argv.insert(
        argv.end(),
        {"/usr/sbin/chroot",
         root.path(),
         "/muster-agent",
         "run",
         "--server",
         "https://localhost:" + std::to_string(cluster.port()),
         "--ca",
         "/ca.pem",
         "--data",
         "/data",
         "--poll-interval",
         "1s"});
    harness::process system({.argv = argv, .environment = {}, .output = log, .user = {}});
    const auto timeout = std::chrono::seconds(30);
    harness::eventually(
        "an enrolment", [&] { return cluster.saw().enrolments == 1; }, timeout, log);
    cluster.behave([&](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = "localhost:" + std::to_string(cluster.port());
    });
    harness::eventually("a channel", [&] { return cluster.saw().channels_now == 1; }, timeout, log);

    CHECK(system.stop() == 0);
}

}  // namespace
}  // namespace muster::agent_test

#endif
