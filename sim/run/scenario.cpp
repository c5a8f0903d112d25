#include "sim/run/scenario.h"

#include "sim/run/duration.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <utility>

namespace muster::sim {

namespace {

std::unexpected<error> wrong(const toml::node& where, const std::string& text) {
    return fail(errc::invalid, fmt::format("line {}: {}", where.source().begin.line, text));
}

result<std::string> read_text(const toml::node& from) {
    const auto text = from.value<std::string>();
    if (!text) return wrong(from, "a text is wanted here");
    return *text;
}

result<monotonic::duration> read_duration(const toml::node& from) {
    TRY(const std::string text, read_text(from));
    const auto span = parse_duration(text);
    if (!span) return wrong(from, span.error().detail());
    return *span;
}

result<double> read_probability(const toml::node& from) {
    const auto number = from.value<double>();
    if (!number || *number < 0 || *number > 1) {
        return wrong(from, "a probability from 0 to 1 is wanted here");
    }
    return *number;
}

result<std::int64_t> read_number(const toml::node& from) {
    const auto number = from.value<std::int64_t>();
    if (!number) return wrong(from, "a whole number is wanted here");
    return *number;
}

result<std::uint32_t> read_per_mille(const toml::node& from) {
    TRY(const std::int64_t number, read_number(from));
    if (number < 0 || number > 1000) return wrong(from, "0 to 1000 is wanted here");
    return static_cast<std::uint32_t>(number);
}

// What a table may hold: for each key, what to do with its value.
using reader = std::function<result<void>(const toml::node& value)>;
using readers = std::map<std::string, reader>;

template <class T>
reader into(T& place, result<T> (*read)(const toml::node&)) {
    return [&place, read](const toml::node& value) -> result<void> {
        TRY(place, read(value));
        return {};
    };
}

result<void> read_table(const toml::node& from, const readers& readers) {
    const auto* table = from.as_table();
    if (table == nullptr) return wrong(from, "a table is wanted here");
    for (const auto& [key, value] : *table) {
        const auto it = readers.find(std::string(key.str()));
        if (it == readers.end()) {
            return wrong(value, fmt::format("'{}' is not known here", key.str()));
        }
        CHECK_OK(it->second(value));
    }
    return {};
}

result<expectation> read_expectation(const toml::node& from) {
    TRY(const std::string text, read_text(from));
    if (text == "holds") return expectation::holds;
    if (text == "is violated") return expectation::is_violated;
    return wrong(from, "\"holds\" or \"is violated\" is wanted here");
}

result<network_options> read_network(const toml::node& from) {
    network_options read;
    CHECK_OK(read_table(
        from,
        {{"delay_min", into(read.delay_min, read_duration)},
         {"delay_spread", into(read.delay_spread, read_duration)},
         {"slow_per_mille", into(read.slow_per_mille, read_per_mille)},
         {"delay_slow_max", into(read.delay_slow_max, read_duration)},
         {"loss_per_mille", into(read.loss_per_mille, read_per_mille)},
         {"duplicate_per_mille", into(read.duplicate_per_mille, read_per_mille)},
         {"reorder_per_mille", into(read.reorder_per_mille, read_per_mille)}}));
    return read;
}

result<std::int64_t> read_watch_history(const toml::node& from) {
    TRY(const std::int64_t number, read_number(from));
    if (number < 1 || number > 1'000'000) return wrong(from, "1 to 1000000 is wanted here");
    return number;
}

result<fault_plan> read_fault(const toml::node& from) {
    fault_plan read;
    CHECK_OK(read_table(
        from,
        {{"armed", into(read.odds.armed, read_probability)},
         {"fires", into(read.odds.fires, read_probability)},
         {"every", into(read.every, read_duration)},
         {"lasts", into(read.lasts, read_duration)}}));
    if (read.every < std::chrono::milliseconds(1)) return wrong(from, "'every' is too short");
    return read;
}

result<std::map<std::string, fault_plan>> read_faults(const toml::node& from) {
    std::map<std::string, fault_plan> read;
    readers readers;
    for (const auto& known_fault : known_faults()) {
        const std::string name(known_fault.name);
        readers[name] = [&read, name](const toml::node& value) -> result<void> {
            TRY(read[name], read_fault(value));
            return {};
        };
    }
    CHECK_OK(read_table(from, readers));
    return read;
}

result<workload_numbers> read_numbers(const toml::node& from) {
    const auto* table = from.as_table();
    if (table == nullptr) return wrong(from, "a table of numbers is wanted here");
    workload_numbers read;
    for (const auto& [key, value] : *table) {
        TRY(read[std::string(key.str())], read_number(value));
    }
    return read;
}

result<std::map<std::string, workload_numbers>> read_workloads(const toml::node& from) {
    const auto* table = from.as_table();
    if (table == nullptr) return wrong(from, "a table of workloads is wanted here");
    std::map<std::string, workload_numbers> read;
    for (const auto& [key, value] : *table) {
        const std::string name(key.str());
        TRY(read[name], read_numbers(value));
        const auto possible = make_workload(name, read[name]);
        if (!possible) return wrong(value, possible.error().detail());
    }
    return read;
}

result<std::vector<probe>> read_probes(const toml::node& from) {
    const auto* names = from.as_array();
    if (names == nullptr) return wrong(from, "a list of probes is wanted here");
    std::vector<probe> read;
    for (const auto& each : *names) {
        TRY(const std::string name, read_text(each));
        const auto existing = parse_probe(name);
        if (!existing) return wrong(each, fmt::format("there is no probe named '{}'", name));
        read.push_back(*existing);
    }
    return read;
}

result<scenario> read_scenario(const std::string& name, const toml::table& from) {
    scenario read{.name = name};
    CHECK_OK(read_table(
        from,
        {{"what", into(read.what, read_text)},
         {"duration", into(read.duration, read_duration)},
         {"expects", into(read.expects, read_expectation)},
         {"network", into(read.network, read_network)},
         {"watch_history", into(read.watch_history, read_watch_history)},
         {"reaches", into(read.reaches, read_probes)},
         {"fault", into(read.faults, read_faults)},
         {"workload", into(read.workloads, read_workloads)}}));
    if (read.workloads.empty()) return wrong(from, "a scenario needs a [workload.…]");
    return read;
}

}  // namespace

result<scenario> parse_scenario(const std::string& name, const std::string& toml) {
    try {
        const auto parsed = toml::parse(toml);
        auto read = read_scenario(name, parsed);
        if (!read) return fail(read.error().within("scenario " + name));
        return read;
    } catch (const toml::parse_error& failure) {
        return fail(
            errc::invalid,
            fmt::format(
                "scenario {}: line {}: {}",
                name,
                failure.source().begin.line,
                failure.description()));
    }
}

}  // namespace muster::sim
