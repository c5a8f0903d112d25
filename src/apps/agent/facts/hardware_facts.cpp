#include "apps/agent/facts/sources.h"

#include <sys/statvfs.h>

#include <array>
#include <charconv>
#include <set>

namespace muster::agent {
namespace {

constexpr std::size_t disks_max = 64;
constexpr std::int64_t kibibyte = 1024;

// "model name\t: Intel …": the value of the first line with this name.
std::optional<std::string> find_line_value(std::string_view text, std::string_view name) {
    for (const auto line : split_lines(text)) {
        const auto colon = line.find(':');
        if (!line.starts_with(name) || colon == std::string_view::npos) continue;
        const auto start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string_view::npos ? "" : std::string(line.substr(start));
    }
    return std::nullopt;
}

void add_memory(
    fact_builder& facts, const std::string& text, const char* path, std::string_view name) {
    const auto line = find_line_value(text, name);
    std::int64_t size = 0;
    if (!line || std::from_chars(line->data(), line->data() + line->size(), size).ec != std::errc())
        return;
    facts.add(path, size * kibibyte);
}

// /proc writes spaces of a mount point as \040.
std::string unescape(std::string_view text) {
    std::string result;
    for (std::size_t index = 0; index < text.size(); ++index) {
        unsigned code = 0;
        const bool is_escape = text[index] == '\\' && index + 3 < text.size();
        if (is_escape
            && std::from_chars(&text[index + 1], &text[index + 1] + 3, code, 8).ec == std::errc()) {
            result += static_cast<char>(static_cast<unsigned char>(code));
            index += 3;
        } else {
            result += text[index];
        }
    }
    return result;
}

}  // namespace

void add_hardware_facts(fact_builder& facts, const std::filesystem::path& root) {
    if (const auto cpu = read_text(root / "proc/cpuinfo")) {
        if (const auto model = find_line_value(*cpu, "model name"))
            facts.add("cpu.model", std::string_view(*model));
        std::int64_t count = 0;
        for (const auto line : split_lines(*cpu)) count += line.starts_with("processor\t") ? 1 : 0;
        if (count > 0) facts.add("cpu.count", count);
    }
    if (const auto memory = read_text(root / "proc/meminfo")) {
        add_memory(facts, *memory, "memory.total", "MemTotal");
        add_memory(facts, *memory, "memory.swap", "SwapTotal");
    }
}

void add_disk_facts(fact_builder& facts, const std::filesystem::path& root) {
    const auto mounts = read_text(root / "proc/self/mounts");
    if (!mounts) return;
    std::set<std::string, std::less<>> devices;  // a device may be mounted many times
    for (const auto line : split_lines(*mounts)) {
        const auto words = split_words(line);
        if (words.size() < 3 || !words[0].starts_with("/dev/")) continue;
        const auto mount_point = unescape(words[1]);
        if (devices.size() == disks_max || !devices.insert(std::string(words[0])).second) continue;
        facts.add("disks." + mount_point + ".device", words[0]);
        facts.add("disks." + mount_point + ".type", words[2]);
        struct statvfs file_system{};
        if (::statvfs(mount_point.c_str(), &file_system) == 0)
            facts.add(
                "disks." + mount_point + ".size",
                static_cast<std::int64_t>(file_system.f_blocks * file_system.f_frsize));
    }
}

}  // namespace muster::agent
