// What deciding costs: plans for a zone of 1,000 nodes and 16,384 slots that hold ten million
// systems, and how large the one transaction is that a failover takes.
//
//   bench_planner          measures and prints, beside sorting the same slots by weight
//
// All of it is CPU time of one thread.
#include "core/placement/planner.h"

#include "base/prng.h"
#include "bench/measure.h"
#include "core/placement/packed.h"
#include "core/placement/slot_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace muster::placement {
namespace {

constexpr std::int64_t nodes = 1000;
constexpr std::uint64_t systems = 10'000'000;
constexpr int rounds = 9;
constexpr double wanted_milliseconds = 20;
constexpr double wanted_bytes = 64 * 1024;

std::vector<member> serving(std::int64_t count) {
    std::vector<member> members;
    for (std::int64_t number = 1; number <= count; ++number)
        members.push_back({.node = node_number(number)});
    return members;
}

weights spread(std::uint64_t count) {
    prng random(4711);
    weights cost{};
    for (std::uint64_t system = 0; system < count; ++system) ++cost[random.below(slot::count)];
    return cost;
}

// The middle of several rounds, in milliseconds of CPU time.
double measured(const std::function<void()>& work) {
    std::vector<double> took;
    for (int round = 0; round < rounds; ++round) {
        const double began = bench::own_cpu_seconds();
        work();
        took.push_back(1000 * (bench::own_cpu_seconds() - began));
    }
    std::ranges::sort(took);
    return took[took.size() / 2];
}

double sorting_time(const weights& cost) {
    return measured([&cost] {
        std::vector<std::pair<std::uint64_t, std::size_t>> order;
        for (std::size_t number = 0; number < slot::count; ++number)
            order.emplace_back(cost[number], number);
        std::ranges::sort(order);
        if (order.front().first > order.back().first) throw std::logic_error("not sorted");
    });
}

slot_table planned(
    const slot_table& from, const std::vector<member>& members, const weights& cost) {
    return from.apply_moves(build_plan(from, members, cost, {}).moves).value();
}

// The same owners, but every slot was last moved by a plan of its own, in no order.
slot_table much_moved(const slot_table& like) {
    constexpr std::uint64_t plans = 500'000;
    prng random(4711);
    std::vector<std::int64_t> owners;
    std::vector<std::int64_t> epochs;
    for (std::size_t number = 0; number < slot::count; ++number) {
        owners.push_back(like.at(slot(number)).owner.value());
        epochs.push_back(static_cast<std::int64_t>(1 + random.below(plans)));
    }
    std::string bytes(1, '\1');
    write_varint(bytes, plans);
    pack(bytes, owners);
    pack(bytes, epochs);
    return slot_table::decode(bytes).value();
}

// What the driver commits (roles/driver/planning.cpp; its test weighs the very transaction): the
// table, its epoch, and the conditions under which it is right, among them one for every node that
// takes or gives slots.
std::size_t transaction_bytes(const slot_table& from, const plan& plan) {
    constexpr std::size_t key_and_condition = 64;
    std::set<node_number> involved;
    for (const move& move : plan.moves) {
        involved.insert(move.from);
        involved.insert(move.to);
    }
    return from.apply_moves(plan.moves).value().encode().size()
           + (5 + involved.size()) * key_and_condition;
}

void report_failover(const char* text, std::size_t bytes) {
    fmt::print("{} with {} systems: {} bytes in one transaction\n", text, systems, bytes);
    bench::check_at_most(
        {.name = text, .measured = static_cast<double>(bytes), .unit = "bytes"}, wanted_bytes);
}

void report(const char* text, double milliseconds, double reference) {
    fmt::print(
        "{:<44} {:6.2f} ms, {:5.1f} times sorting\n", text, milliseconds, milliseconds / reference);
    bench::check_at_most(
        {.name = text, .measured = milliseconds, .unit = "ms"}, wanted_milliseconds);
}

void run() {
    const weights cost = spread(systems);
    const double sorting = sorting_time(cost);
    fmt::print("sorting {} slots by weight                 {:6.2f} ms\n", slot::count, sorting);
    const auto members = serving(nodes);
    const slot_table table = planned({}, members, cost);
    auto survivors = members;
    survivors.erase(survivors.begin() + 500);
    const slot_table failed_over = planned(table, survivors, cost);
    report("new zone", measured([&] { build_plan({}, members, cost, {}); }), sorting);
    report(
        "loss of one of 1,000 nodes",
        measured([&] { build_plan(table, survivors, cost, {}); }),
        sorting);
    report(
        "join of a node", measured([&] { build_plan(failed_over, members, cost, {}); }), sorting);
    report("no change", measured([&] { build_plan(table, members, cost, {}); }), sorting);
    report("encoding the table", measured([&] { failed_over.encode(); }), sorting);
    const std::string bytes = failed_over.encode();
    report(
        "decoding the table",
        measured([&] { ignore_error(slot_table::decode(bytes), "timed"); }),
        sorting);
    report_failover("failover", transaction_bytes(table, build_plan(table, survivors, cost, {})));
    const slot_table old = much_moved(table);
    report_failover(
        "failover after many plans", transaction_bytes(old, build_plan(old, survivors, cost, {})));
}

}  // namespace
}  // namespace muster::placement

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& /*arguments*/) {
        muster::placement::run();
        return 0;
    });
}
