// What finding systems costs: a million of them with tags, zones and facts, expressions of three
// terms with a glob, beside asking each system, and the memory a system takes.
//
//   bench_targeting [SYSTEMS]      measures and prints; 1,000,000 when not given
//
// All of it is CPU time of one thread.
#include "base/prng.h"
#include "bench/measure.h"
#include "core/targeting/index/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::targeting {
namespace {

constexpr double wanted_milliseconds = 5;
constexpr int rounds = 60;
constexpr std::size_t asked_each_max = 100'000;  // of the reference, which is slow

struct machine {
    system_record record;
    std::vector<fact> facts;
};

template <std::size_t Size>
std::string pick(prng& random, const std::array<const char*, Size>& from) {
    return from.at(random.below(Size));
}

machine build_machine(prng& random, std::uint32_t number) {
    constexpr std::array<const char*, 8> roles{
        "web", "db", "mongodb", "cache", "mail", "build", "proxy", "app"};
    constexpr std::array<const char*, 5> domains{
        ".acme.org", ".lab.acme.org", ".shop.example", ".muc.acme.org", ".ber.acme.org"};
    constexpr std::array<const char*, 6> systems{
        "debian", "ubuntu", "sles", "rhel", "opensuse-leap", "alpine"};
    fingerprint::bytes_type bytes{};
    for (std::size_t at = 0; at < bytes.size(); ++at)
        bytes.at(at) = static_cast<unsigned char>(random.below(256));
    machine built{.record = {.print = fingerprint(bytes)}, .facts = {}};
    auto& record = built.record;
    record.stage = enrolment::accepted;
    record.number = system_number(number);
    const auto role = pick(random, roles);
    record.name = role + fmt::format("{:07}", number) + pick(random, domains);
    record.zone = "zone" + std::to_string(random.below(40));
    for (int tag = 0; tag < 3; ++tag)
        record.tags.push_back("tag" + std::to_string(random.below(500)));
    const auto address =
        fmt::format("10.{}.{}.{}", number >> 16U, (number >> 8U) & 255U, number & 255U);
    std::vector<fact> facts{
        {"os.id", pick(random, systems)},
        {"os.version", std::to_string(random.below(30))},
        {"kernel.name", "linux"},
        {"kernel.release", "6.1.0-" + std::to_string(random.below(60))},
        {"cpu.arch", random.chance(900) ? "x86_64" : "aarch64"},
        {"cpu.count", std::to_string(1U << random.below(7))},
        {"cpu.model", "fast cpu " + std::to_string(random.below(40))},
        {"memory.total", std::to_string((1 + random.below(64)) << 30U)},
        {"virtual.kind", random.chance(800) ? "machine" : "none"},
        {"agent.version", "0.1.0"},
        {"hostname", record.name.substr(0, record.name.find('.'))},
        {"fqdn", record.name},
        {"machine_id", fmt::format("{:016x}{:016x}", random.next(), random.next())},
        {"addresses", address},
        {"interfaces.eth0.addresses", address},
        {"interfaces.eth0.mac", fmt::format("{:012x}", random.next() >> 16U)},
        {"boot.id", fmt::format("{:016x}", random.next())},
        {"role", role}};
    built.facts = searchable(std::move(facts));
    return built;
}

class machine_subject final : public subject {
public:
    explicit machine_subject(const machine& machine) : machine_(machine) {}
    std::string_view name() const override { return machine_.record.name; }
    std::span<const fact> facts() const override { return machine_.facts; }
    bool has(field tested_field, const text_pattern& test) const override {
        if (tested_field == field::name) return test.matches(machine_.record.name);
        if (tested_field == field::zone) return test.matches(machine_.record.zone);
        return tested_field == field::tag
               && std::ranges::any_of(
                   machine_.record.tags, [&](const auto& tag) { return test.matches(tag); });
    }

private:
    const machine& machine_;
};

class nothing_else final : public other_fields {
public:
    system_set among(const field_condition&, const system_set&) const override { return {}; }
};

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct spread {
    double middle = 0;
    double high = 0;  // 99 of 100 are not above it
};

spread timed(const index& index, const query& query) {
    std::vector<double> took;
    for (int round = 0; round < rounds; ++round) {
        const double began = bench::own_cpu_seconds();
        const auto match = index.evaluate(query, nothing_else());
        took.push_back(1000 * (bench::own_cpu_seconds() - began));
        if (match.size() > index.systems().size()) throw std::logic_error("too many matches");
    }
    std::ranges::sort(took);
    return {.middle = took[took.size() / 2], .high = took[took.size() * 99 / 100]};
}

// Asking each: of a part, and reckoned up.
double asking_each(
    const std::vector<machine>& sample, std::size_t count, const query& query, const index& index) {
    const auto match = index.evaluate(query, nothing_else());
    const double began = bench::own_cpu_seconds();
    std::size_t met = 0;
    std::size_t expected = 0;
    for (const auto& built : sample) met += query.matches(machine_subject(built)) ? 1 : 0;
    const double took = 1000 * (bench::own_cpu_seconds() - began);
    for (const auto& built : sample) expected += match.contains(built.record.number) ? 1 : 0;
    if (met != expected) throw std::runtime_error("index and systems disagree");
    return took * static_cast<double>(count) / static_cast<double>(sample.size());
}

int run(std::vector<std::string> arguments) {
    const std::uint32_t count =
        arguments.size() < 2 ? 1'000'000U : static_cast<std::uint32_t>(std::stoul(arguments[1]));
    constexpr std::uint64_t seed = 20270601;
    std::vector<machine> sample;
    prng first(seed);
    for (std::uint32_t number = 1; number <= std::min<std::size_t>(count, asked_each_max); ++number)
        sample.push_back(build_machine(first, number));
    const auto before = resident_bytes();
    index index;
    prng random(seed);
    double building = 0;
    for (std::uint32_t number = 1; number <= count; ++number) {
        const auto built = build_machine(random, number);
        const fleet::change change{.before = std::nullopt, .after = built.record};
        const double began = bench::own_cpu_seconds();
        index.apply({&change, 1});
        index.set_facts(built.record.number, built.facts);
        building += bench::own_cpu_seconds() - began;
    }
    fmt::print(
        "{} systems with 18 facts, 7 of them unique: indexed in {:.1f} s, {} bytes per system\n",
        count,
        building,
        (resident_bytes() - before) / count);
    for (const char* const text :
         {"web* and tag:tag7 and os:debian",
          "*.lab.acme.org and zone:zone3 and not os.id:ubuntu",
          "*db* and tag:tag1* and cpu.arch:aarch64",
          "web*.acme.org and os.version:1* and virtual.kind:machine",
          "(tag:tag1 or tag:tag2 or tag:tag3) and mail* and not zone:zone1",
          "web0001*.acme.org and tag:* and not tag:tag5",
          "fqdn:web00012* and os:debian and zone:zone1*",
          "fqdn:*0012*.lab.acme.org and os:debian and zone:zone1*",
          "G@os:sles and E@web\\d+5\\. and P@role:(web|db)",
          "P@fqdn:web\\d+512\\. and os:debian and tag:tag1*"}) {
        const auto request = bench::must(query::parse(text));
        const auto took = timed(index, request);
        const auto slow = asking_each(sample, count, request, index);
        fmt::print(
            "{:<64} {:>7} found  p50 {:6.2f} ms  p99 {:6.2f} ms  1/{:.0f} of a full scan\n",
            text,
            index.evaluate(request, nothing_else()).size(),
            took.middle,
            took.high,
            slow / took.middle);
        bench::check_at_most(
            {.name = text, .measured = took.high, .unit = "ms (p99)"}, wanted_milliseconds);
    }
    for (const char* const text :
         {"fqdn:web00012*",
          "machine_id:*beef*",
          "S@10.3.0.0/16",
          "web*.acme.org",
          "*mongodb*",
          "E@.*5\\.lab"}) {
        const auto request = bench::must(query::parse(text));
        const auto took = timed(index, request);
        fmt::print(
            "{:<64} {:>7} found  p50 {:6.2f} ms  p99 {:6.2f} ms  (no goal)\n",
            text,
            index.evaluate(request, nothing_else()).size(),
            took.middle,
            took.high);
    }
    return 0;
}

}  // namespace
}  // namespace muster::targeting

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, muster::targeting::run);
}
