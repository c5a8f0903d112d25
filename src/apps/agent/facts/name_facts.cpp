#include "apps/agent/facts/sources.h"

#include <algorithm>

namespace muster::agent {
namespace {

// The first name of the machine's line of the hosts file that has a domain.
std::optional<std::string> name_in_hosts(std::string_view hosts, std::string_view name) {
    for (auto line : lines_of(hosts)) {
        line = line.substr(0, line.find('#'));
        const auto words = words_of(line);
        if (words.size() < 2 || std::ranges::find(words, name) == words.end()) continue;
        for (std::size_t at = 1; at < words.size(); ++at) {
            if (words[at].starts_with(std::string(name) + ".")) return std::string(words[at]);
        }
    }
    return std::nullopt;
}

std::optional<std::string> domain_in(std::string_view resolver) {
    std::optional<std::string> match;
    for (const auto line : lines_of(resolver)) {
        const auto words = words_of(line);
        if (words.size() < 2) continue;
        if (words[0] == "domain") return std::string(words[1]);
        if (words[0] == "search" && !match) match = std::string(words[1]);
    }
    return match;
}

// Without asking anybody: the name itself, the hosts file, the resolver's domain.
std::string full_name(const std::filesystem::path& root, const std::string& name) {
    if (name.contains('.')) return name;
    if (const auto hosts = text_of(root / "etc/hosts")) {
        if (auto match = name_in_hosts(*hosts, name)) return *match;
    }
    if (const auto resolver = text_of(root / "etc/resolv.conf")) {
        const auto domain = domain_in(*resolver);
        if (domain && *domain != ".") return name + "." + *domain;
    }
    return name;
}

}  // namespace

void add_name_facts(collection& to, const std::filesystem::path& root) {
    if (const auto name = text_of(root / "proc/sys/kernel/hostname"); name && !name->empty()) {
        to.add("hostname", std::string_view(*name));
        to.add("fqdn", std::string_view(full_name(root, *name)));
    }
    auto machine = text_of(root / "etc/machine-id");
    if (!machine) machine = text_of(root / "var/lib/dbus/machine-id");
    if (machine && !machine->empty()) to.add("machine_id", std::string_view(*machine));
    to.add("agent.version", std::string_view(MUSTER_VERSION));
}

}  // namespace muster::agent
