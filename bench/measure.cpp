#include "bench/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <exception>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>

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
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(in, line) || !line.contains(')'))
        throw std::runtime_error("process " + std::to_string(process) + " is gone");
    // The second field is the program's name in brackets, and may hold anything.
    std::istringstream rest(line.substr(line.rfind(')') + 1));
    std::string word;
    double ticks = 0;
    for (int field = 3; rest >> word; ++field)
        if (field == 14 || field == 15) ticks += std::stod(word);
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

namespace {

int missed_goals = 0;

void tell(const goal& figure, std::string_view bound, double limit, bool met) {
    if (!met) ++missed_goals;
    fmt::print(
        "goal: {}: {:.6g}{}{}, {} {:.6g} wanted: {}\n",
        figure.what,
        figure.measured,
        figure.unit.empty() ? "" : " ",
        figure.unit,
        bound,
        limit,
        met ? "met" : "MISSED");
}

}  // namespace

void wanted_at_most(const goal& figure, double limit) {
    tell(figure, "at most", limit, figure.measured <= limit);
}

void wanted_at_least(const goal& figure, double limit) {
    tell(figure, "at least", limit, figure.measured >= limit);
}

void pass_on(const std::string& line) {
    if (line.starts_with("goal: ") && line.ends_with("MISSED")) ++missed_goals;
    fmt::print("{}\n", line);
}

int run(int count, char** words, const std::function<int(std::vector<std::string>)>& body) {
    std::vector<std::string> arguments(words, words + count);
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
