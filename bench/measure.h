#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// What the benchmarks share: CPU time as the kernel books it, and how they begin and end.
namespace muster::bench {

double own_cpu_seconds();
// Of a living process; 0 for process 0.
double cpu_seconds_of(pid_t process);

// A benchmark goes on only with what it asked for.
template <class T>
T must(result<T> outcome) {
    if (!outcome) throw std::runtime_error(to_string(outcome.error()));
    if constexpr (!std::is_void_v<T>) return *std::move(outcome);
}

// A figure that is wanted. Each is told on a line of its own, which tools/bench.sh gathers:
//   goal: NAME: 1.23 us, at most 1.5 us wanted: met
struct goal {
    std::string what;
    double measured = 0;
    std::string unit = {};
};
void wanted_at_most(const goal& figure, double limit);
void wanted_at_least(const goal& figure, double limit);
// A line that a process of ours has told; a goal in it counts as ours.
void pass_on(const std::string& line);

// The exit code for main(): 1 with a sentence when `body` throws. A missed goal says something of
// the machine, too, so it is an error with `--strict` only, which `body` does not see.
int run(int count, char** words, const std::function<int(std::vector<std::string>)>& body);

}  // namespace muster::bench
