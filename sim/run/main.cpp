#include "apps/command_line/command.h"
#include "apps/command_line/parse.h"
#include "sim/run/campaign.h"
#include "sim/run/duration.h"
#include "sim/run/last_words.h"
#include "sim/run/library.h"

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

int list(const library& scenarios) {
    for (const auto& name : scenarios.names()) {
        const auto found = scenarios.load(name);
        fmt::print("{:<32} {}\n", name, found ? found->what : to_string(found.error()));
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

void declare(command_line::command& program, arguments& wanted) {
    program.add_option("--scenario", wanted.scenario_name, "which one to play; all when left out");
    program.add_option("--seed", wanted.campaign.seed, "the first seed")->positive();
    program.add_option("--seeds", wanted.campaign.seeds, "how many seeds to play")
        ->between(1, 100'000'000);
    program.add_option("--for", wanted.duration, "how much simulated time, such as 10m or 1h");
    program.add_option("--jobs", wanted.campaign.jobs, "how many seeds at the same time")
        ->between(1, 256);
    program.add_option("--scenarios", wanted.directory, "the directory of the scenario files");
    program.add_flag("--trace", wanted.campaign.trace, "print everything that happens");
    program.add_flag("--list", wanted.only_list, "list the scenarios and end");
    program.footer(
        "Examples:\n"
        "  muster-sim --scenario counters_under_fire --seeds 100 --for 1h\n"
        "  muster-sim --scenario leases_fence --seed 4711 --trace | less");
}

int play(const library& scenarios, const arguments& wanted) {
    campaign all(wanted.campaign);
    const auto names =
        wanted.scenario_name.empty() ? scenarios.names() : std::vector{wanted.scenario_name};
    for (const auto& name : names) {
        auto what = scenarios.load(name);
        if (!what) return complain(what.error());
        if (!wanted.duration.empty()) {
            const auto span = parse_duration(wanted.duration);
            if (!span) return complain(span.error());
            what->duration = *span;
        }
        all.play(*what);
    }
    return all.report() ? 0 : 1;
}

int run_program(int argc, char** argv) {
    command_line::program program(
        "muster-sim", "Plays scenarios of a simulated cluster, seed by seed.");
    arguments wanted;
    declare(program.root(), wanted);
    switch (command_line::parse(program.root(), {argv + 1, argv + argc})) {
        case command_line::parsed::chosen:
            break;
        case command_line::parsed::answered:
            return 0;
        case command_line::parsed::wrong:
            return exit_wrong_usage;
    }
    const library scenarios(wanted.directory);
    if (scenarios.names().empty()) {
        return complain({errc::not_found, "no scenarios in " + wanted.directory});
    }
    return wanted.only_list ? list(scenarios) : play(scenarios, wanted);
}

}  // namespace
}  // namespace muster::sim

int main(int argc, char** argv) {
    muster::sim::last_words::say_when_dying();
    return muster::sim::run_program(argc, argv);
}
