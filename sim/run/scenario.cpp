#include "sim/run/scenario.h"

#include "sim/run/duration.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <utility>

namespace muster::sim {

namespace {

std::unexpected<error> invalid_node(const toml::node& node, const std::string& text) {
    return fail(errc::invalid, fmt::format("line {}: {}", node.source().begin.line, text));
}

result<std::string> read_text(const toml::node& node) {
    const auto text = node.value<std::string>();
    if (!text) return invalid_node(node, "value must be a string");
    return *text;
}

result<monotonic::duration> read_duration(const toml::node& node) {
    TRY(const std::string text, read_text(node));
    const auto span = parse_duration(text);
    if (!span) return invalid_node(node, span.error().detail());
    return *span;
}

result<double> read_probability(const toml::node& node) {
    const auto number = node.value<double>();
    if (!number || *number < 0 || *number > 1) {
        return invalid_node(node, "value must be a probability from 0 to 1");
    }
    return *number;
}

result<std::int64_t> read_number(const toml::node& node) {
    const auto number = node.value<std::int64_t>();
    if (!number) return invalid_node(node, "value must be an integer");
    return *number;
}

result<std::uint32_t> read_per_mille(const toml::node& node) {
    TRY(const std::int64_t number, read_number(node));
    if (number < 0 || number > 1000) return invalid_node(node, "value must be 0 to 1000");
    return static_cast<std::uint32_t>(number);
}

// The keys a table may hold, each with the function that reads its value.
using reader = std::function<result<void>(const toml::node& value)>;
using readers = std::map<std::string, reader>;

template <class T>
reader into(T& target, result<T> (*read)(const toml::node&)) {
    return [&target, read](const toml::node& value) -> result<void> {
        TRY(target, read(value));
        return {};
    };
}

result<void> read_table(const toml::node& node, const readers& readers) {
    const auto* table = node.as_table();
    if (table == nullptr) return invalid_node(node, "value must be a table");
    for (const auto& [key, value] : *table) {
        const auto it = readers.find(std::string(key.str()));
        if (it == readers.end()) {
            return invalid_node(value, fmt::format("unknown key \"{}\"", key.str()));
        }
        CHECK_OK(it->second(value));
    }
    return {};
}

result<expectation> read_expectation(const toml::node& node) {
    TRY(const std::string text, read_text(node));
    if (text == "holds") return expectation::holds;
    if (text == "is violated") return expectation::is_violated;
    return invalid_node(node, "value must be \"holds\" or \"is violated\"");
}

result<network_options> read_network(const toml::node& node) {
    network_options read;
    CHECK_OK(read_table(
        node,
        {{"delay_min", into(read.delay_min, read_duration)},
         {"delay_spread", into(read.delay_spread, read_duration)},
         {"slow_per_mille", into(read.slow_per_mille, read_per_mille)},
         {"delay_slow_max", into(read.delay_slow_max, read_duration)},
         {"loss_per_mille", into(read.loss_per_mille, read_per_mille)},
         {"duplicate_per_mille", into(read.duplicate_per_mille, read_per_mille)},
         {"reorder_per_mille", into(read.reorder_per_mille, read_per_mille)}}));
    return read;
}

result<std::int64_t> read_watch_history(const toml::node& node) {
    TRY(const std::int64_t number, read_number(node));
    if (number < 1 || number > 1'000'000) return invalid_node(node, "value must be 1 to 1000000");
    return number;
}

result<fault_plan> read_fault(const toml::node& node) {
    fault_plan read;
    CHECK_OK(read_table(
        node,
        {{"armed", into(read.odds.armed, read_probability)},
         {"fires", into(read.odds.fires, read_probability)},
         {"every", into(read.every, read_duration)},
         {"lasts", into(read.lasts, read_duration)}}));
    if (read.every < std::chrono::milliseconds(1))
        return invalid_node(node, "value of \"every\" is too short");
    return read;
}

result<std::map<std::string, fault_plan>> read_faults(const toml::node& node) {
    std::map<std::string, fault_plan> read;
    readers readers;
    for (const auto& known_fault : known_faults()) {
        const std::string name(known_fault.name);
        readers[name] = [&read, name](const toml::node& value) -> result<void> {
            TRY(read[name], read_fault(value));
            return {};
        };
    }
    CHECK_OK(read_table(node, readers));
    return read;
}

result<workload_numbers> read_numbers(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) return invalid_node(node, "value must be a table of numbers");
    workload_numbers read;
    for (const auto& [key, value] : *table) {
        TRY(read[std::string(key.str())], read_number(value));
    }
    return read;
}

result<std::map<std::string, workload_numbers>> read_workloads(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) return invalid_node(node, "value must be a table of workloads");
    std::map<std::string, workload_numbers> read;
    for (const auto& [key, value] : *table) {
        const std::string name(key.str());
        TRY(read[name], read_numbers(value));
        const auto checked = make_workload(name, read[name]);
        if (!checked) return invalid_node(value, checked.error().detail());
    }
    return read;
}

result<std::vector<probe>> read_probes(const toml::node& node) {
    const auto* names = node.as_array();
    if (names == nullptr) return invalid_node(node, "value must be a list of probes");
    std::vector<probe> read;
    for (const auto& item : *names) {
        TRY(const std::string name, read_text(item));
        const auto existing = parse_probe(name);
        if (!existing) return invalid_node(item, fmt::format("probe \"{}\" not found", name));
        read.push_back(*existing);
    }
    return read;
}

result<scenario> read_scenario(const std::string& name, const toml::table& node) {
    scenario read{.name = name};
    CHECK_OK(read_table(
        node,
        {{"what", into(read.description, read_text)},
         {"duration", into(read.duration, read_duration)},
         {"expects", into(read.expects, read_expectation)},
         {"network", into(read.network, read_network)},
         {"watch_history", into(read.watch_history, read_watch_history)},
         {"reaches", into(read.reaches, read_probes)},
         {"fault", into(read.faults, read_faults)},
         {"workload", into(read.workloads, read_workloads)}}));
    if (read.workloads.empty())
        return invalid_node(node, "scenario must have a [workload.…] table");
    return read;
}

}  // namespace

result<scenario> parse_scenario(const std::string& name, const std::string& toml) {
    try {
        const auto parsed = toml::parse(toml);
        auto read = read_scenario(name, parsed);
        if (!read) return fail(read.error().with_context("scenario " + name));
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
