#include "apps/agent/facts/sources.h"

#include <array>

namespace muster::agent {
namespace {

struct hint {
    std::string_view part;  // substring of the text
    std::string_view type;
};

template <std::size_t Count>
std::optional<std::string> find_type(
    const std::optional<std::string>& text, const std::array<hint, Count>& hints) {
    if (!text) return std::nullopt;
    for (const auto& hint : hints) {
        if (text->contains(hint.part)) return std::string(hint.type);
    }
    return std::nullopt;
}

std::optional<std::string> container_type(const std::filesystem::path& root) {
    constexpr std::array hints{
        hint{"kubepods", "kubernetes"},
        hint{"docker", "docker"},
        hint{"libpod", "podman"},
        hint{"lxc", "lxc"}};
    std::error_code ignored;
    if (auto text = read_text(root / "run/systemd/container"); text && !text->empty()) return text;
    if (std::filesystem::exists(root / ".dockerenv", ignored)) return "docker";
    if (std::filesystem::exists(root / "run/.containerenv", ignored)) return "podman";
    return find_type(read_text(root / "proc/1/cgroup"), hints);
}

std::optional<std::string> machine_type(const std::filesystem::path& root) {
    constexpr std::array hints{
        hint{"VMware", "vmware"},
        hint{"VirtualBox", "virtualbox"},
        hint{"innotek", "virtualbox"},
        hint{"Amazon", "amazon"},
        hint{"Google", "google"},
        hint{"Microsoft", "hyperv"},
        hint{"Xen", "xen"},
        hint{"QEMU", "kvm"},
        hint{"KVM", "kvm"}};
    for (const auto* file : {"sys_vendor", "product_name"}) {
        if (auto type = find_type(read_text(root / "sys/class/dmi/id" / file), hints)) return type;
    }
    if (auto type = read_text(root / "sys/hypervisor/type"); type && !type->empty()) return type;
    constexpr std::array flags{hint{" hypervisor", "unknown"}};
    return find_type(read_text(root / "proc/cpuinfo"), flags);
}

}  // namespace

void add_virtualisation_facts(fact_builder& facts, const std::filesystem::path& root) {
    if (const auto type = container_type(root)) {
        facts.add("virtual.kind", std::string_view("container"));
        facts.add("virtual.type", std::string_view(*type));
    } else if (const auto machine = machine_type(root)) {
        facts.add("virtual.kind", std::string_view("machine"));
        facts.add("virtual.type", std::string_view(*machine));
    } else {
        facts.add("virtual.kind", std::string_view("none"));
    }
}

}  // namespace muster::agent
