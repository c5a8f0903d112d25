#include "apps/agent/process/orphan_processes.h"

#include "apps/agent/process/child_process.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <fstream>
#include <unistd.h>

namespace muster::agent {
namespace {

TEST_CASE("a mark is the same after the journal kept it, and nonsense is no mark") {
    const process_identity mark{
        .leader = 4711, .started = 99, .boot = "a-b", .variable = "MUSTER_JOB=7"};

    CHECK(decode_process_identity(encode(mark)).value() == mark);
    CHECK(decode_process_identity("1 2\n").error().code() == errc::corrupt);
    CHECK(decode_process_identity("").error().code() == errc::corrupt);
    CHECK(decode_process_identity("x y\nb\nv").error().code() == errc::corrupt);
}

// A session with a leader and what it started.
std::unique_ptr<child_process> started(const std::string& line) {
    auto result = child_process::start(
        {.argv = {"/bin/sh", "-c", line},
         .environment = {"MUSTER_JOB=7", "PATH=/usr/bin:/bin"},
         .directory = "/",
         .account = find_account("", "").value(),
         .umask = std::nullopt,
         .input = {}});
    REQUIRE(result.has_value());
    return *std::move(result);
}

TEST_CASE("what is left of a session is killed when all that is known of it fits") {
    auto child = started("sleep 600 & wait");
    const auto mark = find_process_identity(child->pid(), "boot 1\n", "MUSTER_JOB=7");
    REQUIRE(mark.has_value());

    CHECK(kill_orphans(*mark, "boot 2\n") == 0);
    auto other = *mark;
    other.started += 1;
    other.variable = "MUSTER_JOB=8";
    CHECK(kill_orphans(other, "boot 1\n") == 0);
    CHECK_FALSE(child->poll_end(false).has_value());

    CHECK(kill_orphans(*mark, "boot 1\n") >= 1);

    harness::eventually(
        "all of them are gone", [&] { return kill_orphans(*mark, "boot 1\n") == 0; });
    CHECK(child->poll_end(false).has_value());
}

TEST_CASE("a name with brackets in it does not hide a process") {
    const harness::temporary_directory proc("proc");
    std::filesystem::create_directory(proc.path() / "77");
    std::ofstream(proc.path() / "77" / "stat")
        << "77 (a) R 1) S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 9 9\n";

    CHECK(find_process_identity(77, "b", "", proc.path())->started == 12345);
    CHECK_FALSE(find_process_identity(78, "b", "", proc.path()).has_value());
}

}  // namespace
}  // namespace muster::agent
