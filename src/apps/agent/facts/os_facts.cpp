#include "apps/agent/facts/sources.h"

#include <sys/utsname.h>

#include <array>
#include <charconv>
#include <chrono>
#include <map>

namespace muster::agent {
namespace {

// Decodes the value of a shell assignment in os-release.
std::string unquote(std::string_view value) {
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'')
                        && value.back() == value.front();
    if (quoted) value = value.substr(1, value.size() - 2);
    std::string text;
    for (std::size_t index = 0; index < value.size(); ++index) {
        if (value[index] == '\\' && index + 1 < value.size()) ++index;
        text += value[index];
    }
    return text;
}

std::map<std::string, std::string, std::less<>> read_os_release(const std::filesystem::path& root) {
    auto text = read_text(root / "etc/os-release");
    if (!text) text = read_text(root / "usr/lib/os-release");
    std::map<std::string, std::string, std::less<>> values;
    if (!text) return values;
    for (const auto line : split_lines(*text)) {
        const auto equals = line.find('=');
        if (equals == std::string_view::npos || line.starts_with('#')) continue;
        values.insert_or_assign(
            std::string(line.substr(0, equals)), unquote(line.substr(equals + 1)));
    }
    return values;
}

struct fact_name {
    std::string_view key;
    const char* fact;
};

std::optional<std::int64_t> read_boot_time(const std::filesystem::path& root) {
    const auto text = read_text(root / "proc/stat");
    if (!text) return std::nullopt;
    for (const auto line : split_lines(*text)) {
        const auto words = split_words(line);
        if (words.size() != 2 || words[0] != "btime") continue;
        std::int64_t seconds = 0;
        const auto* end = words[1].data() + words[1].size();
        if (std::from_chars(words[1].data(), end, seconds).ec != std::errc()) return std::nullopt;
        return seconds;
    }
    return std::nullopt;
}

}  // namespace

void add_os_facts(fact_builder& facts, const std::filesystem::path& root) {
    constexpr std::array names{
        fact_name{"NAME", "os.name"},
        fact_name{"ID", "os.id"},
        fact_name{"ID_LIKE", "os.like"},
        fact_name{"VERSION_ID", "os.version"},
        fact_name{"VERSION_CODENAME", "os.codename"},
        fact_name{"PRETTY_NAME", "os.description"}};
    const auto release = read_os_release(root);
    for (const auto& name : names) {
        const auto it = release.find(name.key);
        if (it != release.end()) facts.add(name.fact, std::string_view(it->second));
    }
    utsname kernel{};
    if (::uname(&kernel) == 0) {
        facts.add("kernel.name", std::string_view(kernel.sysname));
        facts.add("kernel.release", std::string_view(kernel.release));
        facts.add("kernel.version", std::string_view(kernel.version));
        facts.add("cpu.arch", std::string_view(kernel.machine));
    }
    // Unlike the uptime, the boot time does not change all the time.
    if (const auto seconds = read_boot_time(root)) facts.add("boot.time", *seconds);
    if (const auto boot = read_text(root / "proc/sys/kernel/random/boot_id"))
        facts.add("boot.id", std::string_view(*boot));
}

}  // namespace muster::agent
