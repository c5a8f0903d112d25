// What coalescing is worth: compare-and-sets a second of concurrent callers, each on a key of its
// own, against the same etcd, one by one and coalesced, in the same run.
//
//   bench_metastore_etcd            measures and prints all three, with the ratio
//
// One by one means: each compare-and-set is a transaction and a request of its own, those of all
// callers under way at the same time. That is the reference; one caller alone is shown beside it.
// CPU time is what the kernel booked on the etcd process and on this one: what coalescing saves. By
// rate less of it shows: 64 callers who wait for their answers send one request at a time, and most
// of its time etcd waits for its disk and for its own threads to wake.
#include "adapters/metastore/etcd/etcd_metastore.h"
#include "bench/measure.h"
#include "ports/contract/run_concurrently.h"
#include "runtime/clock.h"
#include "tests/harness/etcd_cluster.h"
#include "tests/harness/real_event_loop.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace muster {
namespace {

using bench::cpu_seconds_of;
using bench::must;
using bench::own_cpu_seconds;
using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr int callers = 64;
constexpr int keys_there = 20'000;
constexpr int keys_a_put = 100;
constexpr auto round_time = 2s;
constexpr int rounds = 3;

struct tally {
    std::uint64_t done = 0;
    double seconds = 0;
    double cpu_seconds = 0;
    double own_cpu_seconds = 0;
    etcd_counters counters;

    double rate() const { return static_cast<double>(done) / seconds; }
    double microseconds_each(double all) const { return 1e6 * all / static_cast<double>(done); }
    double cost() const { return microseconds_each(cpu_seconds + own_cpu_seconds); }
    double batch() const {
        return static_cast<double>(counters.commits) / static_cast<double>(counters.batches);
    }

    void add(const tally& more) {
        done += more.done;
        seconds += more.seconds;
        cpu_seconds += more.cpu_seconds;
        own_cpu_seconds += more.own_cpu_seconds;
        counters.commits += more.counters.commits;
        counters.batches += more.counters.batches;
    }
};

awaitable<void> fill(muster::metastore& metastore) {
    for (int first = 0; first < keys_there; first += keys_a_put) {
        kv::transaction change;
        for (int i = first; i < first + keys_a_put; ++i) {
            change.then.push_back(
                kv::put{.key = fmt::format("fill/{:08}", i), .value = std::string(300, 'v')});
        }
        must(co_await metastore.commit(std::move(change)));
    }
}

awaitable<void> call(
    muster::metastore& metastore, std::string key, instant until, std::uint64_t& done) {
    runtime::system_clock clock;
    kv::transaction first{.when = {}, .then = {kv::put{.key = key, .value = "0"}}};
    auto at = must(co_await metastore.commit(std::move(first))).at;
    while (clock.now() < until) {
        kv::transaction change{
            .when = {kv::unchanged{.key = key, .modified = at}},
            .then = {kv::put{.key = key, .value = std::to_string(at.value())}}};
        const auto outcome = must(co_await metastore.commit(std::move(change)));
        if (!outcome.committed) throw std::runtime_error("key was modified by another caller");
        at = outcome.at;
        ++done;
    }
}

struct load {
    int callers;
    etcd_options::commits mode;
};

tally measure(harness::etcd_cluster& cluster, load load) {
    harness::real_event_loop loop;
    const auto store = must(etcd_metastore::open(
        {.endpoints = cluster.endpoints(), .request_deadline = 5s, .commit_mode = load.mode}));
    tally result;
    const auto cpu_before = cpu_seconds_of(cluster.pid(0));
    const auto own_before = own_cpu_seconds();
    const auto begin = loop.clock().now();
    std::vector<awaitable<void>> calls;
    for (int i = 0; i < load.callers; ++i)
        calls.push_back(call(*store, fmt::format("cas/{:04}", i), begin + round_time, result.done));
    loop.run(contract::run_concurrently(std::move(calls)));
    result.seconds = std::chrono::duration<double>(loop.clock().now() - begin).count();
    result.cpu_seconds = cpu_seconds_of(cluster.pid(0)) - cpu_before;
    result.own_cpu_seconds = own_cpu_seconds() - own_before;
    result.counters = store->counters();
    return result;
}

void print(const char* name, const tally& result) {
    fmt::print(
        "{:<22} {:>8.0f} compare-and-sets/s, {:>5.1f} per request, CPU each: etcd {:>6.1f} us, "
        "client {:>6.1f} us, {:.2f} cores in total\n",
        name,
        result.rate(),
        result.batch(),
        result.microseconds_each(result.cpu_seconds),
        result.microseconds_each(result.own_cpu_seconds),
        (result.cpu_seconds + result.own_cpu_seconds) / result.seconds);
}

int run() {
    harness::etcd_cluster cluster;
    {
        harness::real_event_loop loop;
        const auto store =
            must(etcd_metastore::open({.endpoints = cluster.endpoints(), .request_deadline = 5s}));
        loop.run(fill(*store));
    }
    tally alone;
    tally one_by_one;
    tally coalesced;
    for (int i = 0; i < rounds; ++i) {
        alone.add(measure(cluster, {.callers = 1, .mode = etcd_options::commits::one_by_one}));
        one_by_one.add(
            measure(cluster, {.callers = callers, .mode = etcd_options::commits::one_by_one}));
        coalesced.add(
            measure(cluster, {.callers = callers, .mode = etcd_options::commits::coalesced}));
    }
    fmt::print("etcd, one member, {} callers, {} other keys\n", callers, keys_there);
    print("one caller alone", alone);
    print("one by one", one_by_one);
    print("coalesced", coalesced);
    bench::check_at_least(
        {.name = "coalesced compare-and-sets per second relative to one by one",
         .measured = coalesced.rate() / one_by_one.rate()},
        10);
    bench::check_at_least(
        {.name = "CPU of one by one relative to coalesced compare-and-sets",
         .measured = one_by_one.cost() / coalesced.cost()},
        10);
    return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& /*arguments*/) { return muster::run(); });
}
