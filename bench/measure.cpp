#include "bench/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>
#include <exception>
#include <string_view>

namespace muster::bench {

double own_cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& span) {
        return static_cast<double>(span.tv_sec) + 1e-6 * static_cast<double>(span.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double cpu_seconds_of(pid_t process) {
    if (process == 0) return 0;
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
        throw std::runtime_error("process " + std::to_string(process) + " not found");
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

namespace {

int missed_goals = 0;

void print_goal(const goal& figure, std::string_view bound, double limit, bool met) {
    if (!met) ++missed_goals;
    fmt::print(
        "goal: {}: {:.6g}{}{} ({} {:.6g}): {}\n",
        figure.name,
        figure.measured,
        figure.unit.empty() ? "" : " ",
        figure.unit,
        bound,
        limit,
        met ? "met" : "MISSED");
}

}  // namespace

void check_at_most(const goal& figure, double limit) {
    print_goal(figure, "at most", limit, figure.measured <= limit);
}

void check_at_least(const goal& figure, double limit) {
    print_goal(figure, "at least", limit, figure.measured >= limit);
}

void forward_line(const std::string& line) {
    if (line.starts_with("goal: ") && line.ends_with("MISSED")) ++missed_goals;
    fmt::print("{}\n", line);
}

int run(int argc, char** argv, const std::function<int(std::vector<std::string>)>& body) {
    std::vector<std::string> arguments(argv, argv + argc);
    const bool strict = std::erase(arguments, "--strict") > 0;
    try {
        const int code = body(arguments);
        return code == 0 && strict && missed_goals > 0 ? 1 : code;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "{}: {}\n", arguments.front(), failure.what());
        return 1;
    }
}

}  // namespace muster::bench
