#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Shared by the benchmarks: CPU time as the kernel counts it, goals, and main().
namespace muster::bench {

double own_cpu_seconds();
// CPU time of a running process; 0 for process 0.
double cpu_seconds_of(pid_t process);

// Returns the value, or throws the error.
template <class T>
T must(result<T> outcome) {
    if (!outcome) throw std::runtime_error(to_string(outcome.error()));
    if constexpr (!std::is_void_v<T>) return *std::move(outcome);
}

// A measured value with a limit. Each is printed on its own line, which tools/bench.sh parses:
//   goal: NAME: 1.23 us (at most 1.5): met
struct goal {
    std::string name;
    double measured = 0;
    std::string unit = {};
};
void check_at_most(const goal& figure, double limit);
void check_at_least(const goal& figure, double limit);
// Prints a line of a child process; a missed goal in it counts.
void forward_line(const std::string& line);

// The exit code for main(): 1 with a message if `body` throws. A missed goal is an error only with
// `--strict`, because it also depends on the machine; `body` does not see that flag.
int run(int argc, char** argv, const std::function<int(std::vector<std::string>)>& body);

}  // namespace muster::bench
