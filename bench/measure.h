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

// The exit code for main(): 1 with a sentence when `body` throws.
int run(int count, char** words, const std::function<int(std::vector<std::string>)>& body);

}  // namespace muster::bench
