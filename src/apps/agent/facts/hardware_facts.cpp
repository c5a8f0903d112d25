#include "apps/agent/facts/sources.h"

#include <sys/statvfs.h>

#include <array>
#include <charconv>
#include <set>

namespace muster::agent {
namespace {

constexpr std::size_t disks_max = 64;
constexpr std::int64_t kibibyte = 1024;

// "model name\t: Intel …": the part behind the colon of the first line with this name.
std::optional<std::string> named_line(std::string_view text, std::string_view name) {
    for (const auto line : lines_of(text)) {
        const auto colon = line.find(':');
        if (!line.starts_with(name) || colon == std::string_view::npos) continue;
        const auto start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string_view::npos ? "" : std::string(line.substr(start));
    }
    return std::nullopt;
}

void add_memory(collection& to, const std::string& text, const char* path, std::string_view name) {
    const auto line = named_line(text, name);
    std::int64_t size = 0;
    if (!line || std::from_chars(line->data(), line->data() + line->size(), size).ec != std::errc())
        return;
    to.add(path, size * kibibyte);
}

// /proc writes spaces of a mount point as \040.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned code = 0;
        const bool escape = text[at] == '\\' && at + 3 < text.size();
        if (escape
            && std::from_chars(&text[at + 1], &text[at + 1] + 3, code, 8).ec == std::errc()) {
            plain += static_cast<char>(static_cast<unsigned char>(code));
            at += 3;
        } else {
            plain += text[at];
        }
    }
    return plain;
}

}  // namespace

void add_hardware_facts(collection& to, const std::filesystem::path& root) {
    if (const auto cpu = text_of(root / "proc/cpuinfo")) {
        if (const auto model = named_line(*cpu, "model name"))
            to.add("cpu.model", std::string_view(*model));
        std::int64_t count = 0;
        for (const auto line : lines_of(*cpu)) count += line.starts_with("processor\t") ? 1 : 0;
        if (count > 0) to.add("cpu.count", count);
    }
    if (const auto memory = text_of(root / "proc/meminfo")) {
        add_memory(to, *memory, "memory.total", "MemTotal");
        add_memory(to, *memory, "memory.swap", "SwapTotal");
    }
}

void add_disk_facts(collection& to, const std::filesystem::path& root) {
    const auto mounts = text_of(root / "proc/self/mounts");
    if (!mounts) return;
    std::set<std::string, std::less<>> devices;  // a device may be mounted many times
    for (const auto line : lines_of(*mounts)) {
        const auto words = words_of(line);
        if (words.size() < 3 || !words[0].starts_with("/dev/")) continue;
        const auto at = unescaped(words[1]);
        if (devices.size() == disks_max || !devices.insert(std::string(words[0])).second) continue;
        to.add("disks." + at + ".device", words[0]);
        to.add("disks." + at + ".type", words[2]);
        struct statvfs size{};
        if (::statvfs(at.c_str(), &size) == 0)
            to.add(
                "disks." + at + ".size", static_cast<std::int64_t>(size.f_blocks * size.f_frsize));
    }
}

}  // namespace muster::agent
