#include "apps/agent/facts/sources.h"

#include <algorithm>

namespace muster::agent {
namespace {

// The machine's name with a domain, from the hosts file.
std::optional<std::string> find_in_hosts(std::string_view hosts, std::string_view name) {
    for (auto line : split_lines(hosts)) {
        line = line.substr(0, line.find('#'));
        const auto words = split_words(line);
        if (words.size() < 2 || std::ranges::find(words, name) == words.end()) continue;
        for (std::size_t index = 1; index < words.size(); ++index) {
            if (words[index].starts_with(std::string(name) + ".")) return std::string(words[index]);
        }
    }
    return std::nullopt;
}

std::optional<std::string> find_domain(std::string_view resolver) {
    std::optional<std::string> search_domain;
    for (const auto line : split_lines(resolver)) {
        const auto words = split_words(line);
        if (words.size() < 2) continue;
        if (words[0] == "domain") return std::string(words[1]);
        if (words[0] == "search" && !search_domain) search_domain = std::string(words[1]);
    }
    return search_domain;
}

// Uses no network: the name itself, the hosts file, the resolver's domain.
std::string full_name(const std::filesystem::path& root, const std::string& name) {
    if (name.contains('.')) return name;
    if (const auto hosts = read_text(root / "etc/hosts")) {
        if (auto host = find_in_hosts(*hosts, name)) return *host;
    }
    if (const auto resolver = read_text(root / "etc/resolv.conf")) {
        const auto domain = find_domain(*resolver);
        if (domain && *domain != ".") return name + "." + *domain;
    }
    return name;
}

}  // namespace

void add_name_facts(fact_builder& facts, const std::filesystem::path& root) {
    if (const auto name = read_text(root / "proc/sys/kernel/hostname"); name && !name->empty()) {
        facts.add("hostname", std::string_view(*name));
        facts.add("fqdn", std::string_view(full_name(root, *name)));
    }
    auto machine = read_text(root / "etc/machine-id");
    if (!machine) machine = read_text(root / "var/lib/dbus/machine-id");
    if (machine && !machine->empty()) facts.add("machine_id", std::string_view(*machine));
    facts.add("agent.version", std::string_view(MUSTER_VERSION));
}

}  // namespace muster::agent
