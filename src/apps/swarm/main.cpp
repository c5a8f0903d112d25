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
    "Agents start as New: accept them (`muster keys accept 'name:swarm-*' --zone default`), or "
    "give\n"
    "them an activation key that a rule accepts. One process has at most as many agents as it may\n"
    "have open files.\n";

constexpr int ok = 0;
constexpr int failed = 1;
constexpr int usage_error = 2;
constexpr std::int64_t payload_max = std::int64_t{4} * 1024 * 1024;  // limit of agents

}  // namespace

int main(int argc, char** argv) {
    using namespace muster;
    command_line::program program(
        "muster-swarm", "Many real agents in one process, for tests of load");
    auto& root = program.root();
    swarm::swarm_options options;
    std::string hold = "0s";
    std::string payload = "0B";
    root.add_option("--server", options.entries, "Where the cluster is; several with commas")
        ->required()
        ->delimiter(',')
        ->type_name("URL");
    root.add_option("--ca", options.ca, "The cluster's CA")
        ->required()
        ->existing_file()
        ->type_name("FILE");
    root.add_option("--count", options.count, "How many agents")
        ->between(1, 1'000'000)
        ->show_default();
    root.add_option("--first", options.first, "The number of the first one")->show_default();
    root.add_option("--rate", options.rate, "How many start a second")->positive()->show_default();
    root.add_option("--seed", options.seed, "What their keys follow from")->show_default();
    root.add_option("--name", options.name_prefix, "What their names begin with")->show_default();
    root.add_option("--activation-key", options.activation_key, "Shown when they enrol")
        ->type_name("KEY");
    root.add_option("--loops", options.loops, "Event loops")->between(1, 64)->show_default();
    root.add_option("--for", hold, "How long, such as 10m; 0s until a signal")
        ->type_name("DURATION")
        ->show_default();
    root.add_option(
            "--payload", payload, "How much each task returns, such as 1MiB; test.ping aside")
        ->type_name("SIZE")
        ->show_default();
    root.add_option("--attached-file", options.attached_file, "Written once all are attached")
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
