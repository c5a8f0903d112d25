#include "apps/command_line/command.h"
#include "apps/command_line/parse.h"
#include "apps/swarm/agents/swarm.h"
#include "runtime/settings/units.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster-swarm --server https://127.0.0.1:8443 --ca DIR/ca.pem --count 1000\n"
    "  muster-swarm --server https://m1:8443,https://m2:8443 --ca ca.pem --count 18000 \\\n"
    "      --rate 400 --loops 2 --for 10m --activation-key load-test\n"
    "\n"
    "New agents must be accepted: run `muster keys accept 'name:swarm-*' --zone default`, or set\n"
    "an activation key that a rule accepts. The limit of open files limits the number of agents.\n";

constexpr int ok = 0;
constexpr int failed = 1;
constexpr int usage_error = 2;
constexpr std::int64_t payload_max = std::int64_t{4} * 1024 * 1024;  // limit of agents

}  // namespace

int main(int argc, char** argv) {
    using namespace muster;
    command_line::program program("muster-swarm", "Run many agents in one process for load tests");
    auto& root = program.root();
    swarm::swarm_options options;
    std::string hold = "0s";
    std::string payload = "0B";
    root.add_option("--server", options.entries, "Gateway addresses, separated by commas")
        ->required()
        ->delimiter(',')
        ->type_name("URL");
    root.add_option("--ca", options.ca, "CA certificate of the cluster")
        ->required()
        ->existing_file()
        ->type_name("FILE");
    root.add_option("--count", options.count, "Number of agents")
        ->between(1, 1'000'000)
        ->show_default();
    root.add_option("--first", options.first, "Number of the first agent")->show_default();
    root.add_option("--rate", options.rate, "Agents started per second")
        ->positive()
        ->show_default();
    root.add_option("--seed", options.seed, "Seed of the agents' keys")->show_default();
    root.add_option("--name", options.name_prefix, "Prefix of the agents' names")->show_default();
    root.add_option("--activation-key", options.activation_key, "Activation key for enrolment")
        ->type_name("KEY");
    root.add_option("--loops", options.loops, "Number of event loops")
        ->between(1, 64)
        ->show_default();
    root.add_option("--for", hold, "Duration of the run, for example 10m; 0s: until a signal")
        ->type_name("DURATION")
        ->show_default();
    root.add_option(
            "--payload", payload, "Output size of each task except test.ping, for example 1MiB")
        ->type_name("SIZE")
        ->show_default();
    root.add_option(
            "--attached-file", options.attached_file, "File created when all agents are attached")
        ->type_name("FILE");
    root.footer(examples);
    const auto parsed = command_line::parse(root, std::vector<std::string>(argv + 1, argv + argc));
    if (parsed == command_line::parse_outcome::help_printed) return ok;
    if (parsed == command_line::parse_outcome::invalid) return usage_error;
    const auto duration = runtime::parse_duration(hold);
    if (!duration) {
        fmt::print(stderr, "muster-swarm: --for: {}\n", duration.error().detail());
        return usage_error;
    }
    const auto size = runtime::parse_size(payload);
    if (!size || *size > payload_max) {
        fmt::print(stderr, "muster-swarm: --payload must be a size up to 4MiB\n");
        return usage_error;
    }
    options.payload = static_cast<std::size_t>(*size);
    options.hold = std::chrono::ceil<std::chrono::seconds>(*duration);
    const auto outcome = swarm::run_swarm(std::move(options));
    if (!outcome) {
        fmt::print(stderr, "muster-swarm: {}\n", to_string(outcome.error()));
        return failed;
    }
    return *outcome ? ok : failed;
}
