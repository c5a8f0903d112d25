// What group commit is worth: durable compare-and-sets a second of the embedded metastore, each
// caller on keys of its own, from one caller and from many, in the same run.
//
//   bench_metastore_sqlite          measures and prints both, with the ratio
//
// CPU time is that of this whole process: callers, event loop and store thread.
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "bench/measure.h"
#include "ports/contract/run_concurrently.h"
#include "runtime/clock.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr int callers = 512;
constexpr int keys_a_caller = 100;
constexpr std::size_t value_bytes = 300;
constexpr auto round_time = 1s;
constexpr int rounds = 3;
constexpr double wanted_rate = 20'000;

struct tally {
    std::uint64_t transactions = 0;
    std::uint64_t file_commits = 0;
    double seconds = 0;
    double cpu = 0;

    double rate() const { return static_cast<double>(transactions) / seconds; }
    double group() const {
        return static_cast<double>(transactions) / static_cast<double>(file_commits);
    }
    double cpu_microseconds() const { return 1e6 * cpu / static_cast<double>(transactions); }
};

// Each transaction writes a key if nobody else did since it was last written.
awaitable<void> compare_and_set_until(metastore& store, int name, instant end) {
    std::vector<kv::revision> written(keys_a_caller);
    for (std::size_t i = 0; runtime::monotonic_now() < end; i = (i + 1) % keys_a_caller) {
        const auto key = fmt::format("bench/{}/{}", name, i);
        kv::transaction change{.then = {kv::put{key, std::string(value_bytes, 'v')}}};
        if (written[i]) change.when.emplace_back(kv::unchanged{key, written[i]});
        const auto outcome = co_await store.commit(std::move(change));
        if (!outcome) throw std::runtime_error(to_string(outcome.error()));
        if (!outcome->committed)
            throw std::runtime_error("key was modified by another caller: " + key);
        written[i] = outcome->at;
    }
}

void measure(sqlite_metastore& store, int callers_now, tally& into) {
    const auto before = store.statistics();
    const auto cpu_before = bench::own_cpu_seconds();
    const auto start = runtime::monotonic_now();
    std::vector<awaitable<void>> all;
    for (int name = 0; name < callers_now; ++name) {
        all.push_back(compare_and_set_until(store, name, start + round_time));
    }
    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));
    const auto after = store.statistics();
    into.seconds += std::chrono::duration<double>(runtime::monotonic_now() - start).count();
    into.cpu += bench::own_cpu_seconds() - cpu_before;
    into.transactions += after.transactions - before.transactions;
    into.file_commits += after.file_commits - before.file_commits;
}

void print(const char* name, const tally& result) {
    fmt::print(
        "{:<12} {:>8.0f} transactions/s  {:>6.1f} per durable commit  {:>6.1f} us CPU each\n",
        name,
        result.rate(),
        result.group(),
        result.cpu_microseconds());
}

int run() {
    const harness::temporary_directory directory("bench");
    auto opened = sqlite_metastore::open(directory.path() / "metastore.db");
    if (!opened) throw std::runtime_error(to_string(opened.error()));
    tally one_by_one;
    tally grouped;
    for (int i = 0; i < rounds; ++i) {
        measure(**opened, 1, one_by_one);
        measure(**opened, callers, grouped);
    }
    fmt::print("SQLite metastore, values of {} bytes, {} callers\n", value_bytes, callers);
    print("one by one", one_by_one);
    print("grouped", grouped);
    fmt::print("ratio        {:>8.1f}\n", grouped.rate() / one_by_one.rate());
    bench::check_at_least(
        {.name = "durable transactions", .measured = grouped.rate(), .unit = "per second"},
        wanted_rate);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& /*arguments*/) { return muster::run(); });
}
