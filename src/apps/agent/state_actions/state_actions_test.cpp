#include "adapters/os/file.h"
#include "apps/agent/state_actions/child.h"
#include "apps/agent/state_actions/state_action_runner.h"
#include "runtime/clock.h"
#include "tests/harness/process.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace muster::agent {
namespace {

using harness::run_sync;
using namespace std::chrono_literals;

runtime::system_clock& the_clock() {
    static runtime::system_clock clock;
    return clock;
}

TEST_CASE("a list of actions is read, and a wrong one is named") {
    CHECK(parse_actions("").value().empty());
    CHECK(
        parse_actions(" stop; run echo a | tee b ;start;").value()
        == actions{stop_backend{}, run_command{"echo a | tee b"}, start_backend{}});

    const auto wrong = parse_actions("stop; explode");

    CHECK(wrong.error().detail().starts_with("unknown action \"explode\""));
    CHECK_FALSE(parse_actions("run ").has_value());
}

TEST_CASE("a command's failure says its exit code and what it said last") {
    CHECK(run_sync(run_child(the_clock(), {.command = "true"})).has_value());

    const auto failed =
        run_sync(run_child(the_clock(), {.command = "echo no such unit >&2; exit 5"}));

    CHECK(failed.error().code() == errc::unavailable);
    CHECK(failed.error().detail().ends_with("exit code 5: no such unit"));
}

// An hour passes at the moment the file is there, but not before somebody has looked at the time.
class clock_that_jumps final : public clock {
public:
    explicit clock_that_jumps(std::filesystem::path when) : when_(std::move(when)) {}

    instant now() const override {
        const bool looked = std::exchange(looked_, true);
        return the_clock().now() + (looked && std::filesystem::exists(when_) ? 1h : 0h);
    }
    wall_time wall() const override { return the_clock().wall(); }
    async<void> sleep_until(instant /*when*/) override { return the_clock().sleep_for(1ms); }

private:
    std::filesystem::path when_;
    mutable bool looked_ = false;
};

// One that has ended may still wait for its parent to notice.
bool runs(const std::string& pid) {
    std::ifstream in("/proc/" + pid + "/stat");
    const std::string stat(std::istreambuf_iterator<char>(in), {});
    const auto name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat.at(name_end + 2) != 'Z';
}

TEST_CASE("a command that takes too long is killed with everything it started") {
    const harness::temporary_directory home("scenario");
    const auto mark = (home.path() / "mark").string();
    clock_that_jumps clock(mark);
    const auto write_pid = "echo $! > " + mark + "~; mv " + mark + "~ " + mark;

    const auto late = run_sync(
        run_child(clock, {.command = "sleep 600 & " + write_pid + "; sleep 600", .limit = 10min}));

    CHECK(late.error().code() == errc::timed_out);
    auto started = os::load_file(mark).value();
    started.pop_back();  // the newline
    REQUIRE(std::stol(started) > 1);
    harness::eventually("what it started is gone", [&] { return !runs(started); });
}

// salt-minion played by a file that says what was done with it.
struct salted {
    harness::temporary_directory home{"scenario"};
    std::filesystem::path config = home.path() / "minion.d" / "muster.conf";
    std::filesystem::path diary = home.path() / "diary";
    state_action_runner acts{
        {.actions = default_actions(backend::salt),
         .config = config,
         .start_command = "echo start $MUSTER_NODE >> " + diary.string(),
         .stop_command = "echo stop >> " + diary.string()},
        the_clock()};

    void told(system_state state, const std::string& host = {}) {
        REQUIRE(run_sync(acts.run(state, host)).has_value());
    }
    std::string done() const { return os::load_file(diary).value_or(""); }
    std::string settings() const { return os::load_file(config).value_or("none"); }
};

TEST_CASE("salt's minion is stopped as an orphan and started with its node as master") {
    salted system;

    system.told(system_state::orphan);
    CHECK(system.done() == "stop\n");
    CHECK(system.settings() == "none");
    system.told(system_state::onboarded, "node1.acme.org");

    CHECK(system.settings() == "# Written by muster-agent.\nmaster: node1.acme.org\n");
    CHECK(system.done() == "stop\nstop\nstart node1.acme.org\n");
    struct stat stat{};
    REQUIRE(::stat(system.config.c_str(), &stat) == 0);
    CHECK((stat.st_mode & 0777U) == 0600U);
}

TEST_CASE("a minion whose master is the same is not restarted, another master keeps a backup") {
    salted system;
    system.told(system_state::onboarded, "node1");
    CHECK(system.done() == "stop\nstart node1\n");

    system.told(system_state::onboarded, "node1");
    CHECK(system.done() == "stop\nstart node1\nstart node1\n");
    system.told(system_state::onboarded, "node2");

    CHECK(system.settings().ends_with("master: node2\n"));
    CHECK(os::load_file(system.config.string() + "~").value().ends_with("master: node1\n"));
    CHECK(system.done().ends_with("stop\nstart node2\n"));
}

TEST_CASE("a failing action ends the list, and doing it again goes on") {
    const harness::temporary_directory home("scenario");
    const auto gate = (home.path() / "gate").string();
    const auto mark = (home.path() / "mark").string();
    state_actions state_actions;
    state_actions.fresh = parse_actions("run test -e " + gate + "; run touch " + mark).value();
    state_action_runner acts({.actions = state_actions}, the_clock());

    CHECK_FALSE(run_sync(acts.run(system_state::fresh, "")).has_value());
    CHECK_FALSE(std::filesystem::exists(mark));
    REQUIRE(os::save_file({.file = gate, .text = ""}).has_value());
    CHECK(run_sync(acts.run(system_state::fresh, "")).has_value());

    CHECK(std::filesystem::exists(mark));
    CHECK(run_sync(acts.run(system_state::deleted, "")).has_value());
}

}  // namespace
}  // namespace muster::agent
