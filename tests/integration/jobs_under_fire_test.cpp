#include "base/prng.h"
#include "tests/integration/three_server_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// A job on three servers while servers, agents and engines are killed: every system ends exactly
// once, and what its command does happens once.
namespace muster::integration {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

// MUSTER_FIRE_SEED repeats a run, as far as real processes can be repeated.
std::uint64_t seed_of_this_run() {
    const char* const given = std::getenv("MUSTER_FIRE_SEED");  // NOLINT(concurrency-mt-unsafe)
    return given == nullptr ? 20261116 : std::stoull(given);
}

class real_agents {
public:
    real_agents(const three_servers& of, const std::filesystem::path& ca, std::size_t count)
        : ca_(ca) {
        for (const auto& url : of.urls()) servers_ += (servers_.empty() ? "" : ",") + url;
        for (std::size_t n = 0; n < count; ++n) running_.push_back(launch(n));
    }

    void kill_and_restart(std::size_t index) {
        running_[index]->kill();
        running_[index] = launch(index);
    }
    std::size_t size() const { return running_.size(); }

private:
    std::unique_ptr<harness::process> launch(std::size_t number) const {
        const auto name = "fire-" + std::to_string(number);
        return std::make_unique<harness::process>(harness::command{
            .argv =
                {MUSTER_AGENT_PROGRAM,
                 "run",
                 "--server",
                 servers_,
                 "--ca",
                 ca_,
                 "--data",
                 home_.path() / name,
                 "--name",
                 name,
                 "--poll-interval",
                 "1s",
                 "--retry-max",
                 "2s"},
            .environment = {},
            .output = home_.path() / (name + ".log"),
            .user = {}});
    }

    harness::temporary_directory home_{"fire"};
    std::filesystem::path ca_;
    std::string servers_;
    std::vector<std::unique_ptr<harness::process>> running_;
};

// Takes some seconds, then adds a line to the file that has its agent's name. How many seconds
// follows from the seed and the agent's number.
std::string slow_command(const std::filesystem::path& effects, prng& random) {
    const auto factor = std::to_string(5 + 12 * random.below(100));  // has no divisor of twelve
    const auto shift = std::to_string(random.below(12));
    return "name=$(tr '\\0' ' ' </proc/$PPID/cmdline | sed 's/.*--name \\([^ ]*\\).*/\\1/'); "
           "sleep $(( (${name#fire-} * "
           + factor + " + " + shift + ") % 12 )); echo done >> " + effects.string() + "/$name";
}

enum class misfortune { server, agents, bus, ledger };
constexpr std::array all_kinds{
    misfortune::server, misfortune::agents, misfortune::bus, misfortune::ledger};
constexpr std::size_t misfortunes = 12;
constexpr std::size_t agents_killed_at_once = 4;

// Each kind comes at least once, in an order that is the seed's.
std::vector<misfortune> drawn(prng& random) {
    std::vector<misfortune> all(all_kinds.begin(), all_kinds.end());
    while (all.size() < misfortunes) all.push_back(all_kinds.at(random.below(all_kinds.size())));
    for (std::size_t n = all.size(); n > 1; --n) std::swap(all[n - 1], all[random.below(n)]);
    return all;
}

void happen(misfortune what, three_servers& all, real_agents& agents, prng& random) {
    switch (what) {
        case misfortune::server: {
            const auto which = random.below(3);
            all[which].kill();
            all[which].start();
            return;
        }
        case misfortune::agents:
            for (std::size_t n = 0; n < agents_killed_at_once; ++n)
                agents.kill_and_restart(random.below(agents.size()));
            return;
        case misfortune::bus:
            all.nats().kill(0);
            all.nats().launch(0);
            return;
        case misfortune::ledger:
            all.postgres().kill();
            all.postgres().start();
            return;
    }
}

std::size_t lines_in(const std::filesystem::path& file) {
    std::istringstream text(text_of(file));
    std::size_t count = 0;
    for (std::string line; std::getline(text, line);) ++count;
    return count;
}

// What the ledger's own tools read: lines of words.
std::vector<std::string> on_record(three_servers& all, const std::string& question) {
    const auto response = run(
        {"psql",
         "--no-psqlrc",
         "--tuples-only",
         "--no-align",
         "--field-separator= ",
         "--command=" + question,
         all.postgres().address("muster")});
    REQUIRE_MESSAGE(response.exit_code == 0, response.output);
    std::istringstream text(response.output);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

// Each system by itself: what is completed ran once, what failed ran at most once.
void check_effects(three_servers& all, const std::filesystem::path& effects, std::size_t count) {
    const auto response = on_record(
        all,
        "SELECT s.name, t.state FROM tasks t JOIN systems s ON s.number = t.\"system\" "
        "ORDER BY s.name");
    REQUIRE(response.size() == count);
    for (const auto& each : response) {
        const auto name = each.substr(0, each.find(' '));
        const auto state = each.substr(each.find(' ') + 1);
        const auto lines = lines_in(effects / name);
        INFO(name, " is ", state, " and has ", lines, " lines");
        if (state == "completed") CHECK(lines == 1);
        // A command whose agent was killed may have ended all the same.
        if (state == "failed") CHECK(lines <= 1);
    }
}

TEST_CASE(
    "servers, agents and engines are killed during a job: each system ends once, and ran once") {
    constexpr std::size_t count = 200;
    const auto seed = seed_of_this_run();
    CAPTURE(seed);
    prng random(seed);
    three_servers all;
    const harness::temporary_directory effects("effects");
    real_agents agents(all, all[0].data() / "ca.pem", count);
    wait_until_new(all[0], count);
    const auto accepted =
        all[0].cli({"keys", "accept", "name:fire-*", "--zone", "default", "--yes"});
    REQUIRE_MESSAGE(accepted.exit_code == 0, accepted.output);
    wait_until_attached(all[0], count);

    const auto request = all[0].cli(
        {"run",
         "name:fire-*",
         "--yes",
         "--async",
         "--timeout",
         "5m",
         "--",
         "sh",
         "-c",
         slow_command(effects.path(), random)});
    REQUIRE_MESSAGE(request.exit_code == 0, request.output);
    const auto job = request.output.substr(0, request.output.find('\n'));
    for (const auto each : drawn(random)) happen(each, all, agents, random);
    for (std::size_t n = 0; n < 3; ++n) all[n].wait_until_ready();

    json::value output;
    harness::eventually(
        "the job is done",
        [&] {
            const auto response = all[0].cli({"job", job, "-o", "json"});
            if (response.exit_code == 4 || response.output.empty()) return false;
            json::error_code failed;
            output = json::parse(response.output, failed);
            return !failed && output.at("stage") == "done";
        },
        240s);
    const auto& counts = output.at("counts");
    const auto completed = counts.at("completed").to_number<std::size_t>();
    const auto failed = counts.at("failed").to_number<std::size_t>();
    CHECK(completed + failed == count);
    CHECK(completed >= count / 2);
    const auto ends = on_record(
        all,
        "SELECT count(*), count(DISTINCT \"system\"), "
        "count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed') "
        "FROM tasks");
    CHECK(
        ends
        == std::vector<std::string>{
            std::to_string(count) + " " + std::to_string(count) + " " + std::to_string(completed)
            + " " + std::to_string(failed)});
    check_effects(all, effects.path(), count);
    const auto why = all[0].cli({"job", job, "--failed", "-o", "json"}).output;
    for (const auto& each : json::parse(why).as_array())
        CHECK_MESSAGE(
            json::value_to<std::string>(each.at("reason")).contains("interrupted"),
            json::serialize(each));
}

}  // namespace
}  // namespace muster::integration
