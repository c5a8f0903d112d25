#include "apps/command_line/command.h"
#include "apps/command_line/parse.h"
#include "sim/run/campaign.h"
#include "sim/run/crash_reporter.h"
#include "sim/run/duration.h"
#include "sim/run/scenario_directory.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace muster::sim {
namespace {

constexpr int exit_wrong_usage = 2;

int complain(const error& failure) {
    fmt::print(stderr, "muster-sim: {}\n", failure.detail());
    return exit_wrong_usage;
}

int list(const scenario_directory& scenarios) {
    for (const auto& name : scenarios.names()) {
        const auto loaded = scenarios.load(name);
        fmt::print("{:<32} {}\n", name, loaded ? loaded->description : to_string(loaded.error()));
    }
    return 0;
}

struct arguments {
    std::string scenario_name;
    std::string directory = MUSTER_SIM_SCENARIOS;
    std::string duration;
    bool only_list = false;
    campaign_options campaign;
};

void declare(command_line::command& program, arguments& arguments) {
    program.add_option("--scenario", arguments.scenario_name, "Scenario to run (default: all)");
    program.add_option("--seed", arguments.campaign.seed, "First seed")->positive();
    program.add_option("--seeds", arguments.campaign.seeds, "Number of seeds to run")
        ->between(1, 100'000'000);
    program.add_option(
        "--for",
        arguments.duration,
        "Simulated time, such as 10m or 1h (default: set by the scenario)");
    program.add_option("--jobs", arguments.campaign.jobs, "Number of seeds to run in parallel")
        ->between(1, 256);
    program.add_option("--scenarios", arguments.directory, "Directory of scenario files");
    program.add_flag("--trace", arguments.campaign.trace, "Print all events");
    program.add_flag("--list", arguments.only_list, "List scenarios and exit");
    program.footer(
        "Examples:\n"
        "  muster-sim --scenario counters_under_fire --seeds 100 --for 1h\n"
        "  muster-sim --scenario leases_fence --seed 4711 --trace | less");
}

int play(const scenario_directory& scenarios, const arguments& arguments) {
    sim::campaign campaign(arguments.campaign);
    const auto names =
        arguments.scenario_name.empty() ? scenarios.names() : std::vector{arguments.scenario_name};
    for (const auto& name : names) {
        auto scenario = scenarios.load(name);
        if (!scenario) return complain(scenario.error());
        if (!arguments.duration.empty()) {
            const auto span = parse_duration(arguments.duration);
            if (!span) return complain(span.error());
            scenario->duration = *span;
        }
        campaign.play(*scenario);
    }
    return campaign.report() ? 0 : 1;
}

int run_program(int argc, char** argv) {
    command_line::program program("muster-sim", "Run scenarios of a simulated cluster.");
    arguments arguments;
    declare(program.root(), arguments);
    switch (command_line::parse(program.root(), {argv + 1, argv + argc})) {
        case command_line::parse_outcome::chosen:
            break;
        case command_line::parse_outcome::help_printed:
            return 0;
        case command_line::parse_outcome::invalid:
            return exit_wrong_usage;
    }
    const scenario_directory scenarios(arguments.directory);
    if (scenarios.names().empty()) {
        return complain({errc::not_found, "no scenarios in " + arguments.directory});
    }
    return arguments.only_list ? list(scenarios) : play(scenarios, arguments);
}

}  // namespace
}  // namespace muster::sim

int main(int argc, char** argv) {
    muster::sim::crash_reporter::install_handlers();
    return muster::sim::run_program(argc, argv);
}
