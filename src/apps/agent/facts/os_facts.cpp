#include "apps/agent/facts/sources.h"

#include <sys/utsname.h>

#include <array>
#include <charconv>
#include <chrono>
#include <map>

namespace muster::agent {
namespace {

// The value of a shell assignment as os-release writes it.
std::string unquoted(std::string_view value) {
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'')
                        && value.back() == value.front();
    if (quoted) value = value.substr(1, value.size() - 2);
    std::string plain;
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (value[at] == '\\' && at + 1 < value.size()) ++at;
        plain += value[at];
    }
    return plain;
}

std::map<std::string, std::string, std::less<>> os_release(const std::filesystem::path& root) {
    auto text = text_of(root / "etc/os-release");
    if (!text) text = text_of(root / "usr/lib/os-release");
    std::map<std::string, std::string, std::less<>> read;
    if (!text) return read;
    for (const auto line : lines_of(*text)) {
        const auto equals = line.find('=');
        if (equals == std::string_view::npos || line.starts_with('#')) continue;
        read.insert_or_assign(
            std::string(line.substr(0, equals)), unquoted(line.substr(equals + 1)));
    }
    return read;
}

struct renamed {
    std::string_view from;
    const char* to;
};

std::optional<std::int64_t> boot_seconds(const std::filesystem::path& root) {
    const auto text = text_of(root / "proc/stat");
    if (!text) return std::nullopt;
    for (const auto line : lines_of(*text)) {
        const auto words = words_of(line);
        if (words.size() != 2 || words[0] != "btime") continue;
        std::int64_t seconds = 0;
        const auto* end = words[1].data() + words[1].size();
        if (std::from_chars(words[1].data(), end, seconds).ec != std::errc()) return std::nullopt;
        return seconds;
    }
    return std::nullopt;
}

}  // namespace

void add_os_facts(collection& to, const std::filesystem::path& root) {
    constexpr std::array names{
        renamed{"NAME", "os.name"},
        renamed{"ID", "os.id"},
        renamed{"ID_LIKE", "os.like"},
        renamed{"VERSION_ID", "os.version"},
        renamed{"VERSION_CODENAME", "os.codename"},
        renamed{"PRETTY_NAME", "os.description"}};
    const auto release = os_release(root);
    for (const auto& name : names) {
        const auto it = release.find(name.from);
        if (it != release.end()) to.add(name.to, std::string_view(it->second));
    }
    utsname kernel{};
    if (::uname(&kernel) == 0) {
        to.add("kernel.name", std::string_view(kernel.sysname));
        to.add("kernel.release", std::string_view(kernel.release));
        to.add("kernel.version", std::string_view(kernel.version));
        to.add("cpu.arch", std::string_view(kernel.machine));
    }
    // When it was booted says how long it has been up, without changing all the time.
    if (const auto seconds = boot_seconds(root)) to.add("boot.time", *seconds);
    if (const auto boot = text_of(root / "proc/sys/kernel/random/boot_id"))
        to.add("boot.id", std::string_view(*boot));
}

}  // namespace muster::agent
